/* SPDX-License-Identifier: MIT */
/* Alerts against a simulated lab: what is asked for is answered as boards and builds would, and
 * what comes out must be what was put in. After every step the body goes through text, as it does
 * through the store. */
#include "base/t/tap.h"
#include "io/json.h"
#include "reports/alert.h"
#include "reports/stats/t/simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LABS 200
#define SEED 1

struct lab {
	uint64_t random;
	bool test;
	int culprit;          /* "1.N": the first bad version; 0: none is */
	bool board_is_it;     /* only the first board is bad, with any build */
	bool silent;          /* no run tells anything */
	bool one_board;       /* there is no other */
	int broken;           /* "1.N" does not boot; 0: every one does */
	double flake, escape; /* of the test */
	/* counted */
	int runs;
	bool over; /* more than any policy allows */
};

static json_t *body_of(const struct lab *lab)
{
	json_t *b = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:{s:s}, s:s, s:s, s:s, s:s,"
			      " s:f, s:f, s:f, s:f, s:f, s:{s:i, s:i, s:i, s:i}}",
		"kind", lab->test ? "test" : "metric", "job", "j", "suite", "s", "name",
		"fio.read.bw", "type", "am62axx-sk", "line", "sdk", "labels", "bs", "4k", "unit",
		"MB/s", "board", "b1", "good", "1.0", "bad", "1.16", "before", 100.0, "after", 96.0,
		"deviation", 2.0, "flake", 0.05, "escape", 0.1, "policy", "same", 8, "good", 8,
		"other", 8, "locate", 60);
	json_t *builds = json_array();

	for (int i = 0; i <= 16; i++)
		json_array_append_new(builds, json_sprintf("1.%d", i));
	json_object_set_new(b, "builds", builds);
	return b;
}

static double answer(struct lab *lab, const struct alert_ask *ask)
{
	int build = atoi(strchr(ask->version, '.') + 1);
	bool first = ask->board && !strcmp(ask->board, "b1");
	bool bad = lab->board_is_it ? first : lab->culprit && build >= lab->culprit;

	if (lab->silent || (lab->broken && build == lab->broken))
		return NAN;
	if (lab->test)
		return simulate_uniform(&lab->random) < (bad ? 1 - lab->escape : lab->flake);
	/* The other board is a tenth faster. */
	return (first ? 1 : 1.1) * (bad ? 96 : 100) + 2 * simulate_normal(&lab->random);
}

/* Until nothing more is asked for. Returns the body; a new reference. */
static json_t *settle(struct lab *lab, json_t *body, enum alert_state *state)
{
	struct alert_ask ask;

	while (alert_next(body, state, &ask, 1000)) {
		char *text;

		if (++lab->runs > 8 * 4 + 60 + 12) {
			lab->over = true;
			break;
		}
		if (lab->one_board && ask.not_board) {
			alert_cannot(body, &ask, "there is no other board");
			continue;
		}
		double value = answer(lab, &ask);
		bool unusable = atoi(strchr(ask.version, '.') + 1) == lab->broken && lab->broken;

		alert_pending(body, &ask, 7);
		if (alert_next(body, state, &ask, 1000))
			lab->over = true; /* one at a time */
		alert_told(body, 100 + lab->runs, ask.board ? ask.board : "b2", value, unusable);
		text = json_dumps(body, JSON_COMPACT);
		json_decref(body);
		body = json_loads(text, 0, NULL);
		free(text);
	}
	return body;
}

struct outcome {
	int ended[ALERT_STATES], right, build, board, runs, over;
};

static struct outcome play(struct lab lab, const char *culprit)
{
	struct outcome o = {0};
	uint64_t random = simulate_seed(SEED);

	for (int i = 0; i < LABS; i++) {
		enum alert_state state = ALERT_SUSPECTED;
		struct lab one = lab;
		json_t *body;

		one.random = simulate_seed(simulate_next(&random));
		body = settle(&one, body_of(&lab), &state);
		o.ended[state]++;
		o.right += culprit && !strcmp(json_text(body, "first_bad", ""), culprit);
		o.build += !strcmp(json_text(body, "blame", ""), "build");
		o.board += !strcmp(json_text(body, "blame", ""), "board");
		o.runs += one.runs;
		o.over += one.over;
		json_decref(body);
	}
	return o;
}

static void test_labs(void)
{
	struct outcome o = play((struct lab){.culprit = 9}, "1.9");

	ok(o.right >= LABS * 93 / 100 && o.build >= LABS * 95 / 100,
		"two deviations: %d of %d located, %d with the build to blame, %.1f runs each",
		o.right, LABS, o.build, (double)o.runs / LABS);
	is_int(o.over, 0, "never more runs than the policy allows, one at a time");
	o = play((struct lab){.culprit = 0}, NULL);
	ok(o.ended[ALERT_REFUTED] >= LABS * 90 / 100, "chance: %d of %d refuted, %.1f runs each",
		o.ended[ALERT_REFUTED], LABS, (double)o.runs / LABS);
	o = play((struct lab){.board_is_it = true}, NULL);
	ok(o.board >= LABS * 93 / 100 && o.ended[ALERT_LOCATED] <= LABS * 5 / 100,
		"a board that became slower: %d of %d blame it, hardly a build is searched",
		o.board, LABS);
	o = play((struct lab){.test = true, .culprit = 3, .flake = 0.02, .escape = 0.05}, "1.3");
	ok(o.right >= LABS * 93 / 100, "a test that breaks: %d of %d located, %.1f runs each",
		o.right, LABS, (double)o.runs / LABS);
	o = play((struct lab){.culprit = 9, .one_board = true}, "1.9");
	ok(o.right >= LABS * 93 / 100, "with one board only: %d of %d located", o.right, LABS);
	o = play((struct lab){.silent = true}, NULL);
	ok(o.ended[ALERT_SUSPECTED] == LABS && o.runs == LABS * ALERT_LOST_MAX,
		"a lab without results: it stays suspected after %d runs", ALERT_LOST_MAX);
	o = play((struct lab){.culprit = 9, .broken = 9}, "1.9");
	ok(o.right == 0 && o.ended[ALERT_CONFIRMED] >= LABS * 93 / 100,
		"the culprit does not boot: none is named (%d of %d)", o.ended[ALERT_CONFIRMED],
		LABS);
	o = play((struct lab){.culprit = 9, .broken = 4}, "1.9");
	ok(o.right >= LABS * 93 / 100, "another one does not boot: %d of %d located", o.right,
		LABS);
}

static void test_moves(void)
{
	enum alert_state state = ALERT_SUSPECTED;
	struct lab lab = {.culprit = 9, .random = simulate_seed(SEED)};
	json_t *body = body_of(&lab);
	struct alert_ask ask;
	struct err e = {0};
	int ended = 0;

	for (int from = 0; from < ALERT_STATES; from++)
		for (int to = 0; to < ALERT_STATES; to++)
			if (alert_over(from) && alert_may(from, to) && to != ALERT_SUSPECTED)
				ended++;
	is_int(ended, 0, "what is over can only be opened again");
	for (int s = 0; s < ALERT_STATES; s++)
		is_int(alert_state_parse(alert_state_name(s)), s, "%s has its name",
			alert_state_name(s));
	is_int(alert_state_parse("nonsense"), -1, "no other name");
	is_int(alert_move(body, &state, ALERT_LOCATED, "a", "b", 5, &e), -1,
		"what is suspected is not located");
	ok(strstr(e.msg, "suspected cannot become located") && state == ALERT_SUSPECTED,
		"as is said: %s", e.msg);
	body = settle(&lab, body, &state);
	is_int(state, ALERT_LOCATED, "located");
	is_int(alert_move(body, &state, ALERT_ACCEPTED, "ann", "cheaper memory", 6, &e), 0,
		"it can be accepted");
	ok(!alert_next(body, &state, &ask, 7), "then nothing is run for it");
	is_str(json_text(json_array_get(json_object_get(body, "history"),
				 json_array_size(json_object_get(body, "history")) - 1),
		       "reason", ""),
		"cheaper memory", "the reason is kept");
	is_int(alert_move(body, &state, ALERT_SUSPECTED, "bob", "not that much", 8, &e), 0,
		"and opened again");
	ok(!json_object_get(body, "first_bad") && alert_next(body, &state, &ask, 9) &&
			!strcmp(ask.what, "same"),
		"then it is run again from the beginning");
	json_decref(body);
}

static void test_subject(void)
{
	struct lab metric = {0}, test = {.test = true};
	json_t *a = body_of(&metric), *b = body_of(&metric), *c = body_of(&test),
	       *d = body_of(&test);
	char *sa, *sb, *sc, *sd;

	json_object_set_new(b, "board", json_string("b2"));
	json_object_set_new(d, "board", json_string("b2"));
	sa = alert_subject(a);
	sb = alert_subject(b);
	sc = alert_subject(c);
	sd = alert_subject(d);
	ok(strcmp(sa, sb) != 0, "a level is one board's");
	is_str(sc, sd, "a test breaks on a type");
	free(sa);
	free(sb);
	free(sc);
	free(sd);
	json_decref(a);
	json_decref(b);
	json_decref(c);
	json_decref(d);
}

int main(void)
{
	test_labs();
	test_moves();
	test_subject();
	return tap_done();
}
