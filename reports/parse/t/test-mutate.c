/* SPDX-License-Identifier: MIT */
/*
 * The golden inputs of the formats that carry verdicts, damaged: a kernel line at every place, the
 * end cut off at every place, stretches told twice, bytes changed. Invariant held: a result that
 * the whole text tells is told the same way or as miss, never another way; and only a changed byte
 * may make a name that the whole text does not have. HILAB_SEED gives another run.
 */
#include "base/buf.h"
#include "base/fs.h"
#include "base/t/tap.h"
#include "base/vec.h"
#include "reports/parse/parse.h"

#include <dirent.h>
#include <stdlib.h>

#define CHANGED_ROUNDS 3000 /* bytes changed in each input */
#define TWICE_ROUNDS   500
#define SEED           1

/* Formats whose verdicts are held; those of figures have tests of their own. */
static const char *const held[] = {"tap", "ktap", "lava", "junit", "mcusdk", "ltp", NULL};

struct told {
	char *name; /* "SUITE<TAB>NAME" */
	enum status status;
};
struct tale {
	VEC(struct told) results;
	char *suite;
};

static uint64_t seed;

static size_t below(size_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return n ? (size_t)(seed >> 33) % n : 0;
}

static void on_suite(void *arg, const char *name)
{
	struct tale *t = arg;

	free(t->suite);
	t->suite = name ? mem_strdup(name) : NULL;
}

static void on_result(void *arg, const char *name, enum status s, const char *why)
{
	struct tale *t = arg;

	(void)why;
	vec_push(&t->results,
		((struct told){mem_printf("%s\t%s", t->suite ? t->suite : "", name), s}));
}

static struct tale tell(const struct parser *p, struct str text)
{
	struct tale t = {0};
	struct sink sink = {.arg = &t, .suite = on_suite, .result = on_result};

	p->parse(text, &sink, NULL);
	return t;
}

static void tale_done(struct tale *t)
{
	vec_each (&t->results, r)
		free(r->name);
	vec_done(&t->results);
	free(t->suite);
}

/* What damage may do beside losing results: make names that were not there, or that of one test
 * into that of another. */
enum may { MAY_NOTHING, MAY_INVENT, MAY_RENAME };

/* Is that name told as the whole text tells it, too? */
static bool also_right(const struct tale *whole, const struct tale *got, const char *name)
{
	vec_each (&got->results, g)
		vec_each (&whole->results, w)
			if (!strcmp(g->name, name) && !strcmp(w->name, name) &&
				g->status == w->status)
				return true;
	return false;
}

/* The first result that the whole text does not tell; NULL: none. */
static const struct told *wrong(const struct tale *whole, const struct tale *got, enum may may)
{
	vec_each (&got->results, g) {
		bool same = g->status == STATUS_MISS, known = false;

		vec_each (&whole->results, w) {
			if (strcmp(w->name, g->name))
				continue;
			known = true;
			same = same || w->status == g->status || w->status == STATUS_MISS;
		}
		if (!same && may == MAY_RENAME && known)
			same = also_right(whole, got, g->name);
		if (!same && (known || may == MAY_NOTHING))
			return g;
	}
	return NULL;
}

static unsigned faults;

static void judge(const struct parser *p, const struct tale *whole, const struct buf *text,
	enum may may, const char *what, size_t at)
{
	struct tale got = tell(p, str_make(buf_str(text), text->len));
	const struct told *w = wrong(whole, &got, may);

	if (w && faults++ < 5) {
		AUTOFREE char *how = mem_printf(
			"%s at %zu: '%s' is told as %s", what, at, w->name, status_name(w->status));

		tap_text(how, buf_str(text));
	}
	tale_done(&got);
}

static void insert_kernel(const struct parser *p, const struct tale *whole, struct str text)
{
	static const char *const lines[] = {"[   12.345678] usb 1-1: new high-speed USB device\n",
		"[   12.345678] usb 1-1: new high-speed USB device\r\n",
		"<6>[   12.345678][  T123] ok then: 1..4 not ok\n",
		"[   12.345678] one\n[   12.345679] two\n"};

	for (size_t k = 0; k < sizeof lines / sizeof *lines; k++)
		for (size_t i = 0; i <= text.n; i++) {
			AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);

			buf_add(&out, text.p, i);
			buf_puts(&out, lines[k]);
			buf_add(&out, text.p + i, text.n - i);
			judge(p, whole, &out, MAY_NOTHING, "a kernel line", i);
		}
}

static void cut_off(const struct parser *p, const struct tale *whole, struct str text)
{
	for (size_t i = 0; i <= text.n; i++) {
		AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);

		buf_add(&out, text.p, i);
		judge(p, whole, &out, MAY_NOTHING, "cut off", i);
	}
}

static void tell_twice(const struct parser *p, const struct tale *whole, struct str text)
{
	for (size_t i = 0; text.n && i < TWICE_ROUNDS; i++) {
		AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
		size_t from = below(text.n), n = 1 + below(text.n - from);

		buf_add(&out, text.p, from + n);
		buf_add(&out, text.p + from, text.n - from);
		judge(p, whole, &out, MAY_INVENT, "told twice", from);
	}
}

static void change_bytes(const struct parser *p, const struct tale *whole, struct str text)
{
	static const char likely[] = "\n\r\0\b\033 \t#-0189\\<>[]:=\"/oknXSP";

	for (size_t i = 0; text.n && i < CHANGED_ROUNDS; i++) {
		AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
		size_t at = below(text.n);

		buf_add(&out, text.p, text.n);
		out.data[at] = below(2) ? likely[below(sizeof likely - 1)] : (char)below(256);
		judge(p, whole, &out, MAY_RENAME, "a changed byte", at);
	}
}

static void damage(const struct parser *p, const char *path, const char *name)
{
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);
	struct tale whole;
	struct str s;

	if (!ok(!fs_read(path, &text, NULL), "%s is read", name))
		return;
	if (str_starts(str_of(name), "damaged") || str_starts(str_of(name), "kernel"))
		return;
	s = str_make(buf_str(&text), text.len);
	whole = tell(p, s);
	faults = 0;
	insert_kernel(p, &whole, s);
	is_int(faults, 0, "%s %s: a kernel line anywhere changes no verdict", p->d.name, name);
	faults = 0;
	cut_off(p, &whole, s);
	is_int(faults, 0, "%s %s: nor a cut", p->d.name, name);
	faults = 0;
	tell_twice(p, &whole, s);
	is_int(faults, 0, "%s %s: nor a stretch told twice", p->d.name, name);
	faults = 0;
	change_bytes(p, &whole, s);
	is_int(faults, 0, "%s %s: nor a changed byte", p->d.name, name);
	tale_done(&whole);
}

static int is_case(const struct dirent *d)
{
	return str_ends(str_of(d->d_name), ".in");
}

int main(void)
{
	const char *data = getenv("HILAB_DATA"), *again = getenv("HILAB_SEED");

	seed = again ? strtoull(again, NULL, 0) : SEED;
	printf("# HILAB_SEED=%llu\n", (unsigned long long)seed);
	for (const char *const *h = held; *h; h++) {
		const struct driver *d = driver_find(parse_drivers(), *h);
		AUTOFREE char *dir =
			mem_printf("%s/reports/parse/t/data/%s", data ? data : ".", *h);
		struct dirent **list = NULL;
		int n = scandir(dir, &list, is_case, alphasort);

		ok(d && n > 0, "%s has cases", *h);
		for (int i = 0; i < n; i++) {
			AUTOFREE char *path = fs_join(dir, list[i]->d_name);

			damage((const struct parser *)d, path, list[i]->d_name);
			free(list[i]);
		}
		free(list);
	}
	return tap_done();
}
