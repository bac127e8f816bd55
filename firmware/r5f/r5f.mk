# SPDX-License-Identifier: MIT
# make images-r5f   ROM, firmware and build manifests of the twins with real-time cores (seconds)

R5F_SOURCES := $(sort $(wildcard firmware/r5f/*.[chS] firmware/r5f/*.ld firmware/r5f/*.sh)) \
	drivers/tests/hil.h

images-r5f: $(IMAGES)/am275x-twin.yaml $(IMAGES)/j721e-twin.yaml
$(IMAGES)/r5f/rom.version: $(R5F_SOURCES)
	$(Q)sh firmware/r5f/build.sh $(IMAGES)/r5f
$(IMAGES)/am275x-twin.yaml: $(IMAGES)/r5f/rom.version
	$(Q)sh firmware/r5f/manifest.sh $(IMAGES) am275x
# its other side runs the Linux of the 64-bit twins
$(IMAGES)/j721e-twin.yaml: $(IMAGES)/r5f/rom.version $(IMAGES)/am62axx-twin.yaml
	$(Q)sh firmware/r5f/manifest.sh $(IMAGES) j721e $(IMAGES)/am62axx-twin.yaml
.PHONY: images-r5f
