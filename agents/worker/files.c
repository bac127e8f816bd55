/* SPDX-License-Identifier: MIT */
/*
 * Files to and from the board, over the console's shell. Invariant: a file is kept, or put in its
 * place, only when both sides told the same digest of all of it.
 */
#include "worker.h"

#include "base/fs.h"
#include "base/mem.h"
#include "io/digest.h"

#include <stdlib.h>

#define FETCH_BYTES  ((size_t)8 << 20)   /* longest file fetched */
#define FETCH_PIECE  ((size_t)512 << 10) /* of it in one command; less than SHELL_OUTPUT_BYTES */
#define FETCH_BLOCK  ((size_t)64 << 10)
#define PUT_BYTES    ((size_t)256 << 10) /* longest file sent: it is typed */
#define PUT_PIECE    2400                /* of it in one command; its base64 fits one */
#define PATH_BYTES   200                 /* longest path on the board */
#define ANSWER_BYTES 4096

void worker_quote(const char *text, struct buf *out)
{
	buf_putc(out, '\'');
	for (; *text; text++)
		if (*text == '\'')
			buf_puts(out, "'\\''");
		else
			buf_putc(out, *text);
	buf_putc(out, '\'');
}

struct board_file {
	struct worker *w;
	struct shell *shell;
	char path[4 * PATH_BYTES + 8]; /* quoted */
};

static int file_init(struct board_file *f, struct worker *w, const char *path, struct err *e)
{
	AUTOBUF name = BUF_INIT(WORKER_TEXT_BYTES);
	AUTOBUF quoted = BUF_INIT(4 * WORKER_TEXT_BYTES);

	*f = (struct board_file){.w = w, .shell = worker_shell(w, w->step->console, e)};
	if (!f->shell || bench_expand(&w->bench, path, &name, e))
		return -1;
	if (name.len > PATH_BYTES)
		return err_set(e, BLAME_JOB, "path '%.40s...' is longer than %d bytes",
			buf_str(&name), PATH_BYTES);
	worker_quote(buf_str(&name), &quoted);
	snprintf(f->path, sizeof f->path, "%s", buf_str(&quoted));
	return 0;
}

/* Runs a command whose output must come whole. *exit: its status. */
static int ask(
	struct board_file *f, const char *command, struct buf *said, int64_t *exit, struct err *e)
{
	struct shell_outcome out;

	if (shell_run(f->shell, command, said, &out, e))
		return -1;
	if (!out.captured)
		return err_set(e, BLAME_INFRA, "%s: the answer did not come whole over the console",
			f->path);
	*exit = out.exit;
	return 0;
}

/* "BYTES\nDIGEST..." as the board tells them of a file. */
struct told {
	uint64_t bytes;
	char digest[DIGEST_HEX_BYTES]; /* sha256, or what cksum prints where there is no sha256sum
					*/
};

/* 1: told, 0: there is no such file, -1. suffix: appended to its name. */
static int tell(struct board_file *f, const char *suffix, struct told *t, struct err *e)
{
	AUTOBUF command = BUF_INIT(SHELL_COMMAND_BYTES);
	AUTOBUF said = BUF_INIT(ANSWER_BYTES);
	struct str rest, line = {0}, word = {0};
	int64_t status = -1;

	buf_printf(&command,
		"f=%s%s;[ -f \"$f\" ]&&[ -r \"$f\" ]||exit 9\n"
		"wc -c <\"$f\";sha256sum <\"$f\" 2>/dev/null||cksum <\"$f\"",
		f->path, suffix);
	if (ask(f, buf_str(&command), &said, &status, e))
		return -1;
	if (status == 9)
		return 0;
	rest = str_make(buf_str(&said), said.len);
	if (status || !str_line(&rest, &line) || str_u64(str_trim(line), &t->bytes) ||
		!str_word(&rest, &word))
		return err_set(e, BLAME_INFRA, "%s: the board cannot tell its digest", f->path);
	snprintf(t->digest, sizeof t->digest, "%.*s", STR_ARG(word));
	return 1;
}

static bool same(const struct told *t, const struct buf *bytes)
{
	char ours[DIGEST_HEX_BYTES];

	if (strlen(t->digest) == 64)
		digest_sha256(buf_str(bytes), bytes->len, ours);
	else
		snprintf(ours, sizeof ours, "%u",
			(unsigned)frame_cksum(str_make(buf_str(bytes), bytes->len)));
	return t->bytes == bytes->len && !strcmp(ours, t->digest);
}

/* ---- fetch ----------------------------------------------------------------------------------- */

static int fetch_all(struct board_file *f, uint64_t n, struct buf *bytes, struct err *e)
{
	while (bytes->len < n) {
		AUTOBUF command = BUF_INIT(SHELL_COMMAND_BYTES);
		AUTOBUF piece = BUF_INIT(SHELL_OUTPUT_BYTES);
		int64_t status = -1;

		buf_printf(&command, "dd if=%s bs=%zu skip=%zu count=%zu 2>/dev/null", f->path,
			FETCH_BLOCK, bytes->len / FETCH_BLOCK, FETCH_PIECE / FETCH_BLOCK);
		if (ask(f, buf_str(&command), &piece, &status, e))
			return -1;
		if (status || !piece.len)
			return err_set(e, BLAME_INFRA, "%s: cannot be read at byte %zu", f->path,
				bytes->len);
		buf_add(bytes, buf_str(&piece), piece.len);
		if (piece.len < FETCH_PIECE)
			break;
	}
	return 0;
}

/* A file that is not there is the test's matter: it is told as a result, and the run goes on. */
static int missing(struct worker *w, const char *path, const char *why)
{
	AUTOFREE char *text = mem_printf("%s: %s", path, why);

	worker_result(w, w->step->name, STATUS_ERROR, text, BLAME_TEST);
	return 0;
}

int step_fetch(struct worker *w, const void *conf, struct err *e)
{
	const struct step_fetch *s = conf;
	AUTOBUF bytes = BUF_INIT(FETCH_BYTES + FETCH_PIECE);
	struct board_file f;
	struct told told = {0};
	int r;

	if (file_init(&f, w, s->from, e))
		return -1;
	r = tell(&f, "", &told, e);
	if (r < 0)
		return -1;
	if (!r)
		return missing(w, f.path, "there is no such file on the board");
	if (told.bytes > FETCH_BYTES)
		return missing(w, f.path, "it is larger than what is fetched over a console");
	if (fetch_all(&f, told.bytes, &bytes, e))
		return -1;
	if (!same(&told, &bytes))
		return err_set(e, BLAME_INFRA, "%s: it changed while it was copied, or was damaged",
			f.path);
	return worker_keep(
		w, s->as ? s->as : fs_basename(s->from), str_make(buf_str(&bytes), bytes.len), e);
}

/* ---- put ------------------------------------------------------------------------------------- */

/* RFC 4648. */
static void add_base64(struct str bytes, struct buf *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < bytes.n; i += 3) {
		size_t n = bytes.n - i < 3 ? bytes.n - i : 3;
		uint32_t bits = 0;

		for (size_t k = 0; k < 3; k++)
			bits = bits << 8 | (k < n ? (uint8_t)bytes.p[i + k] : 0);
		for (size_t k = 0; k < 4; k++)
			buf_putc(out, k <= n ? digits[bits >> (18 - 6 * k) & 63] : '=');
	}
}

static int put_piece(struct board_file *f, struct str piece, bool first, struct err *e)
{
	AUTOBUF text = BUF_INIT(PUT_PIECE / 3 * 4 + 8);
	AUTOBUF command = BUF_INIT(2 * SHELL_COMMAND_BYTES);
	AUTOBUF said = BUF_INIT(ANSWER_BYTES);
	char shown[160];
	int64_t status = -1;

	add_base64(piece, &text);
	buf_printf(&command, "printf %%s '%s'|base64 -d >%s%s.part", buf_str(&text),
		first ? "" : ">", f->path);
	if (ask(f, buf_str(&command), &said, &status, e))
		return -1;
	if (status)
		return err_set(e, BLAME_INFRA, "%s: cannot be written: '%s'", f->path,
			str_printable(
				str_trim(str_make(buf_str(&said), said.len)), shown, sizeof shown));
	return 0;
}

static int put_all(struct board_file *f, const struct buf *bytes, struct err *e)
{
	struct str rest = str_make(buf_str(bytes), bytes->len);
	bool first = true;

	do {
		struct str piece = str_make(rest.p, rest.n < PUT_PIECE ? rest.n : PUT_PIECE);

		if (put_piece(f, piece, first, e))
			return -1;
		rest = str_make(rest.p + piece.n, rest.n - piece.n);
		first = false;
	} while (rest.n);
	return 0;
}

static int put_in_place(struct board_file *f, const char *mode, struct err *e)
{
	AUTOBUF command = BUF_INIT(SHELL_COMMAND_BYTES);
	AUTOBUF said = BUF_INIT(ANSWER_BYTES);
	int64_t status = -1;

	buf_printf(&command, "chmod %s %s.part&&mv -f %s.part %s", mode, f->path, f->path, f->path);
	if (ask(f, buf_str(&command), &said, &status, e))
		return -1;
	return status ? err_set(e, BLAME_INFRA, "%s: cannot be put in its place", f->path) : 0;
}

int step_put(struct worker *w, const void *conf, struct err *e)
{
	const struct step_put *s = conf;
	AUTOFREE char *dir = fs_join(w->dir, "files");
	AUTOFREE char *path = fs_join(dir, w->step->name);
	AUTOBUF bytes = BUF_INIT(PUT_BYTES);
	struct board_file f;
	struct told told = {0};

	if (file_init(&f, w, s->to, e))
		return -1;
	if (fs_read(path, &bytes, e)) {
		if (e)
			e->blame = BLAME_JOB;
		return err_wrap(e, "file for '%s'", s->to);
	}
	if (put_all(&f, &bytes, e) || tell(&f, ".part", &told, e) < 0)
		return -1;
	if (!same(&told, &bytes))
		return err_set(e, BLAME_INFRA, "%s: it arrived damaged", f.path);
	return put_in_place(&f, s->mode, e);
}
