/* SPDX-License-Identifier: MIT */
/* `hilab agent`: the daemon of a lab host. Its options and the keys of its config file are one. */
#include "agents/agent.h"
#include "base/fs.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "io/yaml.h"

#include <stdlib.h>

#define SYSTEM_CONFIG "/etc/hilab/agent.yaml"

struct args {
	const char *config, *server, *token_file, *ca, *name, *lab, *dir, *max_jobs, *prepare;
	int64_t ready_fd;
};

static const struct cli_opt opts[] = {
	{"server", 's', CLI_TEXT, offsetof(struct args, server), "URL",
		"the controller (else that of this user on this host)"},
	{"lab", 'l', CLI_TEXT, offsetof(struct args, lab), "FILE",
		"lab file (else the user's or the system's)"},
	{"name", 'n', CLI_TEXT, offsetof(struct args, name), "NAME",
		"name of the agent (else the host's)"},
	{"token-file", 0, CLI_TEXT, offsetof(struct args, token_file), "FILE",
		"file with the agent's token"},
	{"ca", 0, CLI_TEXT, offsetof(struct args, ca), "FILE",
		"PEM of who signs the controller's certificate"},
	{"dir", 'd', CLI_TEXT, offsetof(struct args, dir), "DIR",
		"where job folders and images are kept"},
	{"max-jobs", 'j', CLI_TEXT, offsetof(struct args, max_jobs), "N",
		"jobs that run at once (else as many as boards)"},
	{"config", 'c', CLI_TEXT, offsetof(struct args, config), "FILE",
		"config file (else agent.yaml in the user's or the system's folder)"},
	{"ready-fd", 0, CLI_COUNT, offsetof(struct args, ready_fd), "FD",
		"descriptor that gets the ready line and is closed"},
	{"prepare", 0, CLI_TEXT, offsetof(struct args, prepare), "DIR",
		"only fetch what that job folder needs (the agent does so by itself)"},
	{0},
};

/* The first that is there; NULL: none. */
static char *preset(const char *name, const char *system)
{
	AUTOFREE char *dir = fs_config_dir();
	char *own = fs_join(dir, name);

	if (fs_exists(own))
		return own;
	free(own);
	return fs_exists(system) ? mem_strdup(system) : NULL;
}

/* The options given on the command line, laid over the file's keys. */
static struct node *lay_over(struct arena *a, const struct node *file, const struct args *args)
{
	static const struct {
		const char *key;
		size_t offset;
	} given[] = {{"server", offsetof(struct args, server)},
		{"token-file", offsetof(struct args, token_file)},
		{"ca", offsetof(struct args, ca)}, {"name", offsetof(struct args, name)},
		{"lab", offsetof(struct args, lab)}, {"dir", offsetof(struct args, dir)},
		{"max-jobs", offsetof(struct args, max_jobs)}};
	struct loc at = {.file = "command line"};
	struct node *over = node_new(a, NODE_MAP, at);

	for (size_t i = 0; i < ARRAY_LEN(given); i++) {
		const char *text = *(const char *const *)((const char *)args + given[i].offset);

		if (text)
			node_map_set(a, over, given[i].key, node_scalar(a, text, at));
	}
	return file ? node_overlay(a, file, over) : over;
}

static int load(struct arena *a, const struct args *args, struct agent_opts *o)
{
	AUTOFREE char *found = args->config ? NULL : preset("agent.yaml", SYSTEM_CONFIG);
	const char *path = args->config ? args->config : found;
	struct diag diag = {0};
	const struct node *file = path ? yaml_load(a, path, &diag) : NULL;
	int rc = 0;

	if (!diag.total)
		schema_fill(a, agent_params, "agent", lay_over(a, file, args), o, &diag);
	if (diag.total) {
		cli_diag(&diag);
		rc = -1;
	}
	diag_done(&diag);
	return rc;
}

static int run(int argc, char **argv)
{
	struct args args = {.ready_fd = -1};
	struct agent_opts o = {0};
	struct arena a = {0};
	AUTOFREE char *lab = NULL;
	char **operands;
	int status;

	if (cli_parse(&agent_command, argc, argv, &args, &operands, &status) < 0)
		return status;
	status = EXIT_USAGE;
	o.ready_fd = (int)args.ready_fd;
	if (!load(&a, &args, &o)) {
		if (!o.lab_path)
			o.lab_path = lab = preset("lab.yaml", "/etc/hilab/lab.yaml");
		if (args.prepare)
			status = agent_prepare_main(&o, args.prepare);
		else if (!o.lab_path)
			cli_fail(status, "agent: no lab file: give --lab FILE");
		else
			status = agent_main(&o);
	}
	arena_done(&a);
	return status;
}

const struct cli_command agent_command = {
	.name = "agent",
	.brief = "run the boards of this host for a controller",
	.usage = "",
	.details = "Dials out to the controller, starts a worker for each job on a board of the "
		   "lab file\n"
		   "and ships what they find. Workers go on when the agent ends, and the next one "
		   "takes\n"
		   "them over; the controller may be away meanwhile. SIGHUP reads the lab file "
		   "again.\n"
		   "Every option is a key of the config file too; see hilab-agent(5).",
	.example = "  hilab agent --lab desk.yaml\n"
		   "  hilab agent --server https://lab.example:8420 --token-file "
		   "/etc/hilab/agent.token",
	.opts = opts,
	.min_operands = 0,
	.max_operands = 0,
	.run = run,
};
