/* SPDX-License-Identifier: MIT */
/* fio's parser: any bytes, no crash, every figure finite, every text NUL-terminated. */
#include "fuzz-parser.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	return fuzz_parser("fio", data, n);
}
