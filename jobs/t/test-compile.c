/* SPDX-License-Identifier: MIT */
/* Compiling: params from the command line, limits, what reading a plan back refuses. */
#include "jobs/t/tables.h"

#include "base/t/tap.h"
#include "io/json.h"
#include "io/t/page.h"
#include "io/yaml.h"

#include <stdlib.h>

static struct arena arena;
static struct diag diag;
static struct plan plan;
static char said[4096];

static const struct node *doc(const char *text)
{
	arena_done(&arena);
	diag_done(&diag);
	return yaml_parse(&arena, "job.yaml", str_of(text), &diag);
}

/* Compiles into plan; what was said goes to said. */
static int compile(const char *text, const struct job_setting *settings, size_t n)
{
	const struct node *d = doc(text);
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	int rc;

	plan_done(&plan);
	rc = d ? job_compile(&plan, d, settings, n, &tables, &diag) : -1;
	diag_print(&diag, &out);
	snprintf(said, sizeof said, "%s", buf_str(&out));
	return rc;
}

static void settings(void)
{
	static const char job[] = "job: x\n"
				  "params:\n"
				  "  size: {default: 4MiB}\n"
				  "  disk: {help: the card, choices: [a, b]}\n"
				  "steps:\n"
				  "  - login\n"
				  "  - run: dd ${size} ${disk}\n";
	const struct job_setting good[] = {{"disk", "a"}, {"size", "1"}, {"size", "2MiB"}},
				 bad[] = {{"szie", "1"}, {"disk", "none"}},
				 late[] = {{"disk", "a"}, {"size", "${nonsense}"}};
	const struct step_run *run;

	ok(!compile(job, good, 3), "params from the command line: %s", said);
	run = plan.steps[1].conf;
	is_str(run->command, "dd 2MiB a", "the last setting of a name counts");
	is_str(node_text(plan.params, "size"), "2MiB", "and is on record");
	is_int(compile(job, NULL, 0), -1, "a param without default must be given");
	is_str(said,
		"job.yaml:4:3: param 'disk' has no default: give --param disk=VALUE: the card\n",
		"and is told so with its help");
	is_int(compile(job, bad, 2), -1, "wrong settings are refused");
	has_str(said, "--param: unknown value of param 'disk' 'none' (known: a, b)", "a choice");
	has_str(said, "--param: unknown param 'szie' (did you mean 'size'?)", "a name");
	is_int(compile(job, late, 2), -1, "a value with a variable that no run has");
	has_str(said, "--param: unknown param '${nonsense}'", "is refused where it came from");
	is_int(job_check(doc(job), &tables, &diag), 0,
		"checking alone needs no value for a param without default");
}

static void values_stay_values(void)
{
	const struct job_setting one[] = {{"a", "$${x} ${run.id} `;'"}};
	const struct step_run *run;

	ok(!compile("job: x\nparams: {a: 1, b: '${board.name}'}\nsteps: [login, {run: 'echo ${a} "
		    "${b} $${a}'}]\n",
		   one, 1),
		"values with dollars: %s", said);
	run = plan.steps[1].conf;
	is_str(run->command, "echo $${x} ${run.id} `;' ${board.name} $${a}",
		"what a param brings is not looked at again");
}

static void no_tables(void)
{
	const struct node *d = doc("job: x\nbuild: b\nsteps:\n"
				   "  - deploy: {method: any, images: a}\n"
				   "  - boot: any\n  - login\n"
				   "  - run: {command: ls, parse: any}\n"
				   "  - measure: {with: any, what: ever}\n");
	const struct step_measure *m;

	plan_done(&plan);
	ok(!job_compile(&plan, d, NULL, 0, NULL, &diag), "without tables names are not checked");
	m = plan.steps[4].conf;
	is_str(node_text(m->settings, "what"), "ever", "settings are handed on");
	is_int((long long)m->settings->n, 1, "only those");
}

static void limits(void)
{
	AUTOBUF job = BUF_INIT((size_t)1 << 20);
	AUTOFREE char *big = malloc(60001);
	struct job_setting one[] = {{"big", big}};

	memset(big, 'x', 60000);
	big[60000] = 0;
	buf_puts(&job, "job: x\nparams: {big: 1}\nsteps:\n  - login\n");
	for (int i = 0; i < 20000; i++)
		buf_puts(&job, "  - run: ls\n");
	is_int(compile(buf_str(&job), NULL, 0), -1, "too many steps");
	has_str(said, "more than 20000 steps", "is told");
	buf_reset(&job);
	buf_puts(&job, "job: x\nsteps:\n  - login\n");
	for (int i = 0; i < 19999; i++)
		buf_puts(&job, "  - run: ls\n");
	ok(!compile(buf_str(&job), NULL, 0), "as many as allowed: %.200s", said);
	is_str(plan.steps[19999].name, "run-19999", "all with a name of their own");
	buf_reset(&job);
	buf_puts(&job, "job: x\nparams: {big: 1}\nsteps:\n  - login\n");
	for (int i = 0; i < 2000; i++)
		buf_puts(&job, "  - run: echo ${big}\n");
	is_int(compile(buf_str(&job), one, 1), -1, "too large once expanded");
	has_str(said, "the job passes 64 MiB once expanded", "is told");
	is_int(compile("job: x\nparams: {big: 1}\nsteps: [login, {run: 'a ${big} ${big}'}]\n", one,
		       1),
		-1, "one text too large once expanded");
	has_str(said, "the text passes 64 KiB once expanded", "is told");
}

static void plans(void)
{
	static const struct {
		const char *json, *said;
	} bad[] = {
		{"{}", "version is 0"},
		{"{\"plan\":1}", "version is 1"},
		{"{\"plan\":2}", "lacks its job's name"},
		{"{\"plan\":2,\"job\":\"x\",\"timeout_ms\":1}", "0 steps"},
		{"{\"plan\":2,\"job\":\"x\",\"timeout_ms\":1,\"steps\":[{\"kind\":\"fly\"}]}",
			"no known kind 'fly'"},
		{"{\"plan\":2,\"job\":\"x\",\"timeout_ms\":1,\"steps\":[{\"kind\":\"login\"}]}",
			"step 1 lacks"},
		{"{\"plan\":2,\"job\":\"x\",\"timeout_ms\":1,\"steps\":[{\"kind\":\"power\","
		 "\"name\":\"a\",\"suite\":\"b\",\"console\":\"c\",\"timeout_ms\":1,\"params\":"
		 "{}}]}",
			"missing key 'action'"},
		{"{\"plan\":2,\"job\":\"x\",\"timeout_ms\":1,\"images\":[{\"role\":\"a\"}],"
		 "\"steps\":[]}",
			"image 1 lacks"},
	};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		AUTOJSON *j = json_parse(str_of(bad[i].json), "plan.json", NULL);
		struct plan p = {0};
		struct err e = {0};

		is_int(plan_from_json(&p, j, &e), -1, "a damaged plan: %s", bad[i].said);
		has_str(e.msg, bad[i].said, "says what is wrong");
		is_int(e.blame, BLAME_BUG, "and that it is our fault");
		ok(!p.steps && !p.arena.head, "and gives nothing");
	}
}

static void roles(void)
{
	static const char job[] = "job: x\nroles:\n  a: {steps: [login]}\n  b: {steps: [login]}\n";
	struct job_parts parts = {0};

	ok(job_has_roles(doc(job)), "a job with roles");
	ok(!job_has_roles(doc("job: x\nsteps: [login]\n")), "one without");
	is_int(compile(job, NULL, 0), -1, "has more than one plan");
	is_str(said,
		"job.yaml:2:1: a job with roles is for several boards: it needs a controller "
		"(hilab submit)\n",
		"which is told");
	ok(!job_compile_parts(&parts, doc(job), NULL, 0, &tables, &diag), "its parts");
	is_int((long long)parts.n, 2, "are two");
	ok(!parts.boards[0] && !parts.boards[1], "which say nothing of their boards");
	is_str(parts.plans[1].role, "b", "in its order");
	is_str(parts.plans[1].steps[0].suite, "x/b", "with a suite each");
	job_parts_done(&parts);
	ok(!job_compile_parts(&parts, doc("job: x\nboard: {soc: y}\nsteps: [login]\n"), NULL, 0,
		   &tables, &diag),
		"a job without roles");
	is_int((long long)parts.n, 1, "has one part");
	ok(!parts.plans[0].role && !parts.plans[0].roles.n, "without a role");
	ok(parts.boards[0] && node_find(parts.boards[0], "soc"), "and its board is the job's");
	is_str(parts.plans[0].steps[0].suite, "x", "and its suite the job");
	job_parts_done(&parts);
}

static void kinds(void)
{
	is_int(doc_kind_of(doc("job: x\nbuild: y\n")), DOC_JOB, "a job may name a build");
	is_int(doc_kind_of(doc("description: x\nbuild: y\n")), DOC_BUILD, "a build");
	is_int(doc_kind_of(doc("lab: x\n")), DOC_LAB, "a lab");
	is_int(doc_kind_of(doc("type: x\n")), DOC_TYPE, "a type");
	is_int(doc_kind_of(doc("x: y\n")), DOC_UNKNOWN, "none of ours");
	is_int(doc_kind_of(doc("[job]\n")), DOC_UNKNOWN, "a list");
	is_int(doc_kind_of(NULL), DOC_UNKNOWN, "nothing");
}

static void help(void)
{
	static const struct param *const tables_of_rows[] = {job_params, job_param_params,
		job_role_params, step_common_params, group_params, match_params};

	for (size_t i = 0; i < ARRAY_LEN(tables_of_rows); i++)
		for (const struct param *row = tables_of_rows[i]; row->name; row++)
			ok(row->help && *row->help, "'%s' has its help", row->name);
	for (int kind = 0; kind < STEP_COUNT; kind++) {
		const struct step_spec *spec = &step_specs[kind];
		bool shorthand = !spec->shorthand;

		ok(spec->name && spec->brief && spec->blame && spec->timeout_ms > 0,
			"step kind %d is whole", kind);
		for (const struct param *row = spec->params; row->name; row++) {
			for (const struct param *other = step_common_params; other->name; other++)
				ok(strcmp(row->name, other->name) != 0,
					"'%s' of '%s' is no key of every step", row->name,
					spec->name);
			ok(row->help && *row->help && row->offset < spec->size,
				"'%s' of '%s' has its help and its place", row->name, spec->name);
			shorthand |= spec->shorthand && !strcmp(spec->shorthand, row->name);
		}
		ok(shorthand, "the short form of '%s' is one of its keys", spec->name);
	}
}

static void page(void)
{
	static const char page[] = "jobs/doc/hilab-job.5";
	AUTOFREE char *path = fs_data_path(page);
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);

	page_has_rows(page, job_params, "a job");
	page_has_rows(page, job_param_params, "a param");
	page_has_rows(page, job_role_params, "a role");
	page_has_rows(page, match_params, "board");
	page_has_rows(page, step_common_params, "every step");
	page_has_rows(page, group_params, "a group");
	is_int(fs_read(path, &text, NULL), 0, "the page is there");
	for (int kind = 0; kind < STEP_COUNT; kind++) {
		AUTOFREE char *blame = mem_printf(
			"\n.It Ic %s\n%s\n", step_specs[kind].name, step_specs[kind].blame);

		page_has_rows(page, step_specs[kind].params, step_specs[kind].name);
		ok(strstr(buf_str(&text), blame), "it says whom '%s' blames",
			step_specs[kind].name);
	}
}

int main(void)
{
	settings();
	values_stay_values();
	no_tables();
	limits();
	plans();
	roles();
	kinds();
	help();
	page();
	plan_done(&plan);
	arena_done(&arena);
	diag_done(&diag);
	return tap_done();
}
