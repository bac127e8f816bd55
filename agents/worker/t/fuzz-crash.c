/* SPDX-License-Identifier: MIT */
/* Any console bytes past the watcher of crashes, some of them as if typed. What it tells is bounded
 * and printable, and does not depend on how the bytes were cut into reads. */
#include "agents/worker/crash.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

struct told {
	unsigned n;
	uint64_t sum;
};

static int on_crash(void *arg, const struct crash_report *r, struct err *e)
{
	struct told *t = arg;

	if (strlen(r->excerpt) > CRASH_EXCERPT_BYTES || !r->what[0] || !r->name)
		abort();
	for (const char *p = r->what; *p; p++) {
		if ((unsigned char)*p < 0x20)
			abort();
		t->sum = t->sum * 31 + (unsigned char)*p;
	}
	t->sum += r->offset + r->level;
	t->n++;
	return r->level >= CRASH_DEAD ? err_set(e, BLAME_BUILD, "%s", r->what) : 0;
}

static struct told watch(const uint8_t *data, size_t n, size_t read, size_t typed)
{
	static struct console console;
	struct told t = {0};
	struct crash c;
	struct bench b;
	struct err e = {0};

	bench_init(&b);
	console.name = "main";
	console.n_taps = 0;
	console.n_typed = typed < sizeof console.typed ? typed : sizeof console.typed;
	memcpy(console.typed, data, console.n_typed);
	if (crash_watch(&c, &b, &console, n & 1, NULL, on_crash, &t, &e))
		abort();
	for (size_t at = 0; at < n; at += read)
		console.taps[0].fn(&c,
			str_make((const char *)data + at, n - at < read ? n - at : read), at, 0);
	crash_flush(&c, &e);
	crash_flush(&c, &e);
	crash_done(&c);
	bench_done(&b);
	return t;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	size_t typed = n ? data[0] % (n / 4 + 1) : 0;
	struct told whole = watch(data, n, n + 1, typed), cut = watch(data, n, 7, typed);

	if (whole.n != cut.n || whole.sum != cut.sum)
		abort();
	return 0;
}
