/* SPDX-License-Identifier: MIT */
/* Trees: building, copying, laying one over another, JSON and back. */
#include "io/node.h"

#include "base/t/tap.h"
#include "io/json.h"
#include "io/yaml.h"

#include <stdlib.h>

static struct arena arena;
static const struct loc nowhere;

static struct node *yaml(const char *text)
{
	return yaml_parse(&arena, "f", str_of(text), NULL);
}

static const char *text_of(const struct node *n)
{
	AUTOJSON *j = node_to_json(n);
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);

	json_write(j, 0, &out, NULL);
	return arena_strdup(&arena, buf_str(&out));
}

/* JSON to nodes and back. */
static const char *trip(const char *text)
{
	AUTOJSON *j = json_parse(str_of(text), "f", NULL);

	return text_of(node_from_json(&arena, j));
}

static void building(void)
{
	struct node *map = node_new(&arena, NODE_MAP, nowhere), *list, *kid;
	char key[16];
	int wrong = 0, i = 0;

	list = node_new(&arena, NODE_LIST, nowhere);
	for (i = 0; i < 100; i++) {
		snprintf(key, sizeof key, "%d", i);
		node_list_add(&arena, list, node_scalar(&arena, key, nowhere));
	}
	i = 0;
	node_each (list, it)
		wrong += atoi(it->text) != i++;
	is_int(i, 100, "a hundred items");
	is_int(wrong, 0, "in order");
	node_map_set(&arena, map, "a", node_scalar(&arena, "1", nowhere));
	node_map_set(&arena, map, "b", list);
	node_map_set(&arena, map, "a", node_scalar(&arena, "2", nowhere));
	is_int(map->n, 2, "a key set again");
	is_str(node_text(map, "a"), "2", "is replaced");
	is_str(map->kids[0]->key, "a", "in its place");
	ok(!node_text(map, "b") && !node_text(map, "c"), "no text");
	ok(!node_find(NULL, "a") && !node_find(list, "a"), "nothing in no mapping");
	ok(!node_scalar(&arena, NULL, nowhere)->text[0], "no text is an empty one");
	node_each (((struct node *)NULL), none)
		wrong += none != NULL;
	is_int(wrong, 0, "no children of nothing");
	kid = yaml("[yes, Yes, ON, true, 'yes', no, off, x, ~, []]");
	for (i = 0; i < 10; i++)
		is_int(node_is_true(kid->kids[i]), i < 4, "truth %d", i);
	ok(!node_is_true(NULL), "nothing is not true");
}

static void copies(void)
{
	struct arena other = {0};
	struct node *n = yaml("a: &x [1, {b: 'c'}]\nd: *x\n"), *copy = node_copy(&other, n);

	is_str(text_of(copy), text_of(n), "the same");
	ok(copy->kids[0] != copy->kids[1] && copy->kids[0]->kids != copy->kids[1]->kids,
		"nothing is shared in a copy");
	ok(copy->kids[0]->key != n->kids[0]->key, "not even a key");
	ok(copy->kids[0]->kids[1]->kids[0]->quoted, "quoted");
	is_int(copy->kids[0]->kids[1]->kids[0]->at.line, 1, "in its place");
	node_map_set(&other, copy, "new", node_scalar(&other, "x", nowhere));
	is_int(n->n, 2, "the first is unchanged");
	ok(!node_copy(&other, NULL), "a copy of nothing");
	arena_done(&other);
}

static void overlays(void)
{
	static const struct {
		const char *base, *over, *want;
	} rows[] = {{"{a: 1, b: 2}", "{b: 3, c: 4}", "{\"a\":1,\"b\":3,\"c\":4}"},
		{"{a: {x: 1, y: 2}}", "{a: {y: 3}}", "{\"a\":{\"x\":1,\"y\":3}}"},
		{"{a: {x: 1}}", "{a: 5}", "{\"a\":5}"},
		{"{a: 5}", "{a: {x: 1}}", "{\"a\":{\"x\":1}}"},
		{"{a: [1, 2]}", "{a: [3]}", "{\"a\":[3]}"}, {"{a: 1, b: 2}", "{a: ~}", "{\"b\":2}"},
		{"{a: {x: 1, y: 2}}", "{a: {x: ~}}", "{\"a\":{\"y\":2}}"},
		{"{}", "{a: {x: ~, y: 1}, b: ~, c: [~]}", "{\"a\":{\"y\":1},\"c\":[null]}"},
		{"{a: ~}", "{b: 1}", "{\"a\":null,\"b\":1}"}, {"[1]", "{a: 1}", "{\"a\":1}"},
		{"{a: 1}", "~", "null"}, {"{a: 1}", "{}", "{\"a\":1}"}};
	struct node *base, *over, *out;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *base_text, *over_text;

		base = yaml(rows[i].base);
		over = yaml(rows[i].over);
		base_text = text_of(base);
		over_text = text_of(over);
		is_str(text_of(node_overlay(&arena, base, over)), rows[i].want, "%s over %s",
			rows[i].over, rows[i].base);
		ok(!strcmp(text_of(base), base_text) && !strcmp(text_of(over), over_text),
			"both unchanged");
	}
	base = yaml("a: {x: 1}\nk: 0\n");
	over = yaml("\na: {y: 2}\n");
	out = node_overlay(&arena, base, over);
	is_int(node_find(node_find(out, "a"), "x")->at.line, 1,
		"a value of the base keeps its place");
	is_int(node_find(node_find(out, "a"), "y")->at.line, 2, "one laid over its own");
	is_int(node_find(out, "a")->key_at.line, 2, "as does its key");
	is_str(text_of(node_overlay(&arena, base, NULL)), text_of(base), "nothing over it");
	is_str(text_of(node_overlay(&arena, NULL, over)), text_of(over), "over nothing");
	ok(!node_overlay(&arena, NULL, NULL), "nothing over nothing");
}

static void json(void)
{
	static const char *const same[] = {"null", "true", "false", "0", "-5", "1.5", "3.0",
		"1e+20", "0.1", "\"x\"", "\"\"", "\"null\"", "\"true\"", "\"5\"", "\"1.10\"",
		"\"~\"", "\"yes\"", "\"007\"", "[]", "{}", "[1,[2,{\"a\":[]}]]",
		"{\"b\":1,\"a\":\"\xc3\xa4\"}", "9223372036854775807"};
	struct node *n;

	for (size_t i = 0; i < ARRAY_LEN(same); i++)
		is_str(trip(same[i]), same[i], "there and back: %s", same[i]);
	is_str(text_of(yaml(
		       "[1.10, 1.5, 007, 0x1f, +1, 1e3, -0, .5, 5., 99999999999999999999, 1_000]")),
		"[\"1.10\",1.5,\"007\",\"0x1f\",\"+1\",\"1e3\",\"-0\",\".5\",\"5.\","
		"\"99999999999999999999\",\"1_000\"]",
		"what a number would not give back stays text");
	is_str(text_of(NULL), "null", "nothing");
	n = node_new(&arena, NODE_MAP, nowhere);
	node_map_set(&arena, n, "k\xff", node_scalar(&arena, "v\xfe", nowhere));
	is_str(text_of(n), "{\"k?\":\"v?\"}", "bytes that are no UTF-8");
	n = node_from_json(&arena, NULL);
	is_int(n->type, NODE_NULL, "no JSON");
}

int main(void)
{
	building();
	copies();
	overlays();
	json();
	arena_done(&arena);
	return tap_done();
}
