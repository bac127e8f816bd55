/* SPDX-License-Identifier: MIT */
/*
 * Power rails for a while in which nothing else is done: asleep, off, idle. Invariant: it ends as
 * soon as its window is over or an instrument has failed.
 */
#include "agents/measure/drivers.h"
#include "agents/measure/sampler.h"

static int run(struct measure *m, struct buf *out, struct err *e)
{
	const struct sampler_window *w = m->conf;
	struct sampler *s;
	bool skip;

	if (!w->for_ms)
		return err_set(e, BLAME_JOB, "rails: 'for' says how long is measured");
	s = sampler_open(m->bench, m->instruments, w, &skip, e);
	if (!s)
		return skip ? 1 : -1;
	sampler_start(s);
	while (!sampler_over(s))
		if (bench_wait_pump(m->bench, INT64_MAX, e) < 0) {
			sampler_drop(s);
			return -1;
		}
	return sampler_stop(s, out, e);
}

const struct measure_driver measure_rails = {
	.d = {.name = "rails",
		.brief =
			"power rails for a while, by the instruments that the lab has at the board",
		.params = sampler_params,
		.size = sizeof(struct sampler_window),
		.proven = "peers on TCP, a folder tree of the kernel's hwmon, a file that grows"},
	.parser = "rails",
	.run = run,
	.aside = true,
};
