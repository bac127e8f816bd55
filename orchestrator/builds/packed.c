/* SPDX-License-Identifier: MIT */
/*
 * Unpacks compressed files piece by piece. Invariant: no more than max_bytes are ever written, and
 * success means that every stream of the file ended as its format says, with nothing behind it.
 */
#include "builds/packed.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/str.h"

#include <errno.h>
#include <lzma.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define IN_BYTES        ((size_t)64 << 10)
#define OUT_BYTES       ((size_t)256 << 10)
#define ZSTD_WINDOW_LOG 27 /* 128 MiB, within PACKED_MEMORY_BYTES */

const char *const packing_names[PACKING_COUNT + 1] = {"none", "auto", "gz", "xz", "zstd", NULL};

/* Bytes on their way: from is what the next turn of a decoder reads, to what it fills. */
struct flow {
	enum packing how;
	const unsigned char *from;
	size_t from_n;
	unsigned char *to;
	size_t to_n; /* room in, bytes made out */
	bool open;   /* the decoder in u */
	bool last;   /* nothing comes after from */
	bool whole;  /* set by the decoder: a stream has just ended */
	const char *wrong;
	union {
		z_stream gz;
		lzma_stream xz;
		ZSTD_DStream *zstd;
	} u;
};

static int open_decoder(struct flow *f)
{
	switch (f->how) {
	case PACKING_GZ:
		return inflateInit2(&f->u.gz, 16 + MAX_WBITS) == Z_OK ? 0 : -1;
	case PACKING_XZ:
		return lzma_stream_decoder(&f->u.xz, PACKED_MEMORY_BYTES, LZMA_CONCATENATED) ==
				       LZMA_OK
			       ? 0
			       : -1;
	default:
		f->u.zstd = ZSTD_createDStream();
		return !f->u.zstd || ZSTD_isError(ZSTD_DCtx_setParameter(
					     f->u.zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG))
			       ? -1
			       : 0;
	}
}

static void close_decoder(struct flow *f)
{
	if (f->how == PACKING_GZ)
		inflateEnd(&f->u.gz);
	else if (f->how == PACKING_XZ)
		lzma_end(&f->u.xz);
	else
		ZSTD_freeDStream(f->u.zstd);
}

static int turn_gz(struct flow *f)
{
	z_stream *z = &f->u.gz;
	size_t room = f->to_n;
	int rc;

	if (f->whole && f->from_n && inflateReset(z) != Z_OK)
		return -1;
	f->whole = f->whole && !f->from_n;
	if (f->whole) {
		f->to_n = 0;
		return 0;
	}
	z->next_in = (unsigned char *)f->from;
	z->avail_in = (unsigned)f->from_n;
	z->next_out = f->to;
	z->avail_out = (unsigned)room;
	rc = inflate(z, Z_NO_FLUSH);
	f->from = z->next_in;
	f->from_n = z->avail_in;
	f->to_n = room - z->avail_out;
	f->whole = rc == Z_STREAM_END;
	f->wrong = z->msg;
	return rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR ? 0 : -1;
}

static int turn_xz(struct flow *f)
{
	lzma_stream *x = &f->u.xz;
	size_t room = f->to_n;
	lzma_ret rc;

	x->next_in = f->from;
	x->avail_in = f->from_n;
	x->next_out = f->to;
	x->avail_out = room;
	rc = lzma_code(x, f->last ? LZMA_FINISH : LZMA_RUN);
	f->from = x->next_in;
	f->from_n = x->avail_in;
	f->to_n = room - x->avail_out;
	f->whole = rc == LZMA_STREAM_END;
	f->wrong = rc == LZMA_MEMLIMIT_ERROR ? "it needs too much memory" : NULL;
	return rc == LZMA_OK || rc == LZMA_STREAM_END || rc == LZMA_BUF_ERROR ? 0 : -1;
}

static int turn_zstd(struct flow *f)
{
	ZSTD_inBuffer in = {f->from, f->from_n, 0};
	ZSTD_outBuffer out = {f->to, f->to_n, 0};
	size_t rc;

	/* Asking for more after an end would begin another frame. */
	if (f->whole && !f->from_n) {
		f->to_n = 0;
		return 0;
	}
	rc = ZSTD_decompressStream(f->u.zstd, &out, &in);
	f->from += in.pos;
	f->from_n -= in.pos;
	f->to_n = out.pos;
	f->whole = !rc;
	f->wrong = ZSTD_isError(rc) ? ZSTD_getErrorName(rc) : NULL;
	return ZSTD_isError(rc) ? -1 : 0;
}

static int turn(struct flow *f)
{
	return f->how == PACKING_GZ ? turn_gz(f) : f->how == PACKING_XZ ? turn_xz(f) : turn_zstd(f);
}

static enum packing by_magic(const unsigned char *p, size_t n)
{
	static const struct {
		enum packing how;
		size_t n;
		const char *bytes;
	} magics[] = {
		{PACKING_GZ, 2, "\x1f\x8b"},
		{PACKING_XZ, 6,
			"\xfd"
			"7zXZ\0"},
		{PACKING_ZSTD, 4, "\x28\xb5\x2f\xfd"},
	};

	for (size_t i = 0; i < ARRAY_LEN(magics); i++)
		if (n >= magics[i].n && !memcmp(p, magics[i].bytes, magics[i].n))
			return magics[i].how;
	return PACKING_NONE;
}

/* Fills p as far as the file goes: a decoder must know when nothing comes after. */
static ssize_t read_full(int fd, unsigned char *p, size_t n)
{
	size_t have = 0;

	while (have < n) {
		ssize_t got = read(fd, p + have, n - have);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (!got)
			break;
		have += (size_t)got;
	}
	return (ssize_t)have;
}

/* All that the bytes at hand give. *made counts over the whole file. */
static int drain(struct flow *f, unsigned char *piece, int out, int64_t max_bytes, int64_t *made,
	struct err *e)
{
	char most[32];

	do {
		f->to = piece;
		f->to_n = OUT_BYTES;
		if (turn(f))
			return err_set(e, BLAME_BUILD, "damaged %s%s%s", packing_names[f->how],
				f->wrong ? ": " : "", f->wrong ? f->wrong : "");
		if (*made + (int64_t)f->to_n > max_bytes)
			return err_set(e, BLAME_BUILD, "more than %s when unpacked",
				str_format_bytes(max_bytes, most, sizeof most));
		if (f->to_n && fs_write_all(out, piece, f->to_n))
			return err_sys(e, BLAME_INFRA, errno, "unpack");
		*made += (int64_t)f->to_n;
	} while (f->from_n || f->to_n);
	return 0;
}

/* Settles what the bytes are, at the first of them. */
static int begin(struct flow *f, struct err *e)
{
	if (f->how == PACKING_AUTO)
		f->how = by_magic(f->from, f->from_n);
	if (f->how == PACKING_NONE)
		return err_set(e, BLAME_BUILD, "its bytes are neither gz, xz nor zstd");
	if (open_decoder(f))
		return err_set(e, BLAME_BUG, "no %s decoder", packing_names[f->how]);
	f->open = true;
	return 0;
}

static int run(struct flow *f, int in, int out, int64_t max_bytes, int (*tell)(void *, int64_t),
	void *arg, struct err *e)
{
	AUTOFREE unsigned char *packed = mem_alloc(IN_BYTES), *piece = mem_alloc(OUT_BYTES);
	int64_t made = 0, read_bytes = 0;

	while (!f->last) {
		ssize_t got = read_full(in, packed, IN_BYTES);

		if (got < 0)
			return err_sys(e, BLAME_INFRA, errno, "read what is to be unpacked");
		f->last = (size_t)got < IN_BYTES;
		f->from = packed;
		f->from_n = (size_t)got;
		read_bytes += got;
		if (!f->open && begin(f, e))
			return -1;
		if (tell && tell(arg, read_bytes))
			return err_set(e, BLAME_CANCEL, "unpacking was canceled");
		if (drain(f, piece, out, max_bytes, &made, e))
			return -1;
	}
	if (!f->whole)
		return err_set(e, BLAME_BUILD, "cut off: the %s stream does not end",
			packing_names[f->how]);
	return 0;
}

int packed_unpack(enum packing how, int in, int out, int64_t max_bytes,
	int (*tell)(void *arg, int64_t read_bytes), void *arg, struct err *e)
{
	struct flow f = {.how = how};
	int rc = run(&f, in, out, max_bytes, tell, arg, e);

	if (f.open)
		close_decoder(&f);
	return rc;
}
