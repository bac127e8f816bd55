/* SPDX-License-Identifier: MIT */
/* The tests, sorted by name. A new one is a file, a line here and a line in doc/hil.md. */
#include "test.h"

extern const struct driver_test test_audio, test_can, test_card, test_cpufreq, test_cpuidle,
	test_display, test_ethernet, test_gadget, test_gpio, test_i2c, test_input, test_latency,
	test_mtd, test_rtc, test_spi, test_storage, test_suspend, test_uart, test_ubi,
	test_watchdog;

const struct driver_test *const driver_tests[] = {&test_audio, &test_can, &test_cpufreq,
	&test_cpuidle, &test_display, &test_ethernet, &test_gpio, &test_input, &test_i2c,
	&test_latency, &test_mtd, &test_rtc, &test_card, &test_spi, &test_storage, &test_suspend,
	&test_uart, &test_ubi, &test_gadget, &test_watchdog, NULL};
