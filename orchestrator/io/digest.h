/* SPDX-License-Identifier: MIT */
#ifndef IO_DIGEST_H
#define IO_DIGEST_H

/* SHA-256 by OpenSSL's libcrypto. */

#include "base/err.h"

#include <stdint.h>

#define DIGEST_HEX_BYTES 65

/* Hex digest and NUL into hex. */
int digest_sha256_file(const char *path, char hex[DIGEST_HEX_BYTES], struct err *e);
void digest_sha256(const void *data, size_t n, char hex[DIGEST_HEX_BYTES]);

#endif
