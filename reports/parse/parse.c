/* SPDX-License-Identifier: MIT */
/* The table of parsers. Invariant: the table is sorted by name. */
#include "parse.h"

#include "parsers.h"

const struct driver *const *parse_drivers(void)
{
	static const struct driver *const table[] = {
		&alsa_parser.d,
		&boot_log_parser.d,
		&coremark_parser.d,
		&coremark_pro_parser.d,
		&cyclictest_parser.d,
		&dd_parser.d,
		&dhrystone_parser.d,
		&fio_parser.d,
		&frames_parser.d,
		&hackbench_parser.d,
		&ipc_parser.d,
		&iperf2_parser.d,
		&iperf3_parser.d,
		&irq_latency_parser.d,
		&junit_parser.d,
		&ktap_parser.d,
		&lava_parser.d,
		&linpack_parser.d,
		&lmbench_parser.d,
		&ltp_parser.d,
		&mcusdk_parser.d,
		&mtd_speed_parser.d,
		&multibench_parser.d,
		&netperf_parser.d,
		&openssl_parser.d,
		&power_parser.d,
		&printk_parser.d,
		&resume_parser.d,
		&rtos_storage_parser.d,
		&sbl_parser.d,
		&stream_parser.d,
		&stress_ng_parser.d,
		&tap_parser.d,
		&time_v_parser.d,
		&uboot_parser.d,
		&udma_parser.d,
		&whetstone_parser.d,
		NULL,
	};

	return table;
}
