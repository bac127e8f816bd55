/* SPDX-License-Identifier: MIT */
#ifndef IO_DIGEST_H
#define IO_DIGEST_H

/* SHA-256 by OpenSSL's libcrypto, which the first digest loads (BLAME_CONFIG: it is not there). */

#include "base/err.h"

#include <stddef.h>

#define DIGEST_HEX_BYTES 65

/* Hex digest and NUL into hex. */
int digest_sha256_file(const char *path, char hex[DIGEST_HEX_BYTES], struct err *e);
/* The same of bytes; an empty text where there is no libcrypto. */
void digest_sha256(const void *data, size_t n, char hex[DIGEST_HEX_BYTES]);
/* libcrypto's; NULL: it is not there. */
const char *digest_version(void);

#endif
