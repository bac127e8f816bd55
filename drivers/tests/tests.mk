# SPDX-License-Identifier: MIT
# make driver-tests   the driver tests as the boards run them: one static program an architecture,
#                     build/images/ARCH/hil-test
#
# $B/hil-test is the same for this host, for the tests of the tests.

IMAGES ?= build/images

HIL_SRC := $(filter-out drivers/tests/timer.c,$(sort $(wildcard drivers/tests/*.c)))
HIL_HEADERS := $(wildcard drivers/tests/*.h)
HIL_CFLAGS := -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes \
	-Wvla -Wno-missing-field-initializers $(if $(WERROR),-Werror)
HIL_CC_arm64 := aarch64-linux-gnu-gcc
HIL_CC_armhf := arm-linux-gnueabihf-gcc

$B/hil-test: $(HIL_SRC) $(HIL_HEADERS) $B/flags
	@echo '  LD    $@'
	$(Q)$(CC) $(HIL_CFLAGS) $(SAN_FLAGS) -o $@ $(HIL_SRC)
tests: $B/hil-test

define hil_rules
$$(IMAGES)/$(1)/hil-test: $$(HIL_SRC) $$(HIL_HEADERS)
	@mkdir -p $$(@D)
	@command -v $$(HIL_CC_$(1)) >/dev/null || { echo "driver-tests: '$$(HIL_CC_$(1))' is not installed: apt-get install gcc-$(2)" >&2; exit 1; }
	@echo '  LD    $$@'
	$$(Q)$$(HIL_CC_$(1)) $$(HIL_CFLAGS) -static -s -Wl,--build-id=sha1 -o $$@ $$(HIL_SRC)
endef
$(eval $(call hil_rules,arm64,aarch64-linux-gnu))
$(eval $(call hil_rules,armhf,arm-linux-gnueabihf))

driver-tests: $(IMAGES)/arm64/hil-test $(IMAGES)/armhf/hil-test
.PHONY: driver-tests
