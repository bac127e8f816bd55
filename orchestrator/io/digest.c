/* SPDX-License-Identifier: MIT */
/* Digests by libcrypto. Invariant: a file is read in pieces, however large it is. */
#include "io/digest.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <unistd.h>

#define PIECE_BYTES ((size_t)256 << 10)

static void to_hex(const unsigned char *bytes, unsigned n, char hex[DIGEST_HEX_BYTES])
{
	for (unsigned i = 0; i < n && 2 * i + 2 < DIGEST_HEX_BYTES; i++)
		snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
}

static int sum(int fd, EVP_MD_CTX *c, unsigned char *bytes, unsigned *n)
{
	AUTOFREE unsigned char *piece = mem_alloc(PIECE_BYTES);
	ssize_t got;

	errno = ENOSYS;
	if (!EVP_DigestInit_ex(c, EVP_sha256(), NULL))
		return -1;
	while ((got = read(fd, piece, PIECE_BYTES)))
		if (got > 0 ? !EVP_DigestUpdate(c, piece, (size_t)got) : errno != EINTR)
			return -1;
	return EVP_DigestFinal_ex(c, bytes, n) ? 0 : -1;
}

int digest_sha256_file(const char *path, char hex[DIGEST_HEX_BYTES], struct err *e)
{
	AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	unsigned char bytes[EVP_MAX_MD_SIZE];
	EVP_MD_CTX *c;
	unsigned n;
	int rc;

	if (fd < 0)
		return err_sys(e, BLAME_CONFIG, errno, "read '%s'", path);
	c = EVP_MD_CTX_new();
	rc = c ? sum(fd, c, bytes, &n) : -1;
	EVP_MD_CTX_free(c);
	if (rc)
		return err_sys(e, BLAME_INFRA, errno, "read '%s'", path);
	to_hex(bytes, n, hex);
	return 0;
}

void digest_sha256(const void *data, size_t n, char hex[DIGEST_HEX_BYTES])
{
	unsigned char bytes[EVP_MAX_MD_SIZE];
	unsigned len = 0;

	hex[0] = 0;
	if (EVP_Digest(n ? data : "", n, bytes, &len, EVP_sha256(), NULL))
		to_hex(bytes, len, hex);
}
