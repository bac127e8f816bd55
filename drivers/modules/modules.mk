# SPDX-License-Identifier: MIT
# make driver-builds   builds of drivers for the twins: kernel modules, driver tests, and manifests
#                      SOC-drivers.yaml over them, beside what `make images` makes

MODULES_RECIPE := $(wildcard drivers/modules/*.sh drivers/modules/*.list)
DRIVER_ARCHES ?= $(filter-out r5f,$(IMAGE_ARCHES))

define module_rules
driver-builds-$(1): $$(IMAGES)/$$(IMAGE_SOC_$(1))-drivers.yaml
$$(IMAGES)/$$(IMAGE_SOC_$(1))-drivers.yaml: $$(MODULES_RECIPE) \
	$$(IMAGES)/$$(IMAGE_SOC_$(1))-twin.yaml $$(IMAGES)/$(1)/hil-test
	$$(Q)ARCH=$(1) CACHE=$$(IMAGE_CACHE) OUT=$$(IMAGES) sh drivers/modules/build.sh $$(IMAGE_MORE_$(1)) $$(IMAGE_SOC_$(1))
.PHONY: driver-builds-$(1)
endef
$(foreach arch,arm64 armhf,$(eval $(call module_rules,$(arch))))

driver-builds: $(DRIVER_ARCHES:%=driver-builds-%)
.PHONY: driver-builds
