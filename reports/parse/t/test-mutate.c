/* SPDX-License-Identifier: MIT */
/*
 * The golden inputs of every parser, damaged: a kernel line at every place, the end cut off at
 * every place, lines told twice, bytes changed. Invariant held: a verdict or a figure that the
 * whole text tells is told the same way or not at all (a verdict: or as miss), never another way;
 * and only a changed byte may make a name that the whole text does not have.
 *
 * Which changed bytes are judged: for verdicts any byte made any other. For figures any byte made
 * a control byte or one beyond ASCII, which is what a noisy line makes of them; and not a byte made
 * a letter, a digit, a blank or a mark: without a checksum nobody can tell one number from another,
 * and a blank or a line end in place of a number's first digit leaves a number. HILAB_SEED gives
 * another run, HILAB_LONG each kernel line at each place and more changed bytes.
 */
#include "base/buf.h"
#include "base/fs.h"
#include "base/t/tap.h"
#include "base/vec.h"
#include "reports/parse/parse.h"

#include <dirent.h>
#include <stdlib.h>

#define SEED         1
#define CHANGED_LONG 20        /* rounds over all bytes of an input */
#define SHORT_BYTES  (1 << 20) /* that are parsed for one kind of damage to one input */
#define TWICE_ROUNDS 500
#define TWICE_LINES  1 /* the longest run of lines that is told twice */
#define SHOWN        3 /* faults of a kind that are shown */
#define SHOWN_BYTES  120

struct told {
	char *name;                  /* a verdict: "SUITE<TAB>NAME"; a figure: name and labels */
	char *value;                 /* the status, NULL: miss; or the value and its unit */
	double min, max, resolution; /* of a figure; NAN: not told */
};
struct tale {
	VEC(struct told) all;
	char *suite;
	size_t figures;
};

static uint64_t seed;
static bool at_length;
static size_t runs, runs_all;

static size_t below(size_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return n ? (size_t)(seed >> 33) % n : 0;
}

/* ---- what is told --------------------------------------------------------------------------- */

static void on_suite(void *arg, const char *name)
{
	struct tale *t = arg;

	free(t->suite);
	t->suite = name ? mem_strdup(name) : NULL;
}

static void on_result(void *arg, const char *name, enum status s, const char *why)
{
	struct tale *t = arg;
	char *value = s == STATUS_MISS ? NULL : mem_strdup(status_name(s));

	(void)why;
	vec_push(&t->all, ((struct told){mem_printf("%s\t%s", t->suite ? t->suite : "", name),
				  value, NAN, NAN, NAN}));
}

static void on_metric(void *arg, const struct sink_metric *m)
{
	struct tale *t = arg;
	AUTOBUF name = BUF_INIT(BUF_CAP_BYTES);

	buf_puts(&name, m->name);
	for (size_t i = 0; i < m->n; i++)
		buf_printf(&name, " %s=%s", m->labels[i].name, m->labels[i].value);
	vec_push(&t->all, ((struct told){mem_strdup(buf_str(&name)),
				  mem_printf("%.10g %s", m->value, m->unit), m->min, m->max,
				  m->resolution > 0 ? m->resolution : NAN}));
	t->figures++;
}

static struct tale tell(const struct parser *p, struct str text)
{
	struct tale t = {0};
	struct sink sink = {.arg = &t, .suite = on_suite, .result = on_result, .metric = on_metric};

	p->parse(text, &sink, NULL);
	return t;
}

static void tale_done(struct tale *t)
{
	vec_each (&t->all, r) {
		free(r->name);
		free(r->value);
	}
	vec_done(&t->all);
	free(t->suite);
}

/* ---- judging -------------------------------------------------------------------------------- */

/* What damage may do beside losing what was told: make names that were not there, or that of one
 * test into that of another. */
enum may { MAY_NOTHING, MAY_INVENT, MAY_RENAME };

/* A range or a resolution that is lost is missing, another one is wrong. */
static bool same_or_lost(double got, double whole)
{
	return isnan(got) || fabs(got - whole) <= 1e-9 * fabs(whole);
}

static bool same_value(const struct told *got, const struct told *whole)
{
	return got->value && whole->value && !strcmp(got->value, whole->value) &&
	       same_or_lost(got->min, whole->min) && same_or_lost(got->max, whole->max) &&
	       same_or_lost(got->resolution, whole->resolution);
}

/* Is that name told as the whole text tells it, too? */
static bool also_right(const struct tale *whole, const struct tale *got, const char *name)
{
	vec_each (&got->all, g)
		vec_each (&whole->all, w)
			if (!strcmp(g->name, name) && !strcmp(w->name, name) && same_value(g, w))
				return true;
	return false;
}

/* The first that the whole text does not tell so; NULL: none. */
static const struct told *wrong(const struct tale *whole, const struct tale *got, enum may may)
{
	vec_each (&got->all, g) {
		bool same = !g->value, known = false;

		vec_each (&whole->all, w) {
			if (strcmp(w->name, g->name))
				continue;
			known = true;
			same = same || !w->value || same_value(g, w);
		}
		if (!same && may == MAY_RENAME && known)
			same = also_right(whole, got, g->name);
		if (!same && (known || may == MAY_NOTHING))
			return g;
	}
	return NULL;
}

static unsigned faults;

/* What stands around the damage. */
static void show(const char *how, struct str text, size_t at)
{
	size_t from = at > SHOWN_BYTES ? at - SHOWN_BYTES : 0;
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);

	for (size_t i = from; i < text.n && i < at + SHOWN_BYTES; i++)
		if (text.p[i] == '\n' || (text.p[i] >= ' ' && text.p[i] < 127))
			buf_putc(&out, text.p[i]);
		else
			buf_printf(&out, "\\x%02x", (unsigned char)text.p[i]);
	tap_text(how, buf_str(&out));
}

static void judge(const struct parser *p, const struct tale *whole, const struct buf *text,
	enum may may, const char *what, size_t at)
{
	struct tale got = tell(p, str_make(buf_str(text), text->len));
	const struct told *w = wrong(whole, &got, may);

	runs++;
	if (w && faults++ < SHOWN) {
		AUTOFREE char *how =
			mem_printf("%s at %zu: '%s' is told as %s", what, at, w->name, w->value);

		show(how, str_make(buf_str(text), text->len), at);
	}
	tale_done(&got);
}

/* In steps of how many bytes a text is damaged: all of them, or as the time allows. */
static size_t step_of(struct str text)
{
	return at_length ? 1 : 1 + text.n * text.n / SHORT_BYTES;
}

/* ---- damage --------------------------------------------------------------------------------- */

static void insert_kernel(const struct parser *p, const struct tale *whole, struct str text)
{
	static const char *const lines[] = {"[   12.345678] usb 1-1: new high-speed USB device\n",
		"[   12.345678] usb 1-1: new high-speed USB device\r\n",
		"<6>[   12.345678][  T123] ok then: 1..4 not ok\n",
		"[   12.345678] one\n[   12.345679] two\n"};
	size_t n = sizeof lines / sizeof *lines, step = step_of(text);

	for (size_t i = below(step); i <= text.n; i += step)
		for (size_t k = 0; k < (at_length ? n : 1); k++) {
			AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);

			buf_add(&out, text.p, i);
			buf_puts(&out, lines[(i / step + k) % n]);
			buf_add(&out, text.p + i, text.n - i);
			judge(p, whole, &out, MAY_NOTHING, "a kernel line", i);
		}
}

/*
 * What tells its figures again and again. Cut off just before the next telling it is what it would
 * be if that were all, so those cuts are not judged; nor are lines told twice and cuts of rates
 * that are told without end, of which the mean is taken.
 */
static const struct again {
	const char *parser, *name; /* name NULL: all cases */
	const char *next;          /* what the next telling begins with; "": anywhere */
} again[] = {
	{"fio", "interim.in", "{"},
	{"fio", "many-interim.in", "{"},
	{"cyclictest", "redrawn.in", "\033"},
	{"cyclictest", "cut-off-redrawn.in", "\033"},
	{"iperf2", NULL, "["},
	{"iperf2", NULL, "2"},
	{"frames", NULL, ""},
};

static const char *case_name;

/* Is what is left, or what was told twice, as whole as the whole? */
static bool is_again(const struct parser *p, struct str rest)
{
	for (size_t i = 0; i < sizeof again / sizeof *again; i++)
		if (!strcmp(p->d.name, again[i].parser) &&
			(!again[i].name || !strcmp(case_name, again[i].name)) &&
			(str_starts(rest, again[i].next)))
			return true;
	return false;
}

static void cut_off(const struct parser *p, const struct tale *whole, struct str text)
{
	size_t step = step_of(text);

	for (size_t i = below(step); i <= text.n; i += step) {
		struct str rest = str_make(text.p + i, text.n - i);
		AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);

		/* The end of a line belongs to it. */
		if (rest.n && *rest.p == '\n')
			rest = str_make(rest.p + 1, rest.n - 1);
		else if (i && text.p[i - 1] != '\n' && *rest.p != '\033')
			rest = str_make("-", 1);
		if (is_again(p, rest))
			continue;
		buf_add(&out, text.p, i);
		judge(p, whole, &out, MAY_NOTHING, "cut off", i);
	}
}

/* Any stretch: for verdicts, as it makes one number of another. */
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

/* Where the line after the one at from begins. */
static size_t line_end(struct str text, size_t from)
{
	ptrdiff_t n = str_chr(str_make(text.p + from, text.n - from), '\n');

	return n < 0 ? text.n : from + (size_t)n + 1;
}

static void lines_twice(const struct parser *p, const struct tale *whole, struct str text)
{
	for (size_t from = 0; from < text.n; from = line_end(text, from))
		for (size_t k = 0, to = from; k < TWICE_LINES && to < text.n; k++) {
			AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);

			to = line_end(text, to);
			buf_add(&out, text.p, to);
			buf_add(&out, text.p + from, text.n - from);
			judge(p, whole, &out, MAY_NOTHING, "lines twice", from);
		}
}

/* As it may come in a verdict. */
static char any_byte(void)
{
	static const char likely[] = "\n\r\0\b\033 \t#-0189\\<>[]:=\"/oknXSP";

	return below(2) ? likely[below(sizeof likely - 1)] : (char)below(256);
}

/* As a noisy line makes it; neither white space nor a line's end. */
static char noise_byte(void)
{
	static const char likely[] = {0, 1, 7, '\b', 27, 127, (char)128, (char)0x9b, (char)0xa0,
		(char)0xc2, (char)0xe2, (char)0xf0, (char)0xff};
	char c;

	if (below(2))
		return likely[below(sizeof likely)];
	do
		c = (char)below(256);
	while ((c >= ' ' && c < 127) || (c >= '\t' && c <= '\r'));
	return c;
}

static void change_bytes(const struct parser *p, const struct tale *whole, struct str text)
{
	size_t rounds = at_length ? text.n * CHANGED_LONG : text.n / step_of(text);

	for (size_t i = 0; i < rounds; i++) {
		AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
		size_t at = below(text.n);

		buf_add(&out, text.p, text.n);
		out.data[at] = whole->figures ? noise_byte() : any_byte();
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
	case_name = name;
	whole = tell(p, s);
	runs = faults = 0;
	insert_kernel(p, &whole, s);
	is_int(faults, 0, "%s %s: a kernel line anywhere changes nothing told", p->d.name, name);
	faults = 0;
	cut_off(p, &whole, s);
	is_int(faults, 0, "%s %s: nor a cut", p->d.name, name);
	faults = 0;
	if (!whole.figures)
		tell_twice(p, &whole, s);
	else if (!is_again(p, str_make("", 0)))
		lines_twice(p, &whole, s);
	is_int(faults, 0, "%s %s: nor what is told twice", p->d.name, name);
	faults = 0;
	change_bytes(p, &whole, s);
	is_int(faults, 0, "%s %s: nor a changed byte", p->d.name, name);
	tale_done(&whole);
	runs_all += runs;
}

static int is_case(const struct dirent *d)
{
	return str_ends(str_of(d->d_name), ".in");
}

int main(void)
{
	const char *data = getenv("HILAB_DATA"), *again = getenv("HILAB_SEED");
	const char *only = getenv("HILAB_PARSER");

	at_length = getenv("HILAB_LONG");
	seed = again ? strtoull(again, NULL, 0) : SEED;
	printf("# HILAB_SEED=%llu%s\n", (unsigned long long)seed,
		at_length ? "" : ", reduced: HILAB_LONG=1 for the full count");
	for (const struct driver *const *d = parse_drivers(); *d; d++) {
		AUTOFREE char *dir =
			mem_printf("%s/reports/parse/t/data/%s", data ? data : ".", (*d)->name);
		struct dirent **list = NULL;
		int n;

		if (only && strcmp(only, (*d)->name))
			continue;
		n = scandir(dir, &list, is_case, alphasort);
		ok(n > 0, "%s has cases", (*d)->name);
		for (int i = 0; i < n; i++) {
			AUTOFREE char *path = fs_join(dir, list[i]->d_name);

			damage((const struct parser *)*d, path, list[i]->d_name);
			free(list[i]);
		}
		free(list);
	}
	printf("# %zu damaged texts\n", runs_all);
	return tap_done();
}
