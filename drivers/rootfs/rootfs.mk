# SPDX-License-Identifier: MIT
# make images         what the twins boot, in build/images; rebuilt when the recipe changed
# make images-ARCH    the same for one architecture
# make images-update  the same with the packages that the mirror has today
#
# IMAGE_ARCHES  what `make images` builds (all: arm64 armhf r5f)
# IMAGE_CACHE   downloaded and unpacked packages, kept: with it a rebuild needs no network
# IMAGES        where the images and the build manifests go

IMAGE_ARCHES ?= arm64 armhf r5f
IMAGE_CACHE ?= build/cache
IMAGES ?= build/images
export IMAGE_CACHE IMAGES

IMAGE_RECIPE := $(sort $(wildcard drivers/rootfs/*.sh drivers/rootfs/skel/etc/* \
	drivers/rootfs/skel/etc/*/*) firmware/u-boot.sh firmware/u-boot.config)

# the SoCs whose twins boot an architecture's images; the manifest of the first is written last, so
# it stands for all of its images
IMAGE_SOC_arm64 := am62axx
IMAGE_SOC_armhf := am335x
IMAGE_MORE_armhf := adsp-sc5xx

define image_rules
images-$(1): $$(IMAGES)/$$(IMAGE_SOC_$(1))-twin.yaml
$$(IMAGES)/$$(IMAGE_SOC_$(1))-twin.yaml: drivers/rootfs/$(1).list $$(IMAGE_RECIPE)
	$$(Q)ARCH=$(1) CACHE=$$(IMAGE_CACHE) OUT=$$(IMAGES) sh drivers/rootfs/build.sh $$(IMAGE_MORE_$(1)) $$(IMAGE_SOC_$(1))
.PHONY: images-$(1)
endef
$(foreach arch,arm64 armhf,$(eval $(call image_rules,$(arch))))

images: $(IMAGE_ARCHES:%=images-%)

images-update:
	$(Q)rm -f $(IMAGE_CACHE)/*/packages.lock $(IMAGES)/*-twin.yaml
	$(Q)$(MAKE) --no-print-directory images

.PHONY: images images-update
