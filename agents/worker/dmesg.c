/* SPDX-License-Identifier: MIT */
/*
 * A login silences the kernel on the console, so what it finds wrong afterwards stands in its log
 * alone. Invariant: it is asked for only where a shell is there to answer, within DMESG_MS, and
 * what does not come changes no verdict.
 *
 * A typed line comes first, which starts no program: a kernel that warned, oopsed or found memory
 * used wrong has tainted itself, and one whose taints are 0 has done none of it. Stalls and tasks
 * that wait long leave no taint, but take longer than
 * DMESG_LONG_MS to be noticed. Time-outs and damaged media leave none, either: a short run
 * whose console is silenced does not tell of them.
 */
#include "worker.h"

#include "base/clock.h"

#define DMESG_MS      15000
#define DMESG_BYTES   "65536"
#define DMESG_LONG_MS 10000 /* the shortest is an RCU stall, 21 s */

/* Coarse; the table of io/crash-kinds.h decides. */
static const char command[] =
	"dmesg 2>/dev/null|grep -A 12 -e WARNING: -e BUG -e [Oo]ops: -e "
	"INFO: -e UBSAN: -e nable.to "
	"-e nternal.error: -e corruption -e handled.fault -e "
	"protection.fault -e rror.Inter -e LOCKUP -e "
	"Bad.mode -e invoked.oom -e y:.Kill -e imeout -e imed.out "
	"-e rror..110 -e I/O.error -e fs.error -e rash.detected|tail -c " DMESG_BYTES;

/* A shell reads one byte at a time, of which a file of /proc/sys gives the first alone: 0 or not is
 * all that can be told. */
static bool tainted(struct shell *sh, struct err *e)
{
	char digit[4];

	return shell_ask(sh, "read -r a </proc/sys/kernel/tainted;echo \"hil=$a=\"",
		       "hil=(\\d)\\d*=", digit, sizeof digit, e) != 1 ||
	       *digit != '0';
}

void worker_dmesg(struct worker *w)
{
	struct console *c = worker_main_console(w);
	struct shell *sh = c ? &w->shells[c - w->consoles] : NULL;
	AUTOBUF text = BUF_INIT(SHELL_OUTPUT_BYTES + 1);
	struct shell_outcome out;
	struct err e = {0};

	if (!sh || !sh->installed || sh->framed || sh->running || c->fd < 0 || w->crash.seen ||
		w->crash_ended || err_is(&w->tally.canceled) || w->journal.lost)
		return;
	bench_push(&w->bench, "the kernel's log", DMESG_MS);
	if ((clock_ms() - sh->opened_ms >= DMESG_LONG_MS || tainted(sh, &e)) && !err_is(&e)) {
		if (shell_run(sh, command, &text, &out, &e))
			;
		else if (out.captured)
			crash_scan(&w->crash, str_make(buf_str(&text), text.len));
		else
			err_set(&e, BLAME_INFRA, "it did not come whole");
	}
	bench_pop(&w->bench);
	if (e.blame == BLAME_CANCEL)
		tally_error(&w->tally, &e);
	else if (err_is(&e))
		bench_note(&w->bench, "the kernel's log is not known: %s", e.msg);
}
