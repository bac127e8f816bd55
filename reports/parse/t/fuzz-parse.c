/* SPDX-License-Identifier: MIT */
/*
 * Every parser over any bytes. The first byte picks the parser by its place in the table, 0xff all
 * of them: kept inputs begin with 0xff and stay what they are when the table grows.
 * HILAB_PARSER=NAME: that one only, of the whole input.
 */
#include "contract.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const struct driver *const *table = parse_drivers();
	const char *only = getenv("HILAB_PARSER");
	size_t count = 0;

	while (table[count])
		count++;
	if (only) {
		const struct driver *d = driver_get(table, "parser", only, NULL);

		if (!d)
			abort();
		contract_run((const struct parser *)d, str_make((const char *)data, n));
		return 0;
	}
	for (size_t i = 0; n && i < count; i++)
		if (data[0] == 0xff || data[0] % count == i)
			contract_run((const struct parser *)table[i],
				str_make((const char *)data + 1, n - 1));
	return 0;
}
