/* SPDX-License-Identifier: MIT */
/*
 * What a side of a comparison is. Invariant: a word that could be two things is refused, with the
 * prefixes that tell them apart; silicon and twins are never in one side.
 */
#include "base/vec.h"
#include "compare.h"
#include "names.h"

#include <string.h>

struct finding {
	const char *word;
	enum compare_kind kind;
	const struct compare_ask *ask;
	struct arena *a;
	VEC(int64_t) runs;
	size_t left_out, twins,
		other; /* other: on twins where silicon was asked for, or the reverse */
	struct param_strings types, boards, builds;
	bool board, release; /* is the word one? */
};

static bool is_board(const struct finding *f, const struct store_run *run)
{
	return run->board && !strcmp(run->board, f->word);
}

static int on_look(void *arg, const struct store_run *run)
{
	struct finding *f = arg;

	f->board |= is_board(f, run);
	f->release |= report_is_release(run, f->word);
	return 0;
}

static void note(struct finding *f, const struct store_run *run)
{
	vec_push(&f->runs, run->id);
	f->twins += run->twin;
	names_add(f->a, &f->types, run->type);
	names_add(f->a, &f->boards, run->board);
	if (run->build)
		names_add(f->a, &f->builds,
			arena_printf(f->a, "%s%s%s", run->build, run->build_version ? "@" : "",
				run->build_version ? run->build_version : ""));
}

static int on_run(void *arg, const struct store_run *run)
{
	struct finding *f = arg;

	if (!(f->kind == COMPARE_BOARD ? is_board(f, run) : report_is_release(run, f->word)))
		return 0;
	if (f->ask->type && (!run->type || strcmp(run->type, f->ask->type) != 0))
		return 0;
	if (run->twin != f->ask->twin)
		f->other++;
	else if (!run->verdict)
		; /* it goes on */
	else if (strcmp(run->verdict, "pass") != 0 && strcmp(run->verdict, "fail") != 0)
		f->left_out++;
	else if (f->runs.n < COMPARE_RUNS)
		note(f, run);
	return 0;
}

static int on_one(void *arg, const struct store_run *run)
{
	note(arg, run);
	return 0;
}

static int find_one(struct finding *f, struct store *s, struct err *e)
{
	int64_t run;

	if (report_find_run(s, f->word, &run, e))
		return -1;
	if (store_run_get(s, run, on_one, f, e) < 0)
		return -1;
	return f->runs.n ? 0
			 : err_set(e, BLAME_CONFIG, "store '%s' holds no run %lld", store_path(s),
				   (long long)run);
}

static int find_many(struct finding *f, struct store *s, struct err *e)
{
	static const char *const what[] = {"run", "board", "release"};

	if (store_runs(s, 0, on_run, f, e))
		return -1;
	if (f->runs.n)
		return 0;
	if (f->other)
		return err_set(e, BLAME_CONFIG, "%s '%s' has runs on %s only%s", what[f->kind],
			f->word, f->ask->twin ? "silicon" : "twins",
			f->ask->twin ? "" : ": --twin takes those");
	return err_set(e, BLAME_CONFIG, "%s '%s' has no complete run%s%s", what[f->kind], f->word,
		f->ask->type ? " of type " : "", f->ask->type ? f->ask->type : "");
}

/* "board:x" says it; else what the word is in the store. */
static int tell_kind(struct finding *f, struct store *s, struct err *e)
{
	static const char *const prefixes[] = {"run:", "board:", "release:"};
	int64_t number;

	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++)
		if (!strncmp(f->word, prefixes[i], strlen(prefixes[i]))) {
			f->kind = (enum compare_kind)i;
			f->word += strlen(prefixes[i]);
			return 0;
		}
	if (store_runs(s, 0, on_look, f, e))
		return -1;
	f->kind = f->board ? COMPARE_BOARD : f->release ? COMPARE_RELEASE : COMPARE_RUN;
	if (!strcmp(f->word, "latest") || !str_i64(str_of(f->word), &number)) {
		if (f->kind != COMPARE_RUN)
			return err_set(e, BLAME_CONFIG,
				"'%s' is a run and a %s: say run:%s or %s%s", f->word,
				f->board ? "board" : "release", f->word, prefixes[f->kind],
				f->word);
	} else if (f->board && f->release) {
		return err_set(e, BLAME_CONFIG,
			"'%s' is a board and a release: say board:%s or "
			"release:%s",
			f->word, f->word, f->word);
	} else if (f->kind == COMPARE_RUN) {
		return err_set(e, BLAME_CONFIG,
			"'%.60s' is no run, board or release that store '%s' holds", f->word,
			store_path(s));
	}
	return 0;
}

int compare_side_find(struct compare_side *side, struct arena *a, struct store *s,
	const struct compare_ask *ask, size_t which, struct err *e)
{
	struct finding f = {.word = ask->names[which], .ask = ask, .a = a};
	int failed = tell_kind(&f, s, e);

	if (!failed)
		failed = f.kind == COMPARE_RUN ? find_one(&f, s, e) : find_many(&f, s, e);
	if (!failed) {
		*side = (struct compare_side){.name = ask->names[which],
			.kind = f.kind,
			.runs = arena_alloc(a, f.runs.n * sizeof *side->runs),
			.n = f.runs.n,
			.left_out = f.left_out,
			.twins = f.twins,
			.types = names_join(a, &f.types, 0),
			.boards = names_join(a, &f.boards, 0),
			.builds = names_join(a, &f.builds, 0)};
		memcpy(side->runs, f.runs.p, f.runs.n * sizeof *side->runs);
	}
	vec_done(&f.runs);
	return failed ? -1 : 0;
}
