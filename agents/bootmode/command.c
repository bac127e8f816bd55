/* SPDX-License-Identifier: MIT */
/*
 * Boot-mode pins by a program (a GPIO expander's tool, usbsdmux, a twin's control line), one
 * command a mode. Invariant: only modes that the lab file has are ever asked for.
 */
#include "bootmode.h"

#include "agents/bench/program.h"

#include <string.h>

#define WORDS_MAX 32

struct conf {
	const struct node *modes;
	int64_t timeout_ms;
};

static const struct param rows[] = {
	{"modes", PARAM_MAP, offsetof(struct conf, modes), .required = true,
		.help = "mode -> program and arguments that set the pins for it",
		.example = "{sd: [gpioset, 0, 3=1], tftp: [gpioset, 0, 3=0]}"},
	{"timeout", PARAM_DURATION, offsetof(struct conf, timeout_ms), .preset = "10s", .min = 1,
		.max = 600000, .help = "how long a program may take"},
	{0},
};

static int unknown(const struct conf *conf, const char *mode, struct err *e)
{
	AUTOBUF known = BUF_INIT(2048);

	node_each (conf->modes, kid)
		buf_printf(&known, "%s%s", known.len ? ", " : "", kid->key);
	return err_set(e, BLAME_CONFIG, "the board has no boot mode '%s' (known: %s)", mode,
		buf_str(&known));
}

/* A list of words, or one word. */
static int words_of(const struct node *n, const char **words, size_t *count, struct err *e)
{
	if (n->type == NODE_SCALAR) {
		words[0] = n->text;
		*count = 1;
		return 0;
	}
	if (n->type != NODE_LIST || !n->n || n->n > WORDS_MAX)
		return err_set(e, BLAME_CONFIG, "boot mode '%s' needs 1 to %d words", n->key,
			WORDS_MAX);
	for (size_t i = 0; i < n->n; i++) {
		if (n->kids[i]->type != NODE_SCALAR)
			return err_set(e, BLAME_CONFIG, "boot mode '%s': a word must be one text",
				n->key);
		words[i] = n->kids[i]->text;
	}
	*count = n->n;
	return 0;
}

static int set(struct bootmode *bm, const char *mode, struct err *e)
{
	const struct conf *conf = bm->conf;
	const struct node *n = node_find(conf->modes, mode);
	const char *words[WORDS_MAX];
	struct param_strings argv = {words, 0};
	AUTOBUF out = BUF_INIT(PROGRAM_OUTPUT_BYTES);
	int status;

	if (!n)
		return unknown(conf, mode, e);
	if (words_of(n, words, &argv.n, e))
		return -1;
	status = program_run(bm->bench, &argv, conf->timeout_ms, &out, e);
	if (status < 0)
		return err_wrap(e, "'%s'", words[0]);
	return status ? program_failed(words[0], status, &out, e) : 0;
}

extern const struct bootmode_driver bootmode_command;
const struct bootmode_driver bootmode_command = {
	.d = {.name = "command",
		.brief = "Any program that sets the pins, run without a shell",
		.params = rows,
		.size = sizeof(struct conf),
		.proven = "programs that answer, fail and hang; straps of the twin"},
	.set = set,
};
