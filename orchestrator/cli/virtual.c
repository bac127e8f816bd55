/* SPDX-License-Identifier: MIT */
/* The ends of `hilab player` and `hilab twin`: how they are called, talked to, and how they fail.
 */
#include "cli/virtual.h"

#include <string.h>

int virtual_parse(const struct cli_command *c, int argc, char **argv, void *out, char ***operands,
	struct vlab_run *how, int *status)
{
	int args = argc;

	for (int i = 1; i < args; i++)
		if (!strcmp(argv[i], "--")) {
			how->argv = i + 1 < argc ? (const char *const *)argv + i + 1 : NULL;
			args = i;
		}
	how->quiet = how->argv != NULL;
	return cli_parse(c, args, argv, out, operands, status);
}

int virtual_call(const char *dir, const char *line)
{
	AUTOBUF answer = BUF_INIT(VLAB_ANSWER_BYTES);
	struct err e = {0};

	if (vlab_call(dir, line, &answer, &e) < 0)
		return cli_fail(blame_exit(e.blame), "%s", e.msg);
	return cli_out(&answer) ? EXIT_INCOMPLETE : EXIT_PASS;
}

int virtual_ctl(const struct cli_command *c, int n, char **operands)
{
	AUTOBUF line = BUF_INIT(VLAB_LINE_BYTES);

	if (n < 3)
		return cli_fail(EXIT_USAGE, "%s: ctl needs a folder and a line", c->name);
	for (int i = 2; i < n; i++)
		buf_printf(&line, "%s%s", i > 2 ? " " : "", operands[i]);
	return virtual_call(operands[1], buf_str(&line));
}

int virtual_model(const struct cli_command *c, const char *name, enum relay_model *out)
{
	*out = RELAY_LCUS;
	if (!name || !strcmp(name, relay_models[RELAY_LCUS]))
		return 0;
	if (strcmp(name, relay_models[RELAY_NUMATO]))
		return cli_fail(-1, "%s: no relay model '%s' (lcus, numato)", c->name, name);
	*out = RELAY_NUMATO;
	return 0;
}

int virtual_end(const struct cli_command *c, struct diag *diag, const struct err *e, int status)
{
	if (diag->total) {
		cli_diag(diag);
		status = EXIT_USAGE;
	}
	diag_done(diag);
	return err_is(e) ? cli_fail(blame_exit(e->blame), "%s: %s", c->name, e->msg) : status;
}
