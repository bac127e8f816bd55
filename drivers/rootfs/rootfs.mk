# SPDX-License-Identifier: MIT
# make images         what the twins boot, in build/images; rebuilt when the recipe changed
# make images-update  the same with the packages that the mirror has today
#
# IMAGE_CACHE  downloaded and unpacked packages, kept: with it a rebuild needs no network
# IMAGES       where the images and the build manifests go

IMAGE_CACHE ?= build/cache
IMAGES ?= build/images
export IMAGE_CACHE IMAGES

IMAGE_RECIPE := $(sort $(wildcard drivers/rootfs/*.sh drivers/rootfs/skel/etc/* \
	drivers/rootfs/skel/etc/*/*) firmware/u-boot.sh)

# the manifest is written last, so it stands for all of its images
$(IMAGES)/am62axx-twin.yaml: drivers/rootfs/arm64.list $(IMAGE_RECIPE)
	$(Q)ARCH=arm64 CACHE=$(IMAGE_CACHE) OUT=$(IMAGES) sh drivers/rootfs/build.sh am62axx

images: $(IMAGES)/am62axx-twin.yaml

images-update:
	$(Q)rm -f $(IMAGE_CACHE)/*/packages.lock $(IMAGES)/*-twin.yaml
	$(Q)$(MAKE) --no-print-directory images

.PHONY: images images-update
