# hilab: a hardware-in-the-loop test lab orchestrator.
#
#   make demo        set up, then run one real job on a virtual board, with its report
#   make demo-lab    set up, then a controller, an agent and 21 virtual boards: a night, its summary
#   make night       set up, then the nightlies of all SoCs on virtual boards, with their summaries;
#                    NIGHT=jobs/am62axx/nightly.yaml: that one
#   make check       set up, then run every test (at most 12 minutes on 2 cores)
#   make             build build/release/hilab
#   make check-fast  the tests that need no virtual board
#   make check-long  the tests that count, at full counts (HILAB_FIRE runs of each class)
#   make benchmark   what hilab costs, beside LAVA where lava-dispatcher is installed
#   make fuzz-NAME   run one fuzzer for FUZZ_S seconds (60)
#   make fuzz-parsers run every parser's for as long, two side by side (PARSERS: those only)
#   make images      what the virtual boards boot: kernel, root, tools
#   make driver-builds kernel modules and driver tests for the virtual boards, as builds
#   make check-drivers all driver tests on a kernel of our own with every driver (make twin-kernel)
#   make lint        clang-tidy, cppcheck, gcc -fanalyzer
#   make format      clang-format over the tree
#   make setup       install the packages that building and testing need
#   make man         the manual pages of the commands, into build/release/man
#   make install     DESTDIR= PREFIX=/usr/local; uninstall takes it away again
#   make clean       remove build/ but for downloads and images; distclean removes all
#
# Variables: SAN=address,undefined (own folder under build/), CC, CFLAGS, V=1, PREFIX; a
# config.mk beside this file may set any of them.

-include config.mk

CC ?= cc
PREFIX ?= /usr/local
FUZZ_S ?= 60
comma := ,
MODE := $(if $(SAN),san-$(subst $(comma),-,$(SAN)),release)
B := build/$(MODE)
Q := $(if $(V),,@)

PKGS := libserialport yaml-0.1 jansson sqlite3 libpcre2-8 libzstd liblzma zlib
# Only their headers: loaded when needed, see orchestrator/io/lazy.h.
LAZY_PKGS := libcurl libcrypto libmicrohttpd libxml-2.0
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) $(LAZY_PKGS) 2>/dev/null)
PKG_LIBS := $(shell pkg-config --libs $(PKGS) 2>/dev/null)

CFLAGS ?= -O2 -g
WARN := -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes -Wpointer-arith -Wvla -Wformat=2 \
	-Wno-missing-field-initializers -Wno-format-truncation $(if $(WERROR),-Werror)
ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE -DPCRE2_CODE_UNIT_WIDTH=8 -Iorchestrator -I. \
	-DHILAB_VERSION='"$(VERSION)"' $(WARN) $(PKG_CFLAGS) $(CFLAGS) $(SAN_FLAGS)
SAN_FLAGS = $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all)
VERSION := 0.1

# A file's place says what it is: t/ holds tests, everything else is the program.
ROOMS := orchestrator agents labs jobs reports
SRC := $(shell find $(ROOMS) -name '*.c' -not -path '*/t/*' 2>/dev/null | sort) $(wildcard drivers/*.c)
LIBSRC := $(filter-out orchestrator/cli/main.c,$(SRC))
LIBOBJ := $(LIBSRC:%.c=$B/%.o)
TESTSRC := $(shell find $(ROOMS) drivers firmware -path '*/t/test-*.c' 2>/dev/null | sort)
FUZZSRC := $(shell find $(ROOMS) -path '*/t/fuzz-*.c' 2>/dev/null | sort)
TOOLSRC := $(shell find $(ROOMS) firmware -path '*/t/tool-*.c' 2>/dev/null | sort)
SHIMSRC := $(shell find $(ROOMS) -path '*/t/shim-*.c' 2>/dev/null | sort)
TESTBIN := $(TESTSRC:%.c=$B/%)
REPLAY := $(FUZZSRC:%.c=$B/%.t)
TOOLBIN := $(TOOLSRC:%.c=$B/%)
SHIMS := $(SHIMSRC:%.c=$B/%.so)
HEADERS := $(shell find $(ROOMS) -name '*.h' 2>/dev/null | sort) $(wildcard drivers/*.h)
# Shell tests; those named twin-*.t start a virtual board and stay out of check-fast.
SHTESTS := $(shell find $(ROOMS) drivers firmware -path '*/t/*.t' 2>/dev/null | sort)
TWINTESTS := $(foreach t,$(SHTESTS),$(if $(filter twin-%,$(notdir $t)),$t))
FASTTESTS := $(filter-out $(TWINTESTS),$(SHTESTS))

.PHONY: all fuzz-parsers tests benchmark check check-fast check-long check-run demo demo-lab night setup lint format headers man install install-files uninstall clean distclean help
all: $B/hilab

help:
	@sed -n '/^[^#]/q; s/^# \{0,1\}//p' Makefile

# ---- building -----------------------------------------------------------------------------

# Changing a flag or the compiler rebuilds; an unchanged tree does nothing.
$B/flags: FORCE
	@mkdir -p $B
	@echo '$(CC) $(ALL_CFLAGS) $(PKG_LIBS)' | cmp -s - $@ || echo '$(CC) $(ALL_CFLAGS) $(PKG_LIBS)' > $@
FORCE:

# Only this file knows where it will be installed.
$B/prefix: FORCE
	@mkdir -p $B
	@echo '$(PREFIX)' | cmp -s - $@ || echo '$(PREFIX)' > $@
$B/orchestrator/base/path.o: $B/prefix
$B/orchestrator/base/path.o: private FILE_CFLAGS := -DHILAB_PREFIX='"$(PREFIX)"'

$B/%.o: %.c $B/flags
	@mkdir -p $(@D)
	@echo '  CC    $<'
	$(Q)$(CC) $(ALL_CFLAGS) $(FILE_CFLAGS) -MMD -MP -c -o $@ $<

$B/libhilab.a: $(LIBOBJ)
	@echo '  AR    $@'
	@rm -f $@
	$(Q)ar rcs $@ $^

$B/hilab: $B/orchestrator/cli/main.o $B/libhilab.a
	@echo '  LD    $@'
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^ $(PKG_LIBS) -lm

$(TESTBIN) $(TOOLBIN): $B/%: $B/%.o $B/libhilab.a
	@echo '  LD    $@'
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^ $(PKG_LIBS) -lm

# A fuzzer linked with a plain main replays its corpus: a test like any other.
$(REPLAY): $B/%.t: $B/%.o $B/orchestrator/base/t/replay.o $B/libhilab.a
	@echo '  LD    $@'
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^ $(PKG_LIBS) -lm

$(SHIMS): $B/%.so: %.c $B/flags
	@mkdir -p $(@D)
	@echo '  SHIM  $@'
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE -DPCRE2_CODE_UNIT_WIDTH=8 -O1 -g -fPIC -shared -o $@ $< -ldl

FUZZERS := $(notdir $(FUZZSRC:%.c=%))
FUZZBINS := $(FUZZSRC:%.c=build/fuzz/%)
FUZZ_CFLAGS = $(filter-out -fsanitize% -Wno-format-truncation,$(ALL_CFLAGS)) -O1
build/fuzz/%.o: %.c
	@mkdir -p $(@D)
	@echo '  FUZZ  $<'
	$(Q)clang $(FUZZ_CFLAGS) -fsanitize=fuzzer-no-link,address,undefined $(FILE_CFLAGS) -MMD -MP -c -o $@ $<
build/fuzz/libhilab.a: $(LIBSRC:%.c=build/fuzz/%.o)
	@rm -f $@
	$(Q)ar rcs $@ $^
$(FUZZBINS): build/fuzz/%: build/fuzz/%.o build/fuzz/libhilab.a
	$(Q)clang -fsanitize=fuzzer,address,undefined -o $@ $^ $(PKG_LIBS) -lm
$(FUZZERS): fuzz-%: FORCE
	$(Q)src=$$(printf '%s\n' $(FUZZSRC) | grep '/$@\.c$$') && $(MAKE) --no-print-directory build/fuzz/$${src%.c} && \
		mkdir -p build/fuzz/corpus/$@ && build/fuzz/$${src%.c} -max_total_time=$(FUZZ_S) -artifact_prefix=build/fuzz/ -timeout=10 build/fuzz/corpus/$@ $$(dirname $$src)/corpus/$*

fuzz-parsers: build/fuzz/reports/parse/t/fuzz-parse
	@sh reports/parse/t/fuzz-parsers.sh $< $(FUZZ_S) build/fuzz/parsers $(PARSERS)

include drivers/rootfs/rootfs.mk drivers/tests/tests.mk drivers/modules/modules.mk drivers/kernel/kernel.mk
-include $(wildcard firmware/*/*.mk)

# ---- testing ------------------------------------------------------------------------------

tests: $B/hilab $(TESTBIN) $(REPLAY) $(TOOLBIN) $(SHIMS)

PROVE := HILAB='$(CURDIR)/$B/hilab' HILAB_BUILD='$(CURDIR)/$B' HILAB_DATA='$(CURDIR)' prove -j2 --timer --exec 'sh .ci/tap'
check-fast: tests headers
	@$(PROVE) $(TESTBIN) $(REPLAY) $(FASTTESTS)

# The property tests at the counts that take minutes; the seed is printed, HILAB_SEED repeats one.
LONGTESTS := $B/agents/worker/t/test-frames-fire
# Tests that do more of the same when HILAB_LONG is set.
LONGTWINS := labs/virtual/t/twin-faults.t $(addprefix labs/virtual/t/,kills.t cuts.t stalls.t consoles.t) $B/orchestrator/store/t/test-cut $B/reports/parse/t/test-mutate $B/reports/parse/t/test-linear
check-long: tests images
	@HILAB_FIRE=$${HILAB_FIRE:-1000000} prove --timer -v $(LONGTESTS)
	$(if $(strip $(LONGTWINS)),@HILAB_LONG=1 $(PROVE) $(LONGTWINS))

check: setup
	@$(MAKE) --no-print-directory check-run
check-run: tests headers images driver-builds
	@$(PROVE) $(TESTBIN) $(REPLAY) $(FASTTESTS) $(TWINTESTS)

# Figures, no verdict.
benchmark: tests
	@HILAB='$(CURDIR)/$B/hilab' HILAB_BUILD='$(CURDIR)/$B' HILAB_DATA='$(CURDIR)' \
		sh orchestrator/cli/t/benchmark.sh

setup:
	@sh .ci/setup

demo: setup
	@$(MAKE) --no-print-directory all images IMAGE_ARCHES=arm64
	@sh labs/virtual/demo.sh $B/hilab

demo-lab: setup
	@$(MAKE) --no-print-directory all images IMAGE_ARCHES=arm64
	@sh labs/virtual/demo-lab.sh $B/hilab

NIGHT ?= $(wildcard jobs/*/nightly.yaml)
night: setup
	@$(MAKE) --no-print-directory all images driver-builds
	@sh labs/virtual/night.sh $B/hilab $(NIGHT)

# ---- installing ---------------------------------------------------------------------------

BINDIR := $(PREFIX)/bin
DATADIR := $(PREFIX)/share/hilab
MANDIR := $(PREFIX)/share/man
BASHDIR := $(PREFIX)/share/bash-completion/completions
ZSHDIR := $(PREFIX)/share/zsh/site-functions
# Data keeps its place in the tree below DATADIR, where the installed binary looks for it.
DATA := reports/metrics.yaml $(wildcard reports/reference/*.yaml reports/replay/*.yaml reports/guides/*.yaml reports/guides/csv/*.yaml reports/layout/*.yaml reports/trend/page.*) orchestrator/api/openapi.yaml $(shell find labs/types jobs firmware drivers labs/virtual \
	-name '*.yaml' -not -path '*/t/*' | sort)
DATA += $(shell find agents reports drivers labs -path '*/doc/*.md' | sort)
PAGES := $(shell find $(ROOMS) drivers -path '*/doc/*.[57]' | sort)
# A command's page and completion are written by the command itself.
COMMANDS = $(shell $B/hilab help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p')
write-man = $B/hilab help --man > $1/hilab.1 && for c in $(COMMANDS); do \
	$B/hilab help --man $$c > $1/hilab-$$c.1 || exit; done

man: all
	@mkdir -p $B/man
	@$(call write-man,$B/man)

install: all
	@$(MAKE) --no-print-directory install-files

install-files:
	install -D -m 755 $B/hilab $(DESTDIR)$(BINDIR)/hilab
	$(Q)for f in $(DATA); do install -D -m 644 $$f $(DESTDIR)$(DATADIR)/$$f || exit; done
	$(Q)for f in $(PAGES); do install -D -m 644 $$f $(DESTDIR)$(MANDIR)/man$${f##*.}/$${f##*/} || exit; done
	$(Q)install -d $(DESTDIR)$(MANDIR)/man1 $(DESTDIR)$(BASHDIR) $(DESTDIR)$(ZSHDIR)
	$(Q)$(call write-man,$(DESTDIR)$(MANDIR)/man1)
	$(Q)$B/hilab completion bash > $(DESTDIR)$(BASHDIR)/hilab
	$(Q)$B/hilab completion zsh > $(DESTDIR)$(ZSHDIR)/_hilab

# Only what install put there; /etc and the users' folders are theirs.
uninstall:
	rm -f $(DESTDIR)$(BINDIR)/hilab $(DESTDIR)$(BASHDIR)/hilab $(DESTDIR)$(ZSHDIR)/_hilab
	rm -f $(DESTDIR)$(MANDIR)/man1/hilab.1 $(DESTDIR)$(MANDIR)/man1/hilab-*.1
	$(Q)for f in $(PAGES); do rm -f $(DESTDIR)$(MANDIR)/man$${f##*.}/$${f##*/}; done
	rm -rf $(DESTDIR)$(DATADIR)

# ---- looking after the tree ---------------------------------------------------------------

# Every header compiles alone.
headers: $(HEADERS:%=$B/%.ok)
$B/%.h.ok: %.h $B/flags
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -fsyntax-only -x c $<
	@touch $@

# Every finding fails. A file that passed is not looked at again until it, or what it includes,
# changes; cppcheck looks at all of them together.
L := build/lint
LINTED := $(SRC:%=$L/%.ok)
lint: $(LINTED)
	@echo "  CPPCHECK"
	$(Q)cppcheck --quiet --enable=warning,portability --inline-suppr --error-exitcode=1 \
		--suppress=missingIncludeSystem --library=.ci/cppcheck.cfg -D_GNU_SOURCE \
		-DHILAB_PREFIX='""' -DHILAB_VERSION='""' -Iorchestrator -I. $(SRC)
$(LINTED): $L/%.c.ok: %.c .clang-tidy
	@mkdir -p $(@D)
	@echo "  LINT  $<"
	$(Q)clang-tidy --quiet $< -- $(ALL_CFLAGS) 2>$@.said || { cat $@.said; exit 1; }
	$(Q)gcc $(ALL_CFLAGS) -fanalyzer -Werror -MMD -MP -MF $L/$<.d -MT $@ -c -o /dev/null $<
	@touch $@

format:
	clang-format -i $(SRC) $(HEADERS) $(TESTSRC) $(FUZZSRC) $(TOOLSRC)

clean:
	rm -rf build/release build/san-* build/fuzz build/lint
distclean:
	rm -rf build

-include $(shell find $B build/lint build/fuzz -name '*.d' 2>/dev/null)
