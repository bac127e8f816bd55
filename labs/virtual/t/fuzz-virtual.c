/* SPDX-License-Identifier: MIT */
/*
 * What reaches a virtual board from outside: the first byte chooses between relay commands (LCUS,
 * Numato), a fault spec with bytes that pass it, and a transcript. Nothing crashes, answers stay in
 * proportion, and a fault that never strikes changes nothing.
 */
#include "labs/virtual/player/fault.h"
#include "labs/virtual/player/script.h"
#include "labs/virtual/relay.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "fuzz-virtual: %s\n", what);
	abort();
}

static void relay(enum relay_model model, struct str in)
{
	struct relay *r = relay_new(model, 8, NULL, NULL, NULL);
	AUTOBUF whole = BUF_INIT(BUF_CAP_BYTES), cut = BUF_INIT(BUF_CAP_BYTES);

	relay_feed(r, in, &whole);
	relay_free(r);
	r = relay_new(model, 8, NULL, NULL, NULL);
	for (size_t i = 0; i < in.n; i++)
		relay_feed(r, str_make(in.p + i, 1), &cut);
	relay_free(r);
	must(whole.len <= in.n * 128, "an answer out of proportion");
	must(str_eq(str_make(buf_str(&whole), whole.len), str_make(buf_str(&cut), cut.len)),
		"another answer to the same bytes one by one");
}

static void fault(struct str in)
{
	struct faults f = {.line = "[K]\n"};
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	struct str spec = {0};
	size_t eaten = 0;

	str_line(&in, &spec);
	if (faults_add(&f, spec, NULL) == 0) {
		faults_pass(&f, f.all.p[0].typed, in, &out, &eaten);
		must(eaten <= in.n, "more eaten than there was");
		must(f.all.p[0].fired || out.overflow ||
				str_eq(str_make(buf_str(&out), out.len), in),
			"a fault that did not strike changed bytes");
	}
	faults_done(&f);
}

static void script(struct str in)
{
	struct diag diag = {0};
	struct script *s = script_parse("f", in, &diag);

	must(!s == !!diag.total, "a script with mistakes, or none without");
	script_free(s);
	diag_done(&diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct str in = str_make((const char *)data + 1, n ? n - 1 : 0);

	if (!n)
		return 0;
	switch (data[0] % 4) {
	case 0:
		relay(RELAY_LCUS, in);
		break;
	case 1:
		relay(RELAY_NUMATO, in);
		break;
	case 2:
		fault(in);
		break;
	default:
		script(in);
	}
	return 0;
}
