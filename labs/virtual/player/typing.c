/* SPDX-License-Identifier: MIT */
/*
 * What a played board does with typed bytes: a line editor with echo, lines chained as U-Boot's
 * simple parser does, and the transcript's rules. Invariant: a line is taken from `typed` only
 * while the board is at its prompt; what comes later waits there, as in a UART's buffer.
 */
#include "labs/virtual/player/played.h"

#include "base/mem.h"

#include <ctype.h>
#include <stdlib.h>

static const struct acts no_acts = {NULL, 0};

static void set_group(struct played *b, int i, struct str text)
{
	free(b->groups[i]);
	b->groups[i] = text.p ? mem_strndup(text.p, text.n) : NULL;
}

/* The actions that answer a command. */
static void start_command(struct played *b, struct str command)
{
	struct pattern_match m;

	b->acts = &no_acts;
	b->pc = 0;
	b->failed = false;
	if (!command.n)
		return;
	for (size_t i = 0; i < b->state->n_rules; i++) {
		if (pattern_search(b->state->rules[i].pattern, command, 0, false, &m) != 1)
			continue;
		for (int g = 0; g < PATTERN_GROUPS; g++)
			set_group(b, g, m.group[g]);
		b->acts = &b->state->rules[i].acts;
		return;
	}
	for (int g = 1; g < PATTERN_GROUPS; g++)
		set_group(b, g, (struct str){0});
	set_group(b, 0, command);
	b->acts = &b->state->otherwise;
}

/* ---- chains --------------------------------------------------------------------------------- */

/* `$name` or `${name}` at s: adds its text; the bytes it took, 0 when it is none. */
static size_t add_variable(const struct played *b, struct str s, struct buf *out)
{
	bool braces = s.n > 1 && s.p[1] == '{';
	size_t from = braces ? 2 : 1, to = from;
	AUTOFREE char *name = NULL;

	while (to < s.n && (isalnum((unsigned char)s.p[to]) || s.p[to] == '_'))
		to++;
	if (to == from || (braces && (to == s.n || s.p[to] != '}')))
		return 0;
	name = mem_strndup(s.p + from, to - from);
	buf_puts(out, played_var(b, name));
	return braces ? to + 1 : to;
}

enum link { LINK_END, LINK_ALWAYS, LINK_AND };

/* Cuts the first command off a chain, variables replaced and quotes taken away. */
static enum link next_command(struct played *b, struct buf *command)
{
	struct str s = str_make(buf_str(&b->chain), b->chain.len);
	enum link link = LINK_END;
	char quote = 0;
	size_t i = 0, took;

	for (; i < s.n; i++) {
		char c = s.p[i];

		if (!quote && (c == ';' || (c == '&' && i + 1 < s.n && s.p[i + 1] == '&'))) {
			link = c == ';' ? LINK_ALWAYS : LINK_AND;
			i += c == ';' ? 1 : 2;
			break;
		}
		if (c == '\\' && quote != '\'' && i + 1 < s.n)
			buf_putc(command, s.p[++i]);
		else if (c == quote)
			quote = 0;
		else if (!quote && (c == '\'' || c == '"'))
			quote = c;
		else if (c == '$' && quote != '\'' &&
			 (took = add_variable(b, str_make(s.p + i, s.n - i), command)))
			i += took - 1;
		else
			buf_putc(command, c);
	}
	buf_eat(&b->chain, i);
	return link;
}

bool typing_chain(struct played *b)
{
	AUTOBUF command = BUF_INIT(PLAYED_OUT_BYTES);

	if (!b->chain.len)
		return false;
	if (b->skip_next && b->failed) {
		/* what hangs on a failed command by && is not done, up to the next ; */
		b->skip_next = next_command(b, &command) == LINK_AND;
		b->acts = &no_acts;
		b->pc = 0;
		return true;
	}
	b->skip_next = next_command(b, &command) == LINK_AND;
	start_command(b, str_trim(str_make(buf_str(&command), command.len)));
	return true;
}

/* ---- the line editor ------------------------------------------------------------------------ */

static void show_prompt(struct played *b)
{
	b->at_prompt = true;
	if (b->state->prompt)
		played_print(b, b->state->prompt);
}

static void rub_out(struct played *b, size_t n)
{
	while (n-- && b->line.len && b->at_prompt) {
		b->line.len--;
		if (b->state->echo)
			played_emit(b, STR_LIT("\b \b"));
	}
}

static void interrupt(struct played *b)
{
	buf_reset(&b->line);
	played_emit(b, b->state->chain ? STR_LIT("<INTERRUPT>\r\n") : STR_LIT("^C\r\n"));
	if (b->at_prompt)
		show_prompt(b);
}

static void enter(struct played *b)
{
	AUTOFREE char *line = mem_strdup(buf_str(&b->line));
	size_t n = b->line.len;

	buf_reset(&b->line);
	played_emit(b, STR_LIT("\r\n"));
	if (!b->at_prompt) /* a fault took the board elsewhere */
		return;
	b->at_prompt = false;
	if (b->state->chain) {
		buf_reset(&b->chain);
		b->skip_next = false;
		buf_add(&b->chain, line, n);
		b->acts = &no_acts;
		b->pc = 0;
	} else {
		start_command(b, str_make(line, n));
	}
}

static void key(struct played *b, char c)
{
	bool was_cr = b->after_cr;

	b->after_cr = c == '\r';
	if (c == '\n' && was_cr)
		return;
	if (c == '\r' || c == '\n') {
		enter(b);
	} else if (c == '\b' || c == 0x7f) {
		rub_out(b, 1);
	} else if (c == 0x15) {
		rub_out(b, b->line.len);
	} else if (c == 0x03) {
		interrupt(b);
	} else if ((unsigned char)c >= ' ' && buf_putc(&b->line, c) == 0 && b->state->echo) {
		played_emit(b, str_make(&c, 1));
	}
}

bool typing_read(struct played *b)
{
	if (!b->at_prompt)
		show_prompt(b);
	while (b->at_prompt && b->typed.len) {
		char c = b->typed.data[0];

		buf_eat(&b->typed, 1);
		key(b, c);
	}
	return !b->at_prompt;
}
