/* SPDX-License-Identifier: MIT */
/* Rows against mappings: what is filled, what is said of mistakes, what people are shown. */
#include "io/schema.h"

#include "base/t/tap.h"
#include "io/driver.h"
#include "io/yaml.h"

#include <stdlib.h>

enum level { LOW, MIDDLE, HIGH };
static const char *const levels[] = {"low", "middle", "high", NULL};

struct inner {
	int64_t tries;
	const char *host;
};
struct conf {
	const char *port, *file, *prompt, *mode;
	int level;
	int64_t baud, timeout_ms, size_bytes;
	double ratio;
	bool echo;
	struct param_strings tags;
	const struct node *env, *steps, *any;
	struct inner net;
};

static const struct param inner_rows[] = {
	{"tries", PARAM_INT, offsetof(struct inner, tries), .preset = "3", .min = 1, .max = 9,
		.help = "attempts"},
	{"host", PARAM_STRING, offsetof(struct inner, host), .required = true, .help = "peer"},
	{0}};

#define AT(f) offsetof(struct conf, f)
static const struct param rows[] = {{"port", PARAM_STRING, AT(port), .required = true,
					    .help = "device path", .example = "/dev/ttyUSB0"},
	{"file", PARAM_PATH, AT(file), .help = "a file"},
	{"prompt", PARAM_PATTERN, AT(prompt), .preset = "=> $", .help = "what to wait for"},
	{"mode", PARAM_STRING, AT(mode), .choices = levels, .help = "a choice kept as text"},
	{"level", PARAM_CHOICE, AT(level), .preset = "middle", .choices = levels, .help = "how"},
	{"baud", PARAM_INT, AT(baud), .preset = "115200", .min = 50, .max = 4000000,
		.unit = "bit/s", .help = "speed of the line"},
	{"timeout", PARAM_DURATION, AT(timeout_ms), .preset = "90s", .help = "how long"},
	{"size", PARAM_SIZE, AT(size_bytes), .min = 512, .max = 1 << 20, .help = "how much"},
	{"ratio", PARAM_NUMBER, AT(ratio), .min = 0, .max = 1, .help = "share"},
	{"echo", PARAM_BOOL, AT(echo), .preset = "yes", .help = "whether"},
	{"tags", PARAM_STRINGS, AT(tags), .help = "words"},
	{"env", PARAM_MAP, AT(env), .help = "pairs"},
	{"steps", PARAM_LIST, AT(steps), .help = "items"},
	{"any", PARAM_ANY, AT(any), .help = "whatever"},
	{"net", PARAM_SECTION, AT(net), .rows = inner_rows, .help = "the network"}, {0}};

static struct arena arena;

/* Fills c from text; what was said, "" when nothing was. */
static const char *fill(const char *text, struct conf *c)
{
	struct diag d = {0};
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	struct node *map = yaml_parse(&arena, "dir/f", str_of(text), &d);
	const char *said;
	int rc, rc_check;

	memset(c, 0, sizeof *c);
	rc = schema_fill(&arena, rows, "serial port", map, c, &d);
	diag_print(&d, &out);
	said = arena_strdup(&arena, buf_str(&out));
	rc_check = schema_check(rows, "serial port", map, NULL);
	if (rc != rc_check || (rc != 0) != (*said != 0))
		said = "fill and check disagree";
	diag_done(&d);
	return said;
}

static void filled(void)
{
	struct conf c;

	is_str(fill("port: /dev/x\nfile: a/b\nprompt: 'x+'\nmode: high\nlevel: high\nbaud: 0x100\n"
		    "timeout: 1h30m\nsize: 64KiB\nratio: 0.5\necho: Off\ntags: [a, 'b']\n"
		    "env: {A: 1}\nsteps: [1]\nany: 5\nnet: {tries: 2, host: h}\n",
		       &c),
		"", "all keys");
	is_str(c.port, "/dev/x", "text");
	is_str(c.file, "dir/a/b", "a path beside its file");
	is_str(c.prompt, "x+", "a pattern");
	is_str(c.mode, "high", "a choice kept as text");
	is_int(c.level, HIGH, "a choice");
	is_int(c.baud, 256, "hex");
	is_int(c.timeout_ms, 5400000, "a duration");
	is_int(c.size_bytes, 65536, "a size");
	ok(c.ratio == 0.5, "a number");
	ok(!c.echo, "a bool");
	is_int(c.tags.n, 2, "a list of texts");
	is_str(c.tags.p[1], "b", "and its items");
	is_str(node_text(c.env, "A"), "1", "a mapping");
	is_int(c.steps->n, 1, "a list");
	is_str(c.any->text, "5", "any");
	is_int(c.net.tries, 2, "a section");
	is_str(c.net.host, "h", "and its text");

	is_str(fill("port: x\ntags: one\nbaud: \"9600\"\nany: ~\ntimeout: ~\nfile: /abs\n", &c), "",
		"few keys");
	is_str(c.prompt, "=> $", "a preset pattern");
	is_int(c.level, MIDDLE, "a preset choice");
	is_int(c.timeout_ms, 90000, "null means the preset");
	ok(c.echo, "a preset bool");
	is_int(c.baud, 9600, "a quoted number is one");
	is_int(c.tags.n, 1, "one text is a list of one");
	is_str(c.tags.p[0], "one", "of that text");
	is_str(c.file, "/abs", "an absolute path");
	ok(!c.mode && !c.env && !c.steps, "absent ones are NULL");
	is_int(c.any->type, NODE_NULL, "a null that is any value");
	is_int(c.net.tries, 3, "presets of an absent section");
	ok(!c.net.host, "of which nothing is required");
}

static void mistakes(void)
{
	struct conf c;

	is_str(fill("port: x\nbuad: 1\nxyzzy: 1\nnet: {host: h, tires: 1}\n", &c),
		"dir/f:2:1: unknown key 'buad' in serial port (did you mean 'baud'?)\n"
		"dir/f:3:1: unknown key 'xyzzy' in serial port\n"
		"dir/f:4:16: unknown key 'tires' in 'net' of serial port (did you mean 'tries'?)\n",
		"unknown keys");
	is_str(fill("baud: fast\nlevel: hihg\nmode: 5\nsize: 1\nratio: 2\necho: maybe\n", &c),
		"dir/f:1:1: missing key 'port' in serial port\n"
		"dir/f:1:7: 'baud' must be an integer 50..4000000, not 'fast'\n"
		"dir/f:2:8: 'level' must be one of low, middle, high, not 'hihg' (did you mean "
		"'high'?)\n"
		"dir/f:3:7: 'mode' must be one of low, middle, high, not '5'\n"
		"dir/f:4:7: 'size' must be a size 512 bytes..1 MiB, not '1'\n"
		"dir/f:5:8: 'ratio' must be a number 0..1, not '2'\n"
		"dir/f:6:7: 'echo' must be true or false, not 'maybe'\n",
		"wrong values");
	is_str(fill("port:\ntimeout: 90\nprompt: '('\ntags: [a, [b]]\nenv: 1\nsteps: {}\nnet: 5\n",
		       &c),
		"dir/f:1:1: key 'port' in serial port has no value\n"
		"dir/f:2:10: 'timeout' needs a unit, like '90s'\n"
		"dir/f:3:9: 'prompt': pattern '(': missing closing parenthesis at character 2\n"
		"dir/f:4:11: item 2 of 'tags' must be text, not a list\n"
		"dir/f:5:6: 'env' must be a mapping, not '1'\n"
		"dir/f:6:8: 'steps' must be a list, not a mapping\n"
		"dir/f:7:6: 'net' of serial port must be a mapping, not a text\n",
		"wrong kinds");
	is_str(fill("port: [a]\ntimeout: soon\nbaud: 10\nnet: {}\nfile: ''\n", &c),
		"dir/f:1:7: 'port' must be text, not a list\n"
		"dir/f:2:10: 'timeout' must be a duration like '90s', not 'soon'\n"
		"dir/f:3:7: 'baud' must be an integer 50..4000000, not '10'\n"
		"dir/f:4:6: missing key 'host' in 'net' of serial port\n"
		"dir/f:5:7: 'file' must be a file name, not ''\n",
		"more of them");
	is_str(fill("[1]", &c), "dir/f:1:1: serial port must be a mapping, not a list\n",
		"no mapping");
	is_int(schema_fill(&arena, rows, "x", NULL, &c, NULL), -1, "required though all is absent");
	is_int(schema_fill(&arena, rows + 1, "x", NULL, &c, NULL), 0, "all presets");
	is_int(c.baud, 115200, "which are filled");
	is_int(schema_fill(&arena, NULL, "x", NULL, &c, NULL), 0, "no rows take nothing");
}

static void shown(void)
{
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	struct str rest, line;
	json_t *j = schema_json(rows);
	char text[100];
	size_t widest = 0;

	is_str(schema_type_text(&rows[5], text, sizeof text), "integer 50..4000000", "an integer");
	is_str(schema_type_text(&rows[6], text, sizeof text), "duration", "a duration");
	is_str(schema_type_text(&rows[4], text, sizeof text), "one of low, middle, high",
		"choices");
	is_str(schema_type_text(&rows[4], text, 8), "one of ", "cut");
	schema_help(rows, "  ", &out);
	rest = str_make(buf_str(&out), out.len);
	while (str_line(&rest, &line))
		widest = line.n > widest ? line.n : widest;
	ok(widest <= 100 && widest > 40, "a table of %zu columns", widest);
	has_str(buf_str(&out),
		"  port     text                      device path (required) (example: "
		"/dev/ttyUSB0)\n",
		"a required row");
	has_str(buf_str(&out), "speed of the line, in bit/s (default 115200)\n", "a preset row");
	has_str(buf_str(&out), "\n    host   text          peer (required)\n",
		"a row of a section");
	is_int(json_array_size(j), 15, "as JSON");
	is_str(json_string_value(json_object_get(json_array_get(j, 5), "default")), "115200",
		"its preset");
	is_int(json_array_size(json_object_get(json_array_get(j, 14), "rows")), 2, "its section");
	json_decref(j);
	is_str(schema_nearest(rows, "tiemout"), "timeout", "the nearest key");
	ok(!schema_nearest(rows, "qqqqqq"), "none is near");
}

static void drivers(void)
{
	static const struct driver a = {"numato", "x"}, b = {"serial-relay", "y"};
	static const struct driver *const table[] = {&a, &b, NULL};
	struct err e = {0};

	ok(driver_find(table, "numato") == &a, "a driver by name");
	ok(!driver_find(table, "none"), "none by that name");
	ok(driver_get(table, "power driver", "serial-relay", &e) == &b, "got");
	ok(!driver_get(table, "power driver", "serial-rely", &e), "not got");
	is_str(e.msg, "unknown power driver 'serial-rely' (did you mean 'serial-relay'?)", "near");
	ok(!driver_get(table, "power driver", "ipmi", &e), "not got");
	is_str(e.msg, "unknown power driver 'ipmi' (known: numato, serial-relay)", "far");
	is_int(e.blame, BLAME_CONFIG, "blame");
}

int main(void)
{
	filled();
	mistakes();
	shown();
	drivers();
	arena_done(&arena);
	return tap_done();
}
