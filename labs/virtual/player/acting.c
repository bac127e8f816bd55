/* SPDX-License-Identifier: MIT */
/*
 * What a played board does: the actions of its transcript, and the variables they use. Invariant: a
 * failed action ends the rule that it stands in.
 */
#include "labs/virtual/player/played.h"

#include "base/mem.h"

#include <ctype.h>
#include <stdlib.h>

/* ---- variables ------------------------------------------------------------------------------ */

const char *played_var(const struct played *b, const char *name)
{
	const char *text = map_find(&b->forced, name);

	if (!text)
		text = map_find(&b->env, name);
	if (!text)
		text = node_text(b->script->vars, name);
	if (!text && !strcmp(name, "name"))
		text = b->name;
	return text ? text : "";
}

static void put_var(struct map *m, const char *name, const char *value)
{
	free(map_find(m, name));
	map_set(m, name, mem_strdup(value));
}

void acting_drop_vars(struct map *m)
{
	map_each (m, it)
		free(it->value);
	map_done(m);
}

/* ${release} is the first word of ${kernel} unless something else is said. */
static void add_var(const struct played *b, const char *name, struct buf *out)
{
	const char *text = played_var(b, name);
	struct str rest, word;

	if (*text || strcmp(name, "release")) {
		buf_puts(out, text);
		return;
	}
	rest = str_of(played_var(b, "kernel"));
	if (str_word(&rest, &word))
		buf_add(out, word.p, word.n);
}

char *played_expand(const struct played *b, const char *text)
{
	struct buf out = BUF_INIT(PLAYED_OUT_BYTES);
	const char *open, *close;

	while ((open = strstr(text, "${")) && (close = strchr(open, '}'))) {
		AUTOFREE char *name = mem_strndup(open + 2, (size_t)(close - open - 2));

		buf_add(&out, text, (size_t)(open - text));
		if (isdigit((unsigned char)*name) && !name[1])
			buf_puts(&out, *name - '0' < PATTERN_GROUPS && b->groups[*name - '0']
					       ? b->groups[*name - '0']
					       : "");
		else
			add_var(b, name, &out);
		text = close + 1;
	}
	buf_puts(&out, text);
	return buf_take(&out);
}

void played_set(struct played *b, const char *name, const char *value)
{
	put_var(&b->forced, name, value);
}

/* ---- actions -------------------------------------------------------------------------------- */

static void do_load(struct played *b, const struct act *act)
{
	AUTOBUF out = BUF_INIT(PLAYED_OUT_BYTES);
	AUTOFREE char *file = played_expand(b, act->text), *where = played_expand(b, act->more);
	uint64_t address;
	char number[32];

	if (images_address(str_of(where), &address) < 0) {
		b->failed = true;
		return;
	}
	b->failed = images_load(&b->images, b->tftp, file, address, &out) < 0;
	if (!b->failed) {
		snprintf(number, sizeof number, "%llx",
			(unsigned long long)images_at(&b->images, address));
		put_var(&b->env, "filesize", number);
		put_var(&b->env, "fileaddr", where);
	}
	played_lines(b, str_make(buf_str(&out), out.len));
}

/* What an image says of itself replaces what the transcript says. */
static void adopt(struct played *b, const char *var, char *text)
{
	if (text && *text)
		put_var(&b->env, var, text);
	free(text);
}

static void do_boot(struct played *b, const struct act *act)
{
	AUTOFREE char *kernel = played_expand(b, act->text);
	AUTOFREE char *ramdisk = played_expand(b, act->more ? act->more : "-");
	bool with_root = *ramdisk && strcmp(ramdisk, "-");
	uint64_t at, root_at = 0;

	b->failed = true;
	if (images_address(str_of(kernel), &at) < 0 || images_at(&b->images, at) < 0) {
		played_print(b, "Bad Linux ARM64 Image magic!\n");
		return;
	}
	if (with_root && (images_address(str_of(ramdisk), &root_at) < 0 ||
				 images_at(&b->images, root_at) < 0)) {
		played_print(b, "Wrong Ramdisk Image Format\n"
				"Ramdisk image is corrupt or invalid\n");
		return;
	}
	b->failed = false;
	adopt(b, "kernel", images_text(&b->images, at, "Linux version "));
	if (!with_root)
		return;
	adopt(b, "build", images_text(&b->images, root_at, "hilab-build: "));
	adopt(b, "build", images_file(&b->images, root_at, "etc/hilab-build"));
}

/* One action. False: the rest comes later. After a failed one the rest of the rule is not done. */
bool acting_do(struct played *b, const struct act *act)
{
	AUTOFREE char *value = NULL;

	b->failed = false;
	switch (act->kind) {
	case ACT_PRINT:
		played_print(b, act->text);
		break;
	case ACT_WAIT:
	case ACT_HOLD:
		if (act->kind == ACT_WAIT && (int64_t)(act->ms * b->scale) == 0)
			break;
		played_timer(
			b, act->kind == ACT_WAIT ? (int64_t)(act->ms * b->scale) : act->ms, true);
		return false;
	case ACT_GOTO:
		played_enter(b, act->state);
		break;
	case ACT_SET:
		value = played_expand(b, act->more);
		{
			AUTOFREE char *name = played_expand(b, act->text);

			put_var(&b->env, name, value);
		}
		break;
	case ACT_SHOW:
		value = played_expand(b, act->text);
		b->failed = !*played_var(b, value);
		if (b->failed)
			played_print(b, "## Error: \"${1}\" not defined\n");
		else
			played_print(b, "${1}=");
		if (!b->failed) {
			played_emit(b, str_of(played_var(b, value)));
			played_emit(b, STR_LIT("\r\n"));
		}
		break;
	case ACT_FAIL:
		played_print(b, act->text);
		b->failed = true;
		break;
	case ACT_LOAD:
		do_load(b, act);
		break;
	case ACT_BOOT:
		do_boot(b, act);
		break;
	case ACT_PANIC:
	case ACT_HANG:
		played_struck(b, act->kind == ACT_PANIC ? FAULT_PANIC : FAULT_HANG);
		break;
	}
	if (b->failed && b->acts)
		b->pc = b->acts->n;
	return true;
}
