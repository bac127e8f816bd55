/* SPDX-License-Identifier: MIT */
/*
 * Throughput by size of buffer. Invariant: a figure is of bytes that reached the medium (fsync
 * counts) and came from it (caches are dropped), and that were read back as written.
 */
#include "test.h"

#include "transfer.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define ALIGN_BYTES 4096

struct pass {
	const struct transfer *t;
	unsigned char *buffer;
	size_t bs;
	const char *name;
	struct load load;
	int64_t start_ns;
};

static void figures(const struct pass *p, const char *way, int64_t bytes)
{
	double s = (double)(now_ns() - p->start_ns) / 1e9, load = load_percent(&p->load);
	char name[40];

	snprintf(name, sizeof name, "storage.%s.bw", way);
	test_metric(name, (double)bytes / s / 1e6, "MB/s", "media=%s fs=%s bs=%zu", p->t->media,
		p->t->fs, p->bs);
	if (load < 0)
		return;
	snprintf(name, sizeof name, "storage.%s.cpu_load", way);
	test_metric(name, load, "%", "media=%s fs=%s bs=%zu", p->t->media, p->t->fs, p->bs);
}

static bool went_wrong(const struct pass *p, const char *doing, int64_t at)
{
	if (errno == ENOSPC)
		test_error(p->name, "no space left on '%s' after %lld bytes",
			p->t->where ? p->t->where : p->t->path, (long long)at);
	else
		test_fail(p->name, "%s at %lld: %s", doing, (long long)at, strerror(errno));
	return false;
}

static bool write_pass(struct pass *p)
{
	bool device = !p->t->where;
	int fd = open(
		p->t->path, O_CLOEXEC | O_WRONLY | (device ? O_EXCL : O_CREAT | O_TRUNC), 0600);
	bool good = true;

	if (fd < 0)
		return went_wrong(p, "open", 0);
	load_start(&p->load);
	p->start_ns = now_ns();
	for (int64_t at = 0; good && at < p->t->bytes; at += (int64_t)p->bs) {
		sectors_stamp(p->buffer, p->bs, (uint64_t)at);
		if (!write_all(fd, p->buffer, p->bs))
			good = went_wrong(p, "write", at);
	}
	if (good && fsync(fd) < 0)
		good = went_wrong(p, "fsync", p->t->bytes);
	if (good) {
		test_pass(p->name);
		figures(p, "write", p->t->bytes);
	}
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	close(fd);
	return good;
}

static void read_pass(struct pass *p)
{
	int fd = open(p->t->path, O_RDONLY | O_CLOEXEC);
	int64_t bad = -1;

	if (fd < 0) {
		went_wrong(p, "open", 0);
		return;
	}
	sync();
	text_write("/proc/sys/vm/drop_caches", "3"); /* refused: the fadvise has to do */
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	load_start(&p->load);
	p->start_ns = now_ns();
	for (int64_t at = 0; at < p->t->bytes; at += (int64_t)p->bs) {
		if (!read_all(fd, p->buffer, p->bs)) {
			went_wrong(p, "read", at);
			close(fd);
			return;
		}
		if (bad < 0 && !sectors_check(p->buffer, p->bs, (uint64_t)at))
			bad = at;
	}
	if (test_check(bad < 0, p->name, "other bytes than written at %lld", (long long)bad))
		figures(p, "read", p->t->bytes);
	close(fd);
}

void transfer_run(const struct transfer *t, const int64_t *sizes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct transfer whole = *t;
		struct pass p = {.t = &whole, .bs = (size_t)sizes[i]};
		char name[48];
		bool written;

		if (!p.bs || posix_memalign((void **)&p.buffer, ALIGN_BYTES, p.bs)) {
			test_error("buffer", "no memory for %lld bytes", (long long)sizes[i]);
			continue;
		}
		sectors_fill(p.buffer, p.bs);
		/* whole blocks, one at least */
		whole.bytes -= whole.bytes % sizes[i];
		if (!whole.bytes)
			whole.bytes = sizes[i];
		snprintf(name, sizeof name, "write-%zu", p.bs);
		p.name = name;
		written = write_pass(&p);
		snprintf(name, sizeof name, "read-%zu", p.bs);
		if (written)
			read_pass(&p);
		else
			test_skip(name, "nothing was written to read back");
		if (t->where)
			unlink(t->path);
		free(p.buffer);
	}
}
