/* SPDX-License-Identifier: MIT */
/* The YAML reader and writer: trees, positions, merges, limits, and what is said of bad files. */
#include "io/yaml.h"

#include "base/fs.h"
#include "base/t/tap.h"
#include "io/json.h"

#include <stdlib.h>
#include <unistd.h>

static struct arena arena;

static struct node *parse(const char *text)
{
	struct diag d = {0};
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	struct node *n = yaml_parse(&arena, "f", str_of(text), &d);

	diag_print(&d, &out);
	if (out.len)
		tap_text("diag", buf_str(&out));
	diag_done(&d);
	return n;
}

/* The tree as compact JSON; "-" when it does not parse. */
static const char *as_json(const char *text)
{
	struct node *n = parse(text);
	json_t *j = n ? node_to_json(n) : NULL;
	char *s = j ? json_dumps(j, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
	const char *kept = arena_strdup(&arena, s ? s : "-");

	free(s);
	json_decref(j);
	return kept;
}

/* All that is said of a text. */
static const char *errors(struct str text)
{
	struct diag d = {0};
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	struct node *n = yaml_parse(&arena, "f", text, &d);
	const char *kept;

	diag_print(&d, &out);
	kept = n ? "parsed" : arena_strdup(&arena, buf_str(&out));
	diag_done(&d);
	return kept;
}
#define bad(text, want) is_str(errors(STR_LIT(text)), want "\n", "refused: %s", #text)

static void trees(void)
{
	struct node *n = parse("a: 1\nb:\n  - x\n  - 'y'\n  - ~\n\"c d\": {e: null}\n");

	ok(n && n->type == NODE_MAP && n->n == 3, "a mapping of three");
	is_str(n->kids[2]->key, "c d", "a quoted key");
	is_int(n->kids[0]->at.line, 1, "line of a value");
	is_int(n->kids[0]->at.col, 4, "column of a value");
	is_str(n->kids[0]->at.file, "f", "file of a value");
	is_int(node_find(n, "b")->kids[1]->at.line, 4, "line of an item");
	is_int(node_find(n, "b")->kids[1]->at.col, 5, "column of an item");
	is_int(n->kids[2]->key_at.line, 6, "line of a key");
	is_int(n->kids[2]->key_at.col, 1, "column of a key");
	ok(!node_find(n, "b")->kids[0]->quoted, "a plain item");
	ok(node_find(n, "b")->kids[1]->quoted, "a quoted item");
	is_int(node_find(n, "b")->kids[2]->type, NODE_NULL, "a null item");
	is_int(parse("a:\n")->kids[0]->type, NODE_NULL, "nothing is null");
	is_int(parse("a: ''\n")->kids[0]->type, NODE_SCALAR, "an empty text is not null");
	is_int(parse("a: 'null'\n")->kids[0]->type, NODE_SCALAR, "a quoted null is text");
	is_str(as_json("a: |\n  x\n  y\nb: >-\n  p\n  q\n"), "{\"a\":\"x\\ny\\n\",\"b\":\"p q\"}",
		"block scalars");
	is_str(as_json("a: !!str 5\nb: !!int \"5\"\nc: !!seq [1]\nd: !!map {x: 1}\ne: ! 5\n"),
		"{\"a\":\"5\",\"b\":5,\"c\":[1],\"d\":{\"x\":1},\"e\":\"5\"}", "core tags");
	is_str(as_json("\xef\xbb\xbf"
		       "a: \xc3\xa4\n"),
		"{\"a\":\"\xc3\xa4\"}", "BOM and UTF-8");
	is_str(as_json("plain"), "\"plain\"", "a scalar alone");
	is_str(as_json("v: 1.10\nw: 1.5\nx: 007\ny: yes\nz: true\n"),
		"{\"v\":\"1.10\",\"w\":1.5,\"x\":\"007\",\"y\":\"yes\",\"z\":true}",
		"numbers that would change stay text");
	is_str(as_json("a: 1\r\nb: 2\r\n"), "{\"a\":1,\"b\":2}", "lines that end with CR LF");
}

static void merges(void)
{
	struct node *n;

	is_str(as_json("x: &x {a: 1, b: 2}\ny:\n  b: 3\n  <<: *x\n  c: 4\n"),
		"{\"x\":{\"a\":1,\"b\":2},\"y\":{\"a\":1,\"b\":3,\"c\":4}}", "own keys win");
	is_str(as_json("x: &x {a: 1}\nz: &z {a: 2, b: 2}\ny: {<<: [*x, *z]}\n"),
		"{\"x\":{\"a\":1},\"z\":{\"a\":2,\"b\":2},\"y\":{\"a\":1,\"b\":2}}",
		"the first of several wins");
	is_str(as_json("x: &x {a: 1}\ny: &y {<<: *x, b: 2}\nz: {<<: *y}\n"),
		"{\"x\":{\"a\":1},\"y\":{\"a\":1,\"b\":2},\"z\":{\"a\":1,\"b\":2}}",
		"merges of merges");
	is_str(as_json("{<<: {a: 1}}"), "{\"a\":1}", "a mapping written out");
	is_str(as_json("'<<': 1"), "{\"<<\":1}", "a quoted << is a key");
	is_str(as_json("a: &a 1\n*a : b\n"), "{\"a\":1,\"1\":\"b\"}", "an alias as a key");
	is_str(as_json("a: &a 1\nb: [&a 2, *a]\nc: *a\n"), "{\"a\":1,\"b\":[2,2],\"c\":2}",
		"an anchor given again");
	is_str(as_json("&k key: 1\nb: *k\n"), "{\"key\":1,\"b\":\"key\"}", "an anchor on a key");
	n = parse("x: &x {a: [1]}\ny: *x\n");
	ok(n->kids[0] != n->kids[1], "an alias under another key is another node");
	ok(n->kids[0]->kids == n->kids[1]->kids, "and shares what is below");
	is_str(n->kids[1]->key, "y", "it has its own key");
	is_str(n->kids[0]->key, "x", "the first keeps its own");
	n = parse("x: &x\n  a: 1\ny:\n  <<: *x\n");
	is_int(n->kids[1]->kids[0]->at.line, 2, "a merged value stands where it was written");
}

static void refusals(void)
{
	bad("a: 1\nb: 2\na: 3\n", "f:3:1: key 'a' again, first at line 1");
	bad("{a: 1, a: 2}", "f:1:8: key 'a' again, first at line 1");
	bad("a: 1\n1: 2\na: 1\n1: 2\n", "f:3:1: key 'a' again, first at line 1\n"
					"f:4:1: key '1' again, first at line 2");
	bad("[a]: 1", "f:1:1: a key must be a text");
	bad("{a: 1}: 1", "f:1:1: a key must be a text");
	bad("a: &a [1]\n*a : 2\n", "f:2:1: a key must be a text");
	bad("?\n: 1", "f:1:2: a key is missing before ':'");
	bad("a: *b", "f:1:4: unknown alias '*b'");
	bad("a: &a [*a]", "f:1:8: alias '*a' stands inside its own value");
	bad("&a a: *b\nb: &b {<<: *b}", "f:1:7: unknown alias '*b'\n"
					"f:2:8: '<<' takes a mapping or a list of mappings\n"
					"f:2:12: alias '*b' stands inside its own value");
	bad("a: !foo 1", "f:1:4: unknown tag '!foo'");
	bad("a: !!binary aGk=", "f:1:4: tag '!!binary' does not fit this value");
	bad("a: !!map x", "f:1:4: tag '!!map' does not fit this value");
	bad("<<: 1", "f:1:1: '<<' takes a mapping or a list of mappings");
	bad("<<: {a: 1}\n<<: {b: 1}", "f:2:1: '<<' again, first at line 1 (give it a list)");
	bad("a: \"x\\0y\"", "f:1:4: a NUL byte cannot stand in a text");
	bad("", "f: the file is empty");
	bad("# nothing\n", "f: the file is empty");
	bad("--- 1\n--- 2\n", "f:2:1: a second document starts here, one is expected");
}

static void syntax(void)
{
	bad("a:\n\tb: 1\n", "f:2:1: tab in the indentation (use spaces)");
	bad("a: 1\nb\nc: 2\n", "f:2:1: missing ':' after this key");
	bad("a: b: c\n", "f:1:5: ':' is not allowed here: the indentation is off, or a value that "
			 "holds ': ' needs quotes");
	bad("a: - b\n", "f:1:4: '-' is not allowed here: a list starts on a line of its own");
	bad("a: @b\n", "f:1:4: a value cannot start with '@' (put it in quotes)");
	bad("a: 'b\n", "f:1:4: the quote opened here is never closed");
	bad("a: [1, 2\nb: 3\n", "f:2:2: expected ',' or ']' of the list opened at line 1");
	bad("a: {b: 1\n", "f:2:1: expected ',' or '}' of the mapping opened at line 1");
	bad("a:\n  b: 1\n c: 2\n",
		"f:3:2: expected a key of the mapping that starts at line 1 (indentation?)");
	bad("a:\n  - 1\n  b: 2\n",
		"f:3:3: expected '-' of the list that starts at line 2 (indentation?)");
	bad("a: *\n", "f:1:4: '*' starts an alias here: a value that starts with '*' needs quotes");
	bad("a: \"\\q\"\n", "f:1:5: unknown escape in double quotes (write '\\\\' for a backslash, "
			    "or use single quotes)");
	bad("a: 1\n\xff\xfe\n", "f:2:1: not text: byte 0xff is not UTF-8");
	bad("a: \xc3", "f:1:4: not text: byte 0xc3 is not UTF-8");
	bad("ab\0c", "f:1:3: not text: control character 0x00");
	bad("\x7f"
	    "ELF\x02",
		"f:1:1: not text: control character 0x7f");
	bad("\xc3\xa4: \xed\xa0\x80", "f:1:4: not text: byte 0xed is not UTF-8");
}

static void limits(void)
{
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);
	char path[] = "/tmp/hilab-yaml-XXXXXX", want[100];
	struct diag d = {0};
	int fd;

	buf_puts(&text, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
	for (int i = 1; i < 10; i++)
		buf_printf(&text, "a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", i,
			i, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
	is_str(errors(str_make(text.data, text.len)),
		"f:6:15: more than 100000 values once the aliases are written out\n", "a bomb");
	buf_reset(&text);
	buf_puts(&text, "x: &x0 {a: 1, b: 2, c: 3}\nlist:\n");
	for (int i = 0; i < 30000; i++)
		buf_puts(&text, "- {<<: *x0}\n");
	has_str(errors(str_make(text.data, text.len)), "more than 100000 values", "a merge bomb");
	buf_reset(&text);
	buf_printf(&text, "x: &x %0500000d\nlist:\n", 0);
	for (int i = 0; i < 50; i++)
		buf_puts(&text, "- *x\n");
	is_str(errors(str_make(text.data, text.len)),
		"f:35:3: more than 16 MiB of text once the aliases are written out\n",
		"a bomb of few long texts");
	buf_reset(&text);
	for (int i = 0; i < 500000; i++)
		buf_putc(&text, '[');
	is_str(errors(str_make(text.data, text.len)), "f:1:33: nested deeper than 32 levels\n",
		"a deep list");
	buf_reset(&text);
	for (int i = 0; i < 20; i++)
		buf_printf(&text, "a%d: &a%d [[*a%d]]\n", i, i, i ? i - 1 : 99);
	has_str(errors(str_make(text.data + 18, text.len - 18)), "unknown alias '*a0'", "no a0");
	buf_reset(&text);
	buf_puts(&text, "a0: &a0 [[1]]\n");
	for (int i = 1; i < 20; i++)
		buf_printf(&text, "a%d: &a%d [[*a%d]]\n", i, i, i - 1);
	is_str(errors(str_make(text.data, text.len)), "f:16:13: nested deeper than 32 levels\n",
		"deep by aliases");
	buf_reset(&text);
	for (int i = 0; i < 100001; i++)
		buf_printf(&text, "k%x:\n", i);
	is_str(errors(str_make(text.data, text.len)), "f:100000:1: more than 100000 values\n",
		"many keys");
	buf_reset(&text);
	for (size_t i = 0; i < YAML_FILE_BYTES / 8; i++)
		buf_puts(&text, "%TAG ! x\n");
	is_str(errors(str_make(text.data, YAML_FILE_BYTES)),
		"f:17:1: more than 16 tag directives\n", "directives");
	is_str(errors(str_make(text.data, YAML_FILE_BYTES + 1)), "f: larger than 1 MiB\n",
		"too large a text");

	fd = mkstemp(path);
	ok(fd >= 0 && !ftruncate(fd, 64 << 20), "64 MiB of nothing");
	ok(!yaml_load(&arena, path, &d), "are refused");
	buf_reset(&text);
	diag_print(&d, &text);
	snprintf(want, sizeof want, "%s: larger than 1 MiB\n", path);
	is_str(buf_str(&text), want, "in one line");
	diag_done(&d);
	unlink(path);
	close(fd);
	ok(!yaml_load(&arena, path, &d), "no file");
	buf_reset(&text);
	diag_print(&d, &text);
	snprintf(want, sizeof want, "%s: No such file or directory\n", path);
	is_str(buf_str(&text), want, "says so");
	diag_done(&d);
}

static void streams(void)
{
	struct diag d = {0};
	struct node *n = yaml_parse_all(&arena, "f", str_of("a: &x 1\n---\nb: 2\n...\n"), &d);

	ok(n && n->type == NODE_LIST && n->n == 2, "two documents");
	is_str(node_text(n->kids[1], "b"), "2", "the second");
	n = yaml_parse_all(&arena, "f", str_of("a: &x 1\n---\nb: *x\n"), &d);
	ok(!n && d.total == 1, "anchors end with their document");
	n = yaml_parse_all(&arena, "f", str_of(""), NULL);
	ok(n && n->n == 0, "no document at all");
	diag_done(&d);
	ok(!yaml_parse(&arena, "f", str_of("a: ["), NULL), "no diag wanted");
}

/* The text of a tree that a text gives. */
static const char *format(const char *text)
{
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	struct err e = {0};
	struct node *n = parse(text);

	if (!n || yaml_format(n, &out, &e))
		return n ? arena_strdup(&arena, e.msg) : "-";
	return arena_strdup(&arena, buf_str(&out));
}

static const char *deep_json(int levels)
{
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	struct err e = {0};
	json_t *j;

	for (int i = 0; i < levels; i++)
		buf_putc(&text, '[');
	for (int i = 0; i < levels; i++)
		buf_putc(&text, ']');
	j = json_parse(str_make(text.data, text.len), "f", &e);
	yaml_format(node_from_json(&arena, j), &out, &e);
	json_decref(j);
	return arena_strdup(&arena, *e.msg ? e.msg : buf_str(&out));
}

static void writing(void)
{
	static const char tidy[] = "name: boot\n"
				   "steps:\n"
				   "  - run: |\n"
				   "      echo a\n"
				   "\n"
				   "        echo b\n"
				   "    timeout: 90s\n"
				   "  - - 1\n"
				   "    - \"2\"\n"
				   "  - []\n"
				   "env: {}\n"
				   "none: null\n"
				   "odd:\n"
				   "  \"a: b\": \"# c\"\n"
				   "  \"<<\": \"yes\"\n"
				   "  \"\": \" x\"\n"
				   "  -x: a#b, [c] {d}:e\n"
				   "  tail: |-\n"
				   "    p\n"
				   "    q\n"
				   "  back: \"\\u0007\\\\\\\"\"\n";
	struct node *n;
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	AUTOBUF small = BUF_INIT(4);
	struct err e = {0};

	is_str(format("name: boot\nsteps: [{run: \"echo a\\n\\n  echo b\\n\", timeout: 90s}, [1, "
		      "'2'], []]\nenv: {}\nnone: ~\nodd: {'a: b': '# c', '<<': 'yes', '': ' x', "
		      "-x: 'a#b, [c] {d}:e', tail: \"p\\nq\", back: \"\\a\\\\\\\"\"}\n"),
		tidy + 0, "block style");
	is_str(format(tidy), tidy, "which is written the same again");
	is_str(format("'x y'"), "x y\n", "a text alone");
	n = node_new(&arena, NODE_MAP, (struct loc){0});
	for (int i = 0; i < 2000; i++)
		buf_putc(&out, 'k');
	node_map_set(&arena, n, buf_str(&out), node_scalar(&arena, "v", (struct loc){0}));
	buf_reset(&out);
	is_int(yaml_format(n, &out, &e), 0, "a long key");
	is_str(node_text(parse(buf_str(&out)), n->kids[0]->key), "v", "reads back");
	has_str(deep_json(33), "write YAML: nested too deep", "33 levels");
	has_str(deep_json(32), "- - - -", "32 levels");
	ok(parse(deep_json(32)) != NULL, "which read back");
	node_map_set(&arena, n, "x", node_scalar(&arena, "\xff", (struct loc){0}));
	is_int(yaml_format(n, &small, &e), -1, "no room");
	is_str(e.msg, "write YAML: the buffer is full", "says so");
	is_str(buf_str(&small), "", "nothing is written");
	is_int(yaml_format(n, &out, &e), -1, "no UTF-8");
	is_str(e.msg, "write YAML: a text is not UTF-8", "says so");
}

int main(void)
{
	trees();
	writing();
	merges();
	refusals();
	syntax();
	limits();
	streams();
	arena_done(&arena);
	return tap_done();
}
