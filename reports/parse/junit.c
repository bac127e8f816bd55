/* SPDX-License-Identifier: MIT */
/*
 * JUnit XML, by libxml2 (a pull of its SAX events, no tree): testsuites, testsuite, testcase,
 * failure, error, skipped, as Jenkins, GitLab and pytest write and read them. Invariant: nothing is
 * fetched, no entity is expanded and no DTD read, whatever the document says; a case whose element
 * was not closed is a miss.
 */
#include "base/arena.h"
#include "io/lazy.h"
#include "parsers.h"
#include "shown.h"

#include <libxml/parser.h>
#include <stddef.h>

#define SONAME     "libxml2.so.2"
#define FEED_BYTES ((size_t)64 << 10)
#define DEPTH      32 /* elements within elements; libxml2's own bound is 256 */
#define WHY_BYTES  512
#define ATTRIBUTES 16 /* of one element; more are passed over */

struct calls {
	__typeof__(&xmlCreatePushParserCtxt) create;
	__typeof__(&xmlParseChunk) chunk;
	__typeof__(&xmlStopParser) stop;
	__typeof__(&xmlCtxtUseOptions) options;
	__typeof__(&xmlFreeParserCtxt) free_ctxt;
	__typeof__(&xmlFreeDoc) free_doc;
};

static const struct lazy_symbol symbols[] = {
	{"xmlCreatePushParserCtxt", offsetof(struct calls, create)},
	{"xmlParseChunk", offsetof(struct calls, chunk)},
	{"xmlStopParser", offsetof(struct calls, stop)},
	{"xmlCtxtUseOptions", offsetof(struct calls, options)},
	{"xmlFreeParserCtxt", offsetof(struct calls, free_ctxt)},
	{"xmlFreeDoc", offsetof(struct calls, free_doc)}, {0}};

static const struct calls *load(struct err *e)
{
	static struct calls calls;

	return calls.create || !lazy_load(SONAME, symbols, &calls, e) ? &calls : NULL;
}

struct reading {
	const struct calls *calls;
	const struct sink *sink;
	xmlParserCtxt *ctxt;
	struct shown names; /* of the case in hand */
	const char *suite, *name, *why;
	struct arena suites;
	enum status status;
	unsigned depth, case_depth, why_depth;
	size_t cases;
	bool too_deep, too_many, seen, in_why, ended;
	bool broken;                  /* not XML to its end: then none of it is believed */
	const char *outer[DEPTH + 2]; /* the suite around each open element */
	int64_t want[DEPTH + 2];      /* cases that it says it has; 0: not told */
	size_t before[DEPTH + 2];     /* cases when it began */
	const char *damage;           /* of the case in hand; NULL: none */
	struct buf text;
};

static const char *attribute(const char *const *attributes, const char *name)
{
	for (; attributes && attributes[0]; attributes += 2)
		if (!strcmp(attributes[0], name))
			return attributes[1] ? attributes[1] : "";
	return NULL;
}

static const char *shown(struct reading *r, const char *text)
{
	return shown_name(&r->names, str_of(text));
}

static void start_case(struct reading *r, const char *const *attributes)
{
	const char *name = attribute(attributes, "name"),
		   *class = attribute(attributes, "classname");

	arena_done(&r->names.arena);
	name = name ? shown(r, name) : "";
	class = class ? shown(r, class) : "";
	if (*class && r->suite && !strcmp(class, r->suite))
		class = "";
	r->name = *class ? arena_printf(&r->names.arena, "%s.%s", class, name) : name;
	r->status = STATUS_PASS;
	r->why = NULL;
	r->damage = r->broken ? "its document is cut off or damaged" : NULL;
	r->case_depth = r->depth;
	for (; attributes[0]; attributes += 2) {
		if (strncmp(attributes[0], "st", 2) && str_distance(attributes[0], "status") > 2)
			continue;
		if (!strcmp(attributes[0], "status") && !strcmp(attributes[1], "notrun"))
			r->status = STATUS_SKIP;
		else if (strcmp(attributes[0], "status") || strcmp(attributes[1], "run"))
			r->damage = "its status is not known";
	}
}

static void start_outcome(struct reading *r, enum status status, const char *const *attributes)
{
	const char *message = attribute(attributes, "message"),
		   *type = attribute(attributes, "type");

	if (status == STATUS_ERROR && type && !strcmp(type, "miss"))
		status = STATUS_MISS;
	if (r->status == STATUS_FAIL || (r->status == STATUS_ERROR && status != STATUS_FAIL))
		return;
	r->status = status;
	r->why = message && *message ? shown(r, message) : type && *type ? shown(r, type) : NULL;
	r->in_why = !r->why;
	r->why_depth = r->depth;
	buf_reset(&r->text);
}

/* Elements of a case that change nothing in its status. */
static bool is_known(const char *name)
{
	static const char *const known[] = {"system-out", "system-err", "properties", "property",
		"flakyFailure", "flakyError", "rerunFailure", "rerunError", NULL};

	for (const char *const *k = known; *k; k++)
		if (!strcmp(*k, name))
			return true;
	return false;
}

static void start(struct reading *r, const char *name, const char *const *attributes)
{
	if (++r->depth > DEPTH) {
		r->too_deep = true;
		r->calls->stop(r->ctxt);
		return;
	}
	r->outer[r->depth] = r->suite;
	r->want[r->depth] = 0;
	r->before[r->depth] = r->cases;
	if (!strcmp(name, "testsuites")) {
		r->seen = true;
	} else if (!strcmp(name, "testsuite")) {
		const char *suite = attribute(attributes, "name");

		r->seen = true;
		if (attribute(attributes, "tests"))
			str_i64(str_of(attribute(attributes, "tests")), &r->want[r->depth]);
		r->suite = suite && *suite ? arena_strdup(&r->suites, shown(r, suite)) : NULL;
		sink_suite(r->sink, r->suite);
	} else if (!strcmp(name, "testcase") && !r->case_depth) {
		r->seen = true;
		start_case(r, attributes);
	} else if (r->case_depth && r->depth == r->case_depth + 1) {
		if (!strcmp(name, "failure"))
			start_outcome(r, STATUS_FAIL, attributes);
		else if (!strcmp(name, "error"))
			start_outcome(r, STATUS_ERROR, attributes);
		else if (!strcmp(name, "skipped"))
			start_outcome(r, STATUS_SKIP, attributes);
		else if (!is_known(name))
			r->damage = "an element inside it is not known";
	}
}

static void on_start(void *arg, const xmlChar *element, const xmlChar *prefix, const xmlChar *uri,
	int n_spaces, const xmlChar **spaces, int n, int n_defaults, const xmlChar **given)
{
	struct reading *r = arg;
	const char *name = (const char *)element;
	const char *attributes[2 * ATTRIBUTES + 1];
	struct arena a = {0};

	(void)prefix;
	(void)uri;
	(void)n_spaces;
	(void)spaces;
	(void)n_defaults;
	n = n > ATTRIBUTES ? ATTRIBUTES : n;
	for (int i = 0; i < n; i++) {
		attributes[2 * i] =
			given[5 * i + 1] ? arena_printf(&a, "%s:%s", (const char *)given[5 * i + 1],
						   (const char *)given[5 * i])
					 : (const char *)given[5 * i];
		attributes[2 * i + 1] = arena_strndup(&a, (const char *)given[5 * i + 3],
			(size_t)(given[5 * i + 4] - given[5 * i + 3]));
	}
	attributes[2 * n] = NULL;
	start(r, name, attributes);
	arena_done(&a);
}

static void end_case(struct reading *r)
{
	AUTOFREE char *unnamed = mem_printf("case %zu", ++r->cases);

	sink_result(r->sink, *r->name ? r->name : unnamed, r->damage ? STATUS_MISS : r->status,
		r->damage ? r->damage : r->why);
	r->case_depth = 0;
	r->in_why = false;
}

static void on_end(void *arg, const xmlChar *element, const xmlChar *prefix, const xmlChar *uri)
{
	struct reading *r = arg;

	(void)prefix;
	(void)uri;
	if (r->in_why && r->depth == r->why_depth) {
		struct str line, rest = str_make(buf_str(&r->text), r->text.len);

		rest = str_trim(rest);
		if (str_line(&rest, &line) && line.n)
			r->why = shown_name(&r->names, line);
		r->in_why = false;
	}
	if (r->case_depth && r->depth == r->case_depth)
		end_case(r);
	if (!r->depth)
		return;
	if (!strcmp((const char *)element, "testsuite")) {
		int64_t lost = r->want[r->depth] - (int64_t)(r->cases - r->before[r->depth]);

		if (r->want[r->depth] && lost < 0)
			r->too_many = true;
		if (lost > 0)
			sink_result(
				r->sink, "cases", STATUS_MISS, "the suite has fewer than it says");
		r->suite = r->outer[r->depth];
		sink_suite(r->sink, r->suite);
	}
	r->ended = --r->depth == 0 && r->seen;
	if (r->ended)
		r->calls->stop(r->ctxt);
}

static void on_text(void *arg, const xmlChar *text, int n)
{
	struct reading *r = arg;

	if (r->case_depth && r->depth == r->case_depth && n > 0 &&
		str_trim(str_make((const char *)text, (size_t)n)).n)
		r->damage = "text stands where elements should";
	if (r->in_why && n > 0 && r->text.len < WHY_BYTES)
		buf_add(&r->text, text, (size_t)n < WHY_BYTES ? (size_t)n : WHY_BYTES);
}

/* No entity but the five of XML, which libxml2 knows by itself. */
static xmlEntity *on_entity(void *arg, const xmlChar *name)
{
	(void)arg;
	(void)name;
	return NULL;
}

static void on_error(void *arg, const char *format, ...)
{
	(void)arg;
	(void)format;
}

static void on_structured(void *arg, xmlErrorPtr error)
{
	(void)arg;
	(void)error;
}

static void feed(struct reading *r, struct str text)
{
	int failed = 0;

	for (size_t i = 0; i < text.n && !failed; i += FEED_BYTES) {
		size_t n = text.n - i < FEED_BYTES ? text.n - i : FEED_BYTES;

		failed = r->calls->chunk(r->ctxt, text.p + i, (int)n, 0);
	}
	if (!failed)
		r->calls->chunk(r->ctxt, "", 0, 1);
}

/* Where the document begins in a text that has others around it; text.n: nowhere. */
static size_t find_document(struct str text)
{
	static const char *const begins[] = {"<?xml", "<testsuites", "<testsuite", NULL};
	size_t first = text.n;

	for (const char *const *b = begins; *b; b++) {
		ptrdiff_t at = str_find(text, str_of(*b));

		if (at >= 0 && (size_t)at < first)
			first = (size_t)at;
	}
	return first;
}

static int read_document(struct str text, const struct calls *calls, bool broken,
	const struct sink *sink, bool *whole, struct err *e)
{
	struct reading r = {
		.calls = calls, .sink = sink, .broken = broken, .text = BUF_INIT(4 * WHY_BYTES)};
	xmlSAXHandler handler = {.startElementNs = on_start,
		.endElementNs = on_end,
		.characters = on_text,
		.cdataBlock = on_text,
		.getEntity = on_entity,
		.warning = on_error,
		.error = on_error,
		.fatalError = on_error,
		.serror = on_structured,
		.initialized = XML_SAX2_MAGIC};

	r.ctxt = calls->create(&handler, &r, NULL, 0, NULL);
	if (!r.ctxt)
		return err_set(e, BLAME_BUG, "no XML parser");
	calls->options(r.ctxt, XML_PARSE_NONET | XML_PARSE_NOENT);
	feed(&r, text);
	if (r.ctxt->myDoc) /* made for a DTD inside, and not freed with the rest */
		calls->free_doc(r.ctxt->myDoc);
	r.ctxt->myDoc = NULL;
	calls->free_ctxt(r.ctxt);
	if (r.case_depth) {
		r.damage = "its element was not closed";
		end_case(&r);
	}
	*whole = (r.ended && !r.too_many) || !r.seen;
	if (!*whole) {
		sink_suite(sink, NULL);
		sink_result(sink, "document", STATUS_MISS,
			r.too_deep   ? "it is nested too deeply"
			: r.too_many ? "a suite has more cases than it says"
				     : "it is cut off or damaged");
	}
	arena_done(&r.names.arena);
	arena_done(&r.suites);
	buf_done(&r.text);
	return 0;
}

static int parse(struct str text, const struct sink *sink, struct err *e)
{
	size_t from = find_document(text);
	AUTOBUF clean = BUF_INIT(BUF_CAP_BYTES);
	const struct calls *calls;
	struct shown s;
	bool whole;

	if (from == text.n)
		return 0;
	calls = load(e);
	if (!calls)
		return -1;
	shown_read(&s, str_make(text.p + from, text.n - from), NULL);
	vec_each (&s.lines, l) {
		buf_add(&clean, l->text.p, l->text.n);
		if (l->ended)
			buf_putc(&clean, '\n');
	}
	shown_done(&s);
	text = str_make(buf_str(&clean), clean.len);
	if (read_document(text, calls, false, &(struct sink){0}, &whole, e))
		return -1;
	return read_document(text, calls, !whole, sink, &whole, e);
}

static int detect(struct str text)
{
	struct str head = str_make(text.p, text.n < 4096 ? text.n : 4096);

	return str_find(head, STR_LIT("<testsuite")) >= 0 ? 95 : 0;
}

static const char *const junit_marks[] = {"<?xml", "<testsuite", "</testsuite", "<testcase",
	"</testcase", "<failure", "</failure", "<error", "</error", "<skipped", "<system-",
	"</system-", "<propert", "]]>\n", "]]></", NULL};

const struct parser junit_parser = {
	.d = {.name = "junit",
		.brief = "test results in JUnit XML",
		.proven = "golden cases, libxml2; damaged in every place"},
	.detect = detect,
	.parse = parse,
	.marks = junit_marks,
};
