/* SPDX-License-Identifier: MIT */
/* Unpacking: every kind whole, in several streams, cut at every place, damaged, and as a bomb. */
#include "base/fs.h"
#include "base/t/tap.h"
#include "builds/packed.h"
#include "pack.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define DATA_BYTES 700001 /* more than a piece, no multiple of one */
#define SMALL      3000
#define BOMB_BYTES ((size_t)64 << 20)

static char *data;

/* What text unpacks to, onto out. */
static int unpack(
	enum packing how, const struct buf *packed, int64_t max, struct buf *out, struct err *e)
{
	AUTOCLOSE int in = memfd_create("in", MFD_CLOEXEC), to = memfd_create("out", MFD_CLOEXEC);
	int rc;

	if (in < 0 || to < 0 || fs_write_all(in, buf_str(packed), packed->len))
		abort();
	lseek(in, 0, SEEK_SET);
	rc = packed_unpack(how, in, to, max, NULL, NULL, e);
	lseek(to, 0, SEEK_SET);
	while (buf_read(out, to, 65536) > 0)
		;
	return rc;
}

static void whole(enum packing how)
{
	AUTOBUF packed = BUF_INIT(BUF_CAP_BYTES), out = BUF_INIT(BUF_CAP_BYTES);
	const char *name = packing_names[how];
	struct err e = {0};

	pack(how, data, DATA_BYTES, &packed);
	ok(!unpack(how, &packed, DATA_BYTES, &out, &e) && out.len == DATA_BYTES &&
			!memcmp(out.data, data, DATA_BYTES),
		"%s: the same bytes: %s", name, e.msg);
	buf_reset(&out);
	ok(!unpack(PACKING_AUTO, &packed, DATA_BYTES, &out, &e) && out.len == DATA_BYTES,
		"%s: known by its first bytes: %s", name, e.msg);
	buf_reset(&out);
	is_int(unpack(how, &packed, DATA_BYTES - 1, &out, &e), -1, "%s: over the limit", name);
	is_int(e.blame, BLAME_BUILD, "blame build: %s", e.msg);
	ok(out.len < DATA_BYTES, "no more than the limit was written");
	pack(how, data, SMALL, &packed);
	buf_reset(&out);
	err_clear(&e);
	ok(!unpack(how, &packed, 2 * DATA_BYTES, &out, &e) && out.len == DATA_BYTES + SMALL &&
			!memcmp(out.data + DATA_BYTES, data, SMALL),
		"%s: two streams are one file: %s", name, e.msg);
	buf_puts(&packed, "rubbish");
	is_int(unpack(how, &packed, 2 * DATA_BYTES, &out, &e), -1, "%s: rubbish behind: %s", name,
		e.msg);
	buf_reset(&packed);
	buf_reset(&out);
	pack(how, "", 0, &packed);
	ok(!unpack(how, &packed, 0, &out, &e) && !out.len, "%s: an empty file", name);
	buf_reset(&packed);
	is_int(unpack(how, &packed, 1, &out, &e), -1, "%s: no bytes at all: %s", name, e.msg);
}

/* Cut after every byte, and with every byte changed: never taken for the whole. */
static void broken(enum packing how)
{
	AUTOBUF packed = BUF_INIT(BUF_CAP_BYTES);
	int cut_taken = 0, other_taken = 0, blamed = 0;

	pack(how, data, SMALL, &packed);
	for (size_t i = 0; i < packed.len; i++) {
		AUTOBUF part = BUF_INIT(BUF_CAP_BYTES), out = BUF_INIT(BUF_CAP_BYTES);
		struct err e = {0};

		buf_add(&part, packed.data, i);
		cut_taken += !unpack(how, &part, SMALL, &out, &e);
		blamed += e.blame == BLAME_BUILD;
		buf_reset(&out);
		buf_reset(&part);
		buf_add(&part, packed.data, packed.len);
		part.data[i] ^= 0x10;
		if (!unpack(how, &part, SMALL, &out, NULL))
			other_taken += out.len != SMALL || memcmp(out.data, data, SMALL);
	}
	is_int(cut_taken, 0, "%s: cut at %zu places, never taken", packing_names[how], packed.len);
	is_int(blamed, (long long)packed.len, "the build is to blame each time");
	/* zstd's checksum is optional and not written by the simple call: the image's sha256 is
	 * what finds a change there */
	if (how != PACKING_ZSTD)
		is_int(other_taken, 0, "%s: changed at each place, other bytes never taken",
			packing_names[how]);
}

static void bomb(enum packing how)
{
	AUTOFREE char *zeros = mem_alloc(BOMB_BYTES);
	AUTOBUF packed = BUF_INIT(BUF_CAP_BYTES), out = BUF_INIT(BUF_CAP_BYTES);
	struct err e = {0};

	pack(how, zeros, BOMB_BYTES, &packed);
	is_int(unpack(how, &packed, 1 << 20, &out, &e), -1, "%s: %zu bytes that become 64 MiB",
		packing_names[how], packed.len);
	has_str(e.msg, "more than 1 MiB when unpacked", "are stopped");
	ok(out.len <= 1 << 20, "at the limit");
}

static int stop(void *arg, int64_t got)
{
	*(int64_t *)arg = got;
	return 1;
}

static void odd(void)
{
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES), out = BUF_INIT(BUF_CAP_BYTES);
	AUTOCLOSE int in = memfd_create("in", MFD_CLOEXEC), nowhere = -1;
	struct err e = {0};
	int64_t got = 0;

	buf_puts(&text, "plain text");
	is_int(unpack(PACKING_AUTO, &text, 100, &out, &e), -1, "plain bytes are none of them");
	has_str(e.msg, "neither gz, xz nor zstd", "and that is said");
	is_int(unpack(PACKING_GZ, &text, 100, &out, &e), -1, "nor are they gz: %s", e.msg);
	is_int(unpack(PACKING_XZ, &text, 100, &out, &e), -1, "nor xz: %s", e.msg);
	is_int(unpack(PACKING_ZSTD, &text, 100, &out, &e), -1, "nor zstd: %s", e.msg);
	buf_reset(&text);
	pack(PACKING_XZ, data, SMALL, &text);
	if (fs_write_all(in, text.data, text.len))
		abort();
	lseek(in, 0, SEEK_SET);
	is_int(packed_unpack(PACKING_XZ, in, -1, SMALL, stop, &got, &e), -1, "stopped");
	is_int(e.blame, BLAME_CANCEL, "by the caller");
	is_int(got, (long long)text.len, "who was told the bytes read");
	lseek(in, 0, SEEK_SET);
	is_int(packed_unpack(PACKING_XZ, in, nowhere, SMALL, NULL, NULL, &e), -1, "no room");
	is_int(e.blame, BLAME_INFRA, "blame infra: %s", e.msg);
}

int main(void)
{
	unsigned x = 1;

	data = mem_alloc(DATA_BYTES);
	for (size_t i = 0; i < DATA_BYTES; i++) {
		x = x * 1103515245 + 12345;
		data[i] = (char)(x >> 16 & (i / 1000 % 2 ? 255 : 7));
	}
	for (enum packing how = PACKING_GZ; how < PACKING_COUNT; how++) {
		whole(how);
		broken(how);
		bomb(how);
	}
	odd();
	free(data);
	return tap_done();
}
