/* SPDX-License-Identifier: MIT */
/* Digests by libcrypto. Invariant: a file is read in pieces, however large it is. */
#include "io/digest.h"

#include "base/mem.h"
#include "io/lazy.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <unistd.h>

#define PIECE_BYTES ((size_t)256 << 10)
#define TEXT(n)     TEXT_OF(n)
#define TEXT_OF(n)  #n
#define SONAME      "libcrypto.so." TEXT(OPENSSL_SHLIB_VERSION)

/* What is called of libcrypto, which is loaded by the first digest. */
struct crypto_calls {
	typeof(EVP_MD_CTX_new) *MD_CTX_new;
	typeof(EVP_MD_CTX_free) *MD_CTX_free;
	typeof(EVP_DigestInit_ex) *DigestInit_ex;
	typeof(EVP_DigestUpdate) *DigestUpdate;
	typeof(EVP_DigestFinal_ex) *DigestFinal_ex;
	typeof(EVP_Digest) *Digest;
	typeof(EVP_sha256) *sha256;
	typeof(OpenSSL_version) *version;
};

#define CALL(name)                                                                                 \
	{                                                                                          \
		"EVP_" #name, offsetof(struct crypto_calls, name)                                  \
	}
static const struct lazy_symbol symbols[] = {CALL(MD_CTX_new), CALL(MD_CTX_free),
	CALL(DigestInit_ex), CALL(DigestUpdate), CALL(DigestFinal_ex), CALL(Digest), CALL(sha256),
	{"OpenSSL_version", offsetof(struct crypto_calls, version)}, {0}};

/* NULL with e. */
static const struct crypto_calls *load(struct err *e)
{
	static struct crypto_calls calls;

	return calls.version || !lazy_load(SONAME, symbols, &calls, e) ? &calls : NULL;
}

static void to_hex(const unsigned char *bytes, unsigned n, char hex[DIGEST_HEX_BYTES])
{
	for (unsigned i = 0; i < n && 2 * i + 2 < DIGEST_HEX_BYTES; i++)
		snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
}

static int sum(
	const struct crypto_calls *lib, int fd, EVP_MD_CTX *c, unsigned char *bytes, unsigned *n)
{
	AUTOFREE unsigned char *piece = mem_alloc(PIECE_BYTES);
	ssize_t got;

	errno = ENOSYS;
	if (!c || !lib->DigestInit_ex(c, lib->sha256(), NULL))
		return -1;
	while ((got = read(fd, piece, PIECE_BYTES)))
		if (got > 0 ? !lib->DigestUpdate(c, piece, (size_t)got) : errno != EINTR)
			return -1;
	return lib->DigestFinal_ex(c, bytes, n) ? 0 : -1;
}

int digest_sha256_file(const char *path, char hex[DIGEST_HEX_BYTES], struct err *e)
{
	AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	const struct crypto_calls *lib;
	unsigned char bytes[EVP_MAX_MD_SIZE];
	EVP_MD_CTX *c;
	unsigned n;
	int rc;

	if (fd < 0)
		return err_sys(e, BLAME_CONFIG, errno, "read '%s'", path);
	if (!(lib = load(e)))
		return err_wrap(e, "digest of '%s'", path);
	c = lib->MD_CTX_new();
	rc = sum(lib, fd, c, bytes, &n);
	lib->MD_CTX_free(c);
	if (rc)
		return err_sys(e, BLAME_INFRA, errno, "read '%s'", path);
	to_hex(bytes, n, hex);
	return 0;
}

void digest_sha256(const void *data, size_t n, char hex[DIGEST_HEX_BYTES])
{
	const struct crypto_calls *lib = load(NULL);
	unsigned char bytes[EVP_MAX_MD_SIZE];
	unsigned len = 0;

	hex[0] = 0;
	if (lib && lib->Digest(n ? data : "", n, bytes, &len, lib->sha256(), NULL))
		to_hex(bytes, len, hex);
}

const char *digest_version(void)
{
	const struct crypto_calls *lib = load(NULL);

	return lib ? lib->version(OPENSSL_VERSION_STRING) : NULL;
}
