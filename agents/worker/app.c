/* SPDX-License-Identifier: MIT */
/*
 * A firmware without a command line, as a vendor's SDK has it: each application is an image of its
 * own that prints its tables and ends. `run NAME ...` starts the build's image NAME from power-on,
 * and what the console shows until its end is the output; `run boot` takes what it has shown since
 * the last power-on. Invariant: no output is judged of an application that was not started.
 */
#include "worker.h"

#include "base/fs.h"
#include "base/mem.h"
#include "io/console-text.h"

#include <stdio.h>
#include <stdlib.h>

#define LOG_BYTES  ((size_t)64 << 20) /* a longer log has no output */
#define NAME_BYTES 64
#define ACK        6 /* of XMODEM */

bool worker_has_apps(struct worker *w)
{
	return w->boot.apps && w->boot.drv->listen &&
	       w->boot.console == worker_console(w, w->step->console, NULL);
}

/* The NAME of "run NAME ..."; "": it is something else. */
static void app_name(const char *command, char name[NAME_BYTES])
{
	name[0] = 0;
	(void)sscanf(command, "run %63s", name);
}

static int skip(struct worker *w, const char *why, const char *what)
{
	AUTOFREE char *text = mem_printf("%s '%s'", why, what);

	worker_result(w, w->step->name, STATUS_SKIP, text, BLAME_NONE);
	return 0;
}

/* Puts it where the job's last deploy step put its images, and starts it. */
static int start(struct worker *w, const struct plan_image *im, struct err *e)
{
	const struct deploy_image image = {"app", im->path};
	struct deploy *dp = w->n_deploys ? &w->deploys[w->n_deploys - 1] : NULL;

	if (!dp)
		return err_set(e, BLAME_JOB, "no step before it deploys image '%s'", im->role);
	if (dp->drv->wants_power_off && worker_make_sure_off(w, dp->drv->d.name, e))
		return -1;
	if (dp->drv->stage(dp, &image, 1, e))
		return err_wrap(e, "deploy by '%s'", dp->drv->d.name);
	w->app_starts = true;
	w->boot.images_loaded = 0;
	expect_skip(w->boot.console->expect);
	if ((w->boot.drv->wants_power && worker_power(w, 2, e)) || w->boot.drv->start(&w->boot, e))
		return err_wrap(e, "start '%s'", im->role);
	return 0;
}

/* Lines of text, without the bytes of a transfer: what follows its last ACK begins a line. */
static void add_text(struct buf *out, struct str raw)
{
	struct console_escape escape = {0};

	for (size_t i = 0; i < raw.n; i++) {
		unsigned char b = (unsigned char)raw.p[i];

		if (console_escape(&escape, b))
			continue;
		if (b >= ' ' || b == '\n' || b == '\t')
			buf_putc(out, (char)b);
		else if (b == ACK && out->len && out->data[out->len - 1] != '\n')
			buf_putc(out, '\n');
	}
}

/* What the console has shown since the last power-on. */
static int read_output(struct worker *w, struct buf *out, struct err *e)
{
	const struct console *c = w->boot.console;
	uint64_t from = w->power_on_offset[c - w->consoles];
	AUTOFREE char *name = mem_printf("console-%s.log", c->name);
	AUTOFREE char *path = fs_join(w->dir, name);
	AUTOBUF log = BUF_INIT(LOG_BYTES);

	if (fs_read(path, &log, e))
		return -1;
	if (from < log.len)
		add_text(out, str_make(log.data + from, log.len - (size_t)from));
	return 0;
}

int worker_app_run(struct worker *w, const struct step_run *s, const char *command, struct err *e)
{
	AUTOBUF output = BUF_INIT(LOG_BYTES);
	const struct plan_image *im = NULL;
	struct err said = {0};
	char name[NAME_BYTES];
	struct str text;
	int r;

	app_name(command, name);
	if (!*name)
		return skip(w, "an application takes no command like", command);
	if (strcmp(name, "boot")) {
		im = worker_image(w, name);
		if (!im || !im->path)
			return skip(w, "the job deploys no application", name);
		if (start(w, im, e))
			return -1;
	}
	r = w->boot.drv->listen(&w->boot, &said);
	if (worker_crash_flush(w, r < 0 ? NULL : e) && r >= 0)
		return -1; /* it was started once more */
	w->app_starts = false;
	if (read_output(w, &output, r < 0 ? NULL : e) && r >= 0)
		return -1;
	text = str_make(buf_str(&output), output.len);
	return worker_told(w, r, &said, s->parse, &s->expect, text, e);
}
