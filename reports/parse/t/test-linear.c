/* SPDX-License-Identifier: MIT */
/*
 * Every parser over texts that are made to grow: each golden case, and pieces that begin something
 * and never end it, again and again. Invariant held: four times the text is told at most four
 * times as much, in memory that is bounded by the text, and in processor time that nothing but
 * work beyond the text's length could use up. HILAB_LONG: texts of 1 and 4 MiB.
 */
#include "base/buf.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/t/tap.h"
#include "reports/parse/parse.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHORT_BYTES ((size_t)64 << 10)
#define LONG_BYTES  ((size_t)1 << 20)
#define GROWN       4
#define TOLD_BYTES  4096 /* that may be told of a text however small */
#define TOLD_FACTOR 256  /* and for each byte of it */
/* Of one parser over all texts; what goes over a text for each of its bytes takes 20 times that. */
#define PROCESSOR_S      60
#define PROCESSOR_LONG_S 600
#define MEMORY_BYTES     ((size_t)512 << 20)

static const char *const pieces[] = {"{", "{\"", "{\"a\":", "{\n", "{\"jobs\":[", "[", "\"", "\n",
	"\r", "\033[", "\033]", "\b", "a\n", " ", "\t", ",", ";", ":", "=", "|", "1 ", "1.5\n",
	"0.", "[   12.345678] ", "x[   12.345678] y\n", "[  1]", "[SUM] 0.0-1.0 sec\n", "ok 1\n",
	"    ok 1\n", "1..4\n", "# Subtest: a\n", "<LAVA_SIGNAL_", "<LAVA_SIGNAL_STARTTC a>\n",
	"<testcase name=\"", "<a>", "<!--", "+F:", "T: 0 ( 1) P:1 C: 1 Min: 1 Max: 1\n",
	"[BOOTLOADER PROFILE] a : ", "\"stride=1\n", "rw=", "a - Passed\n", "\xff", "\xc3"};

struct count {
	size_t bytes;
};

static void more(struct count *c, const char *text)
{
	c->bytes += text ? strlen(text) + 1 : 0;
}

static void on_name(void *arg, const char *text)
{
	more(arg, text);
}

static void on_result(void *arg, const char *name, enum status s, const char *why)
{
	(void)s;
	more(arg, name);
	more(arg, why);
}

static void on_metric(void *arg, const struct sink_metric *m)
{
	more(arg, m->name);
	more(arg, m->unit);
	for (size_t i = 0; i < m->n; i++) {
		more(arg, m->labels[i].name);
		more(arg, m->labels[i].value);
	}
}

static void on_env(void *arg, const char *name, const char *value)
{
	more(arg, name);
	more(arg, value);
}

static size_t told(const struct parser *p, struct str text)
{
	struct count c = {0};
	struct sink sink = {&c, NULL, on_name, on_result, on_metric, on_env, on_name};

	if (p->detect)
		p->detect(text);
	p->parse(text, &sink, NULL);
	return c.bytes;
}

/* False, and says so, when more is told than four times the text accounts for. */
static bool grows(const struct parser *p, const char *name, struct str piece, size_t bytes)
{
	size_t n = piece.n ? bytes / piece.n + 1 : 0, said[2];
	char *text = mem_alloc(GROWN * n * piece.n + 1);

	for (size_t i = 0; i < GROWN * n; i++)
		memcpy(text + i * piece.n, piece.p, piece.n);
	said[0] = told(p, str_make(text, n * piece.n));
	said[1] = told(p, str_make(text, GROWN * n * piece.n));
	free(text);
	if (said[1] <= GROWN * (said[0] + TOLD_BYTES) &&
		said[0] <= TOLD_BYTES + TOLD_FACTOR * n * piece.n)
		return true;
	printf("# %s: %zu bytes told of %zu, %zu of %d times as many\n", name, said[0], n * piece.n,
		said[1], GROWN);
	return false;
}

static int is_case(const struct dirent *d)
{
	return str_ends(str_of(d->d_name), ".in");
}

static int all_texts(const struct parser *p)
{
	const char *data = getenv("HILAB_DATA");
	size_t bytes = getenv("HILAB_LONG") ? LONG_BYTES : SHORT_BYTES;
	AUTOFREE char *dir = mem_printf("%s/reports/parse/t/data/%s", data ? data : ".", p->d.name);
	struct dirent **list = NULL;
	int n = scandir(dir, &list, is_case, alphasort), wrong = 0;

	for (size_t i = 0; i < ARRAY_LEN(pieces); i++)
		wrong += !grows(p, pieces[i], str_of(pieces[i]), bytes);
	for (int i = 0; i < n; i++) {
		AUTOFREE char *path = fs_join(dir, list[i]->d_name);
		AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);

		if (!fs_read(path, &text, NULL))
			wrong += !grows(
				p, list[i]->d_name, str_make(buf_str(&text), text.len), bytes);
		free(list[i]);
	}
	free(list);
	fflush(stdout);
	return wrong > 0;
}

/* In a process of its own, which the limits end. */
static int limited(const struct parser *p)
{
	rlim_t s = getenv("HILAB_LONG") ? PROCESSOR_LONG_S : PROCESSOR_S;
	struct rlimit processor = {s, s};
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		setrlimit(RLIMIT_CPU, &processor);
#ifndef __SANITIZE_ADDRESS__
		setrlimit(RLIMIT_AS, &(struct rlimit){MEMORY_BYTES, MEMORY_BYTES});
#endif
		_exit(all_texts(p));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	if (WIFSIGNALED(status))
		printf("# ended by %s\n", strsignal(WTERMSIG(status)));
	return status;
}

int main(void)
{
	const char *only = getenv("HILAB_PARSER");

	if (!getenv("HILAB_LONG"))
		printf("# reduced to texts of %zu and %zu bytes: HILAB_LONG=1 for %zu and %zu\n",
			SHORT_BYTES, GROWN * SHORT_BYTES, LONG_BYTES, GROWN * LONG_BYTES);
	for (const struct driver *const *d = parse_drivers(); *d; d++)
		if (!only || !strcmp(only, (*d)->name))
			is_int(limited((const struct parser *)*d), 0,
				"%s: work, memory and what is told grow as the text", (*d)->name);
	return tap_done();
}
