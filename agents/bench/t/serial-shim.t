#!/bin/sh
# SPDX-License-Identifier: MIT
# The way through libserialport, over PTYs that a preloaded shim makes acceptable to it.
shim=$HILAB_BUILD/agents/bench/t/shim-pty.so
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
: > "$tmp/calls"
# The sanitizer's own library would want to be first; it need not be for what the shim does.
ASAN_OPTIONS=verify_asan_link_order=0 SHIM_LOG=$tmp/calls LD_PRELOAD=$shim \
	"$HILAB_BUILD/agents/bench/t/test-serial"
