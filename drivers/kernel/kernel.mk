# SPDX-License-Identifier: MIT
# make twin-kernel     the twins' own kernel with every driver, from Debian's source: built once,
#                      kept in IMAGE_CACHE; build/images/am62axx-full.yaml (arm64)
# make check-drivers   the complete set of driver tests on it

# what is not built in
FULL_MODULES := uinput vcan i6300esb softdog snd_aloop bochs dummy_hcd usb_f_mass_storage usb_f_acm \
	usb_f_ecm usb_f_rndis cdc_acm cdc_ether rndis_host

$(IMAGES)/am62axx-full.yaml: drivers/kernel/build.sh drivers/kernel/full.config $(IMAGES)/am62axx-drivers.yaml
	$(Q)ARCH=arm64 CACHE=$(IMAGE_CACHE) OUT=$(IMAGES) sh drivers/kernel/build.sh am62axx
twin-kernel: $(IMAGES)/am62axx-full.yaml
check-drivers: all twin-kernel
	$(Q)rm -rf build/check-drivers
	$(Q)HILAB_DATA='$(CURDIR)' HILAB_STORE=build/check-drivers/hilab.db $B/hilab twin evm --dir build/check-drivers/twin -- \
		$B/hilab run jobs/common/driver-tests.yaml --lab build/check-drivers/twin/lab.yaml \
		--param build=am62axx-full --param modules="$(FULL_MODULES)"
.PHONY: twin-kernel check-drivers
