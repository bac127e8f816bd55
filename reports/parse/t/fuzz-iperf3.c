/* SPDX-License-Identifier: MIT */
/* iperf3's parser: any bytes, no crash, every figure finite, every text NUL-terminated. */
#include "fuzz-parser.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	return fuzz_parser("iperf3", data, n);
}
