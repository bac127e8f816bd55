/* SPDX-License-Identifier: MIT */
/*
 * Published tables through whole runs of their own jobs. `tool-replay SEED DIR` writes for
 * each job of a table, with the params that the table has on silicon, a board that is played:
 *
 *	DIR/NAME.yaml          its transcript; the type is the SoC's EVM
 *	DIR/NAME.root/answers  what it prints for each command that the job types: the table's text
 *	                       rendered with the values of the seed, nothing for what only prepares
 *	DIR/NAME.args          the SoC, the job and its params, a line each
 *	DIR/NAME.roles         of the images that it deploys
 *
 * Where a step's rails are read the board has the player's instrument, and the command before that
 * step ends with setting it to what the table's text says.
 *
 * and prints their names, and how many figures can come back. Invariant: a command is known by its
 * whole text, as the job compiles; nothing of the job is changed.
 */
#include "runs.h"

#include "agents/measure/sampler.h"
#include "base/fs.h"
#include "base/mem.h"
#include "io/json.h"
#include "io/yaml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The board of each SoC; loaders before an application of a real-time side, and what they say. */
static const struct evm {
	const char *soc, *type, *loaders, *banner;
} evms[] = {
	{"adsp-sc5xx", "adsp-sc589-ezkit", "0", ""},
	{"am275x", "am275x-evm", "1", "Starting UART Bootloader ..."},
	{"am335x", "am335x-evm", "0", ""},
	{"am62axx", "am62axx-sk", "0", ""},
	{"j721e", "j721e-evm", "2", "SBL Revision: 01.00.10.01 (Nov 30 2026 - 10:00:00)"},
};
static const char *const modes[] = {
	"uart", "sd", "ospi", "ospi-optimized", "fast-xspi", "emmc", "emmc-boot0", "emmc-uda"};

/* What a command prints. */
struct answer {
	char *command, *text;
	bool frames; /* text are commands that print frames */
};
struct played_job {
	const struct run *run;
	char *name;
	const char *dir;
	bool firmware;       /* no shell: applications that print */
	const char *console; /* of its boot */
	struct buf roles;    /* of the images that it deploys */
	bool card;           /* it starts by itself, from a card */
	char *takes;         /* milliseconds from the kernel to the login; NULL: none */
	struct buf rules;
	struct buf rails; /* of the transcript */
	VEC(struct answer) answers;
};

static struct metric_table metrics;
static struct reference_set set;
static struct replay replay;
static uint64_t seed;

/* ---- what a board of that job answers ------------------------------------------------------- */

/* Are rails read while it is done? */
static bool is_sampled(const struct step *s)
{
	return s->sample || (s->kind == STEP_MEASURE &&
				    !strcmp(((const struct step_measure *)s->conf)->with, "rails"));
}

static const char *parser_of(const struct step *s)
{
	const struct node *settings, *parse = NULL;

	if (is_sampled(s))
		return "rails";
	if (s->kind == STEP_RUN)
		parse = ((const struct step_run *)s->conf)->parse;
	else if (s->kind == STEP_LOADER)
		parse = ((const struct step_loader *)s->conf)->parse;
	return parse ? plan_parser(parse, &settings) : NULL;
}

/* All texts of a step; two tables may have one output. */
static int add_texts(const struct run *r, const struct step *s, struct buf *out, bool *frames)
{
	struct err e = {0};

	for (size_t i = 0; i < r->shows.n; i++) {
		const struct replay_table *t = r->tables.p[i];
		AUTOFREE struct replay_drawn *drawn = mem_alloc(t->reference->n * sizeof *drawn);
		AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);
		const char *parser = parser_of(s);

		if (strcmp(r->shows.p[i]->step, s->name))
			continue;
		*frames = !r->shows.p[i]->parse && s->kind == STEP_RUN;
		if (parser ? !r->shows.p[i]->parse || strcmp(parser, r->shows.p[i]->parse)
			   : r->shows.p[i]->parse != NULL)
			return fprintf(stderr, "%s: step '%s' parses with '%s'\n", r->job, s->name,
				parser ? parser : "nothing");
		if (replay_render(t, r->shows.p[i], seed, drawn, &text, &e))
			return fprintf(stderr, "%s\n", e.msg);
		if (!out->len || !strstr(buf_str(out), buf_str(&text)))
			buf_add(out, text.data, text.len);
	}
	return 0;
}

/* One character as a pattern (or within one) takes it for itself. */
static void put_escaped(struct buf *out, char c)
{
	if (strchr("\\^$.[]|()?*+{}", c))
		buf_putc(out, '\\');
	buf_putc(out, c);
}

static void put_quoted(struct buf *out, const char *text)
{
	AUTOJSON *string = json_string(text);
	AUTOFREE char *quoted = json_dumps(string, JSON_ENCODE_ANY);

	buf_puts(out, quoted);
}

/* "setexpr NAME A / B": the boot loader's variable, its numbers hexadecimal. */
static bool read_setexpr(const char *command, char name[32], char value[32])
{
	unsigned long long a, b;

	if (sscanf(command, "setexpr %31s %llx / %llx", name, &a, &b) != 3 || !b)
		return false;
	snprintf(value, 32, "%llx", a / b);
	return true;
}

/* What the boot loader is typed, as a pattern; its own variable has a value by then. */
static void add_rule(struct played_job *b, const char *command, const char *acts, const char *name,
	const char *value)
{
	AUTOBUF match = BUF_INIT(BUF_CAP_BYTES);

	for (const char *c = command; *c; c++) {
		if (!strncmp(c, "$${", 3) && !strncmp(c + 3, name, strlen(name)) &&
			c[3 + strlen(name)] == '}') {
			buf_puts(&match, value);
			c += 3 + strlen(name);
		} else if (*c == '\'') {
			buf_puts(&match, "''"); /* in YAML's single quotes */
		} else {
			put_escaped(&match, *c);
		}
	}
	buf_printf(&b->rules, "      - {match: '%s', do: [%s]}\n", buf_str(&match), acts);
}

static void put_rail(struct buf *rails, struct str name)
{
	AUTOFREE char *line = mem_printf("\n  %.*s: {mv: 1000, mw: 0}", STR_ARG(name));

	if (!rails->len)
		buf_puts(rails, "rails:");
	if (!strstr(buf_str(rails), line))
		buf_puts(rails, line);
}

/* The instrument is set to the readings of text by the last command. */
static int set_rails(struct played_job *b, const char *text)
{
	struct answer *last = b->answers.n ? &b->answers.p[b->answers.n - 1] : NULL;
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	struct str rest = str_of(text), line;

	if (!last || (*last->text && !last->frames))
		return fprintf(stderr, "%s: no command before its rails are read\n", b->name);
	buf_printf(
		&out, "%s%s player ctl %s rail %s", last->text, getenv("HILAB"), b->dir, b->name);
	while (str_line(&rest, &line)) {
		struct str at, name, value, unit;

		if (!str_word(&line, &at) || !str_word(&line, &name) || !str_word(&line, &value) ||
			!str_word(&line, &unit))
			continue;
		if (!str_is(name, "all"))
			put_rail(&b->rails, name);
		buf_printf(&out, " '%.*s=%.*s%s'",
			STR_ARG(str_is(name, "all") ? str_of("*") : name), STR_ARG(value),
			str_is(unit, "V") ? "V" : "");
	}
	buf_putc(&out, '\n');
	free(last->text);
	last->text = buf_take(&out);
	last->frames = true;
	return 0;
}

/* How long a step's rails are read: its command takes a little longer. */
static int64_t sampled_s(const struct step *s)
{
	struct sampler_window w = {0};
	struct arena arena = {0};
	struct diag diag = {0};

	schema_fill(&arena, sampler_params, "sample", s->sample, &w, &diag);
	diag_done(&diag);
	arena_done(&arena);
	return (w.settle_ms + w.for_ms + 999) / 1000;
}

/* The last command of the step has its text, whose echo is the board's own. */
static void add_loader(struct played_job *b, const struct step_loader *s, const char *text)
{
	const char *body = !strncmp(text, "=> ", 3) ? strchr(text, '\n') : NULL;
	char name[32] = "", value[32] = "";

	for (size_t i = 0; i < s->commands.n; i++) {
		AUTOBUF acts = BUF_INIT(BUF_CAP_BYTES);

		if (read_setexpr(s->commands.p[i], name, value))
			buf_printf(&acts, "{set: {name: %s, value: \"%s\"}}", name, value);
		else
			put_quoted(&acts, i + 1 < s->commands.n ? "" : body ? body + 1 : text);
		add_rule(b, s->commands.p[i], buf_str(&acts), name, value);
	}
}

static int add_step(struct played_job *b, const struct step *s)
{
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);
	bool frames = false;

	if (add_texts(b->run, s, &text, &frames))
		return -1;
	if (is_sampled(s)) {
		if (text.len && set_rails(b, buf_str(&text)))
			return -1;
		buf_reset(&text);
		if (s->sample)
			buf_printf(&text, "sleep %lld.3\n", (long long)sampled_s(s));
		frames = true;
	}
	if (s->kind == STEP_LOADER) {
		add_loader(b, s->conf, buf_str(&text));
	} else if (s->kind == STEP_RUN) {
		struct answer a = {mem_strdup(((const struct step_run *)s->conf)->command),
			mem_strdup(buf_str(&text)), frames};

		vec_push(&b->answers, a);
	} else if (s->kind == STEP_DEPLOY) {
		const struct param_strings *images = &((const struct step_deploy *)s->conf)->images;

		for (size_t i = 0; i < images->n; i++)
			buf_printf(&b->roles, "%s\n", images->p[i]);
	} else if (s->kind == STEP_BOOT) {
		const char *method = ((const struct step_boot *)s->conf)->method;

		b->console = s->console;
		b->firmware |= method && !strcmp(method, "rtos");
		b->card |= method && !strcmp(method, "autoboot");
	} else if (s->kind == STEP_LOGIN && text.len) {
		free(b->takes);
		b->takes = buf_take(&text);
	}
	return 0;
}

/* ---- the files of a board ------------------------------------------------------------------- */

/* A command as a pattern of the shell's `case`: what is known only in the run is anything. */
static void put_case(struct buf *out, const char *command)
{
	buf_putc(out, '\'');
	for (const char *c = command; *c; c++) {
		const char *end = !strncmp(c, "${", 2) ? strchr(c, '}') : NULL;

		if (end) {
			buf_puts(out, "'*'");
			c = end;
		} else if (!strncmp(c, "$${", 3)) {
			buf_puts(out, "${");
			c += 2;
		} else if (*c == '\'') {
			buf_puts(out, "'\\''");
		} else {
			buf_putc(out, *c);
		}
	}
	buf_putc(out, '\'');
}

/* The text of every answer to a command, in the order in which the job asks. */
static void put_numbers(struct buf *out, const struct played_job *b, size_t first)
{
	for (size_t i = first; i < b->answers.n; i++)
		if (!strcmp(b->answers.p[i].command, b->answers.p[first].command))
			buf_printf(out, " %zu", i);
}

static bool is_first(const struct played_job *b, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(b->answers.p[k].command, b->answers.p[i].command))
			return false;
	return true;
}

/* `find` is read by the played shell: the number of the command in hand's texts. A firmware's
 * `list` has a line of the same for each command. */
static int write_answers(const struct played_job *b, struct err *e)
{
	AUTOFREE char *dir = mem_printf("%s/%s.root/answers", b->dir, b->name);
	AUTOFREE char *find = fs_join(dir, "find");
	AUTOFREE char *list = fs_join(dir, "list");
	AUTOBUF cases = BUF_INIT(BUF_CAP_BYTES);
	AUTOBUF lines = BUF_INIT(BUF_CAP_BYTES);

	if (fs_mkdirs(dir, 0755, e))
		return -1;
	buf_puts(&cases, "case $command in\n");
	for (size_t i = 0; i < b->answers.n; i++) {
		const struct answer *a = &b->answers.p[i];
		AUTOFREE char *path = mem_printf("%s/%zu.%s", dir, i, a->frames ? "run" : "text");

		if (fs_write(path, a->text, strlen(a->text), 0644, e))
			return -1;
		if (!is_first(b, i))
			continue;
		put_case(&cases, a->command);
		buf_puts(&cases, ") answers=\"");
		put_numbers(&cases, b, i);
		buf_puts(&cases, "\" ;;\n");
		put_numbers(&lines, b, i);
		buf_printf(&lines, "\t%s\n", a->command);
	}
	buf_puts(&cases, "esac\n");
	return fs_write(find, buf_str(&cases), cases.len, 0644, e) ||
	       fs_write(list, buf_str(&lines), lines.len, 0644, e);
}

static const struct evm *evm_of(const char *soc)
{
	size_t i = 0;

	while (strcmp(evms[i].soc, soc))
		i++;
	return &evms[i];
}

/* The lab's hand at the boot-mode pins. */
static void put_modes(struct buf *out, const struct played_job *b)
{
	for (size_t i = 0; i < ARRAY_LEN(modes); i++)
		buf_printf(out,
			"      %s: [sh, -c, \"echo %s >%s/%s.root/answers/mode; : >%s/%s.card\"]\n",
			modes[i], modes[i], b->dir, b->name, b->dir, b->name);
}

/* The transcript: a common one, with the type, the name and the loader's answers put in. */
static int write_transcript(const struct played_job *b, struct err *e)
{
	AUTOFREE char *below = mem_printf("reports/t/data/replay-%s.yaml", b->firmware ? "firmware"
									   : b->card   ? "card"
										       : "linux");
	AUTOFREE char *from = fs_data_path(below);
	AUTOFREE char *to = mem_printf("%s/%s.yaml", b->dir, b->name);
	const struct evm *evm = evm_of(b->run->soc);
	bool other = b->console && strcmp(b->console, "main");
	AUTOBUF pins = BUF_INIT(BUF_CAP_BYTES);
	enum { PINS };
	const char *words[][2] = {{"      # @MODES@\n", NULL}, {"@TYPE@", evm->type},
		{"@NAME@", b->name}, {"@DIR@", b->dir}, {"@LOADERS@", evm->loaders},
		{"@BANNER@", evm->banner}, {"@MAIN@", other ? "main: ~, " : ""},
		{"@CONSOLE@", other ? b->console : "main"}, {"@TAKES@", b->takes ? b->takes : "0"},
		{"@SOC@", b->run->soc}, {"@TOOLS@", getenv("HILAB_BUILD")},
		{"      # @RULES@\n", buf_str(&b->rules)}, {"# @RAILS@", buf_str(&b->rails)}};
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);

	put_modes(&pins, b);
	words[PINS][1] = buf_str(&pins);
	if (fs_read(from, &text, e))
		return -1;
	for (struct str s = str_make(text.data, text.len); s.n;) {
		size_t i = 0, eat = 1;

		while (i < ARRAY_LEN(words) && !str_starts(s, words[i][0]))
			i++;
		if (i < ARRAY_LEN(words)) {
			buf_puts(&out, words[i][1] ? words[i][1] : "");
			eat = strlen(words[i][0]);
		} else {
			buf_putc(&out, *s.p);
		}
		s = str_make(s.p + eat, s.n - eat);
	}
	return fs_write(to, buf_str(&out), out.len, 0644, e);
}

static int write_args(const struct played_job *b, const char *images, struct err *e)
{
	AUTOFREE char *path = mem_printf("%s/%s.args", b->dir, b->name);
	AUTOFREE char *roles = mem_printf("%s/%s.roles", b->dir, b->name);
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);

	if (fs_write(roles, buf_str(&b->roles), b->roles.len, 0644, e))
		return -1;
	buf_printf(&out, "%s\njobs/%s\n", b->run->soc, b->run->job);
	if (images)
		buf_printf(&out, "--param\nimages=%s\n", images);
	for (size_t i = 0; i < b->run->n; i++)
		buf_printf(&out, "--param\n%s=%s\n", b->run->settings[i].name,
			b->run->settings[i].value);
	return fs_write(path, buf_str(&out), out.len, 0644, e);
}

/* What a job deploys on a real board, whose kernel needs a device tree; NULL: it does not ask. */
static const char *images_of(const struct node *doc)
{
	const struct node *images = node_find(node_find(doc, "params"), "images");
	const char *preset = node_text(images, "default");

	if (!preset || !strstr(preset, "kernel"))
		return NULL;
	return strstr(preset, "tests") ? "kernel rootfs dtb tests modules" : "kernel rootfs dtb";
}

static int write_files(const struct played_job *b, const char *images, struct err *e)
{
	return write_answers(b, e) || write_transcript(b, e) || write_args(b, images, e) ? -1 : 0;
}

static int write_run(const struct run *r, size_t nth, const char *dir)
{
	const struct job_tables tables = {NULL, NULL, NULL, parse_drivers()};
	AUTOFREE char *below = mem_printf("jobs/%s", r->job);
	AUTOFREE char *path = fs_data_path(below);
	struct played_job b = {.run = r,
		.dir = dir,
		.rules = BUF_INIT(BUF_CAP_BYTES),
		.roles = BUF_INIT(BUF_CAP_BYTES),

		.rails = BUF_INIT(BUF_CAP_BYTES)};
	struct arena arena = {0};
	struct plan p = {0};
	struct diag diag = {0};
	struct err e = {0};
	AUTOBUF said = BUF_INIT(BUF_CAP_BYTES);
	const struct node *doc = yaml_load(&arena, path, &diag);
	int failed = !doc || job_compile(&p, doc, r->settings, r->n, &tables, &diag);

	b.name = mem_printf("%s-%zu", r->soc, nth);
	for (size_t i = 0; !failed && i < p.n; i++)
		failed = add_step(&b, &p.steps[i]);
	failed = failed || write_files(&b, images_of(doc), &e);
	if (failed) {
		diag_print(&diag, &said);
		fprintf(stderr, "%s: %s%s\n", r->job, buf_str(&said), e.msg);
	} else {
		printf("%s\n", b.name);
	}
	vec_each (&b.answers, a) {
		free(a->command);
		free(a->text);
	}
	vec_done(&b.answers);
	buf_done(&b.rules);
	buf_done(&b.rails);
	buf_done(&b.roles);
	free(b.takes);
	free(b.name);
	plan_done(&p);
	diag_done(&diag);
	arena_done(&arena);
	return failed;
}

/* ---- all of them ---------------------------------------------------------------------------- */

/* How many figures the texts of the runs that were written have places for. */
static size_t count_figures(const struct run *r, struct replay_drawn *drawn)
{
	struct err e = {0};
	size_t n = 0;

	for (size_t i = 0; i < r->shows.n; i++) {
		AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);

		replay_render(r->tables.p[i], r->shows.p[i], seed, drawn, &text, &e);
	}
	for (size_t i = 0; r->tables.n && i < r->tables.p[0]->reference->n; i++)
		n += drawn[i].shown;
	return n;
}

static int write_all(const char *dir)
{
	size_t figures = 0;
	int failed = 0;

	find_runs(&replay);
	for (size_t i = 0; i < set.n; i++) {
		AUTOFREE struct replay_drawn *drawn = mem_alloc((set.p[i].n + 1) * sizeof *drawn);
		size_t n = 0;

		for (size_t k = 0; k < runs.n; k++)
			if (!strcmp(runs.p[k].soc, set.p[i].soc)) {
				failed |= write_run(&runs.p[k], k, dir);
				n = count_figures(&runs.p[k], drawn);
			}
		figures += n;
	}
	printf("figures %zu of %zu jobs\n", figures, runs.n);
	return failed ? 1 : 0;
}

int main(int argc, char **argv)
{
	AUTOFREE char *path = fs_data_path("reports/metrics.yaml");
	struct diag diag = {0};
	int status = 2;

	if (argc != 3 || str_u64(str_of(argv[1]), &seed))
		return 2;
	if (!metric_table_load(&metrics, path, &diag) &&
		!reference_set_load(&set, NULL, &metrics, &diag) &&
		!replay_load(&replay, NULL, &set, &diag))
		status = write_all(argv[2]);
	drop_runs();
	replay_done(&replay);
	reference_set_done(&set);
	metric_table_done(&metrics);
	diag_done(&diag);
	return status;
}
