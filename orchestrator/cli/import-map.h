/* SPDX-License-Identifier: MIT */
#ifndef CLI_IMPORT_MAP_H
#define CLI_IMPORT_MAP_H

/*
 * What the cells of published tables are: rules over section, table, row and column, each giving a
 * metric and its labels. Read out of a mapping file (`--map`) and of the installed ones
 * (reports/guides/), whose rules come after its own.
 */

#include "cli/import.h"
#include "io/node.h"
#include "io/pattern.h"
#include "io/schema.h"

#define MAP_GROUPS 24 /* named texts that a rule can use at once */

struct map_pattern {
	struct pattern *p;                 /* NULL: anything */
	const char *names[PATTERN_GROUPS]; /* of its groups; NULL: without a name */
};
enum map_part { MAP_SECTION, MAP_TABLE, MAP_ABOVE, MAP_ROW, MAP_COLUMN, MAP_PARTS };

struct map_rule {
	const char *texts[MAP_PARTS];
	int64_t names; /* how many of the first columns name a row */
	const char *metric, *unit, *skip;
	const struct node *labels, *units, *from;
	struct map_pattern patterns[MAP_PARTS];
	struct loc at;
};
/* Of which run a figure is, as templates; NULL: not told. */
struct map_run {
	const char *type, *board, *soc, *build, *release, *date, *job;
	bool twin;
};
/* Which columns of a long CSV are what. */
struct map_csv {
	const char *section, *table, *row, *column, *value, *min, *max, *unit;
};
struct import_map {
	struct arena arena;
	VEC(struct map_rule) rules;
	VEC(const struct node *) boards, units; /* the first that knows a name says it */
	struct map_run run;
	struct map_csv csv;
	bool has_csv;
};
extern const struct param map_params[], map_rule_params[];

/* One more file. Problems go to diag; -1 when there were any. */
int import_map_load(struct import_map *m, const char *path, const struct metric_table *metrics,
	struct diag *diag);
/* The installed mappings. */
int import_map_load_own(
	struct import_map *m, const struct metric_table *metrics, struct diag *diag);
void import_map_done(struct import_map *m);

/* ---- cells ---- */

struct map_group {
	const char *name;
	struct str text;
};
struct map_groups {
	struct map_group p[MAP_GROUPS];
	size_t n;
};
struct map_cell {
	const char *text[MAP_PARTS];      /* NULL: not told, as "" */
	struct str value, min, max, unit; /* min, max, unit: from columns of their own; n 0: none */
	/* Of a table: what its row is called by 1, 2.. of its first columns, and which column it is
	 * in. names NULL: the row has one name. */
	const char *const *names;
	size_t at, line;
	/* The heading and the text of other cells of its row, by number; false: there is none. */
	bool (*beside)(void *arg, size_t i, struct str *heading, struct str *text);
	void *arg;
};
enum map_answer { MAP_NO_RULE, MAP_LEFT_OUT, MAP_MISSING, MAP_REFUSED, MAP_TAKEN };

bool map_matches(const struct map_pattern *p, const char *text, struct map_groups *g);
/* How many of that table's first columns name a row, by the rules about it; 0: there is none. */
int64_t map_names(const struct import_map *m, const char *section, const char *table);
/* Texts in braces replaced by the groups of that name, "{NAME:lower}" in lower case; in a. NULL:
 * one is not there. */
const char *map_fill(struct arena *a, const char *template, const struct map_groups *g);
/*
 * The first rule that matches says what the cell is, and it goes into its run of the draft. given:
 * more texts that templates can name (a record's other columns).
 */
enum map_answer map_cell(const struct import_map *m, struct import_draft *d,
	const struct map_cell *c, const struct map_groups *given);

#endif
