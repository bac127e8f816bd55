/* SPDX-License-Identifier: MIT */
#ifndef IO_SCHEMA_H
#define IO_SCHEMA_H

/*
 * One row per key of a mapping. The same row checks the value, fills the struct, helps the user
 * and documents the key. A table of rows ends with a row whose name is NULL.
 *
 *	struct conf { char *port; int64_t baud; };
 *	static const struct param rows[] = {
 *		{"port", PARAM_STRING, offsetof(struct conf, port), .required = true, .help =
 *"device path"},
 *		{"baud", PARAM_INT, offsetof(struct conf, baud), .preset = "115200", .min = 50, .max
 *= 4000000, .help = "bits per second"}, {0}};
 *
 * C type at the offset: STRING, PATH, PATTERN, CHOICE-as-text: `const char *` (NULL when absent);
 *CHOICE: `int`, the index in choices; INT, DURATION (ms), SIZE (bytes): `int64_t`; NUMBER:
 *`double`; BOOL: `bool`; STRINGS: `struct param_strings`; MAP, LIST, ANY: `const struct node *`
 *(NULL when absent); SECTION: the embedded struct that `rows` describes (filled with its presets
 *when absent). All memory is in the arena.
 */

#include "io/node.h"

enum param_type {
	PARAM_STRING,   /* one scalar, any text */
	PARAM_PATH,     /* a file name; relative ones are taken beside the file that names them */
	PARAM_PATTERN,  /* a PCRE2 pattern, compiled once as a check */
	PARAM_CHOICE,   /* one of choices */
	PARAM_INT,      /* decimal or 0x hex, between min and max */
	PARAM_NUMBER,   /* a decimal number, between min and max */
	PARAM_BOOL,     /* true/false, yes/no, on/off */
	PARAM_DURATION, /* 90s, 1500ms, 1h30m; min and max in ms */
	PARAM_SIZE,     /* 64KiB, 1MiB; min and max in bytes */
	PARAM_STRINGS,  /* a list of scalars; one scalar stands for a list of one */
	PARAM_MAP,      /* a mapping, handed on as a node */
	PARAM_LIST,     /* a list, handed on as a node */
	PARAM_ANY,      /* any value, handed on as a node */
	PARAM_SECTION,  /* a mapping described by rows */
};

struct param_strings {
	const char **p;
	size_t n;
};

struct param {
	const char *name;
	enum param_type type;
	size_t offset;
	bool required;
	const char *preset;         /* default, as text; NULL: zero / NULL */
	const char *const *choices; /* PARAM_CHOICE: NULL-ended */
	int64_t min, max;           /* both 0: no range */
	const struct param *rows;   /* PARAM_SECTION */
	const char *unit;           /* for people: "bit/s"; NULL: none */
	const char *help;           /* one sentence, no full stop */
	const char *example;        /* NULL: the preset is example enough */
};

/*
 * Checks map against rows and fills the struct at out (which the caller zeroed). Every problem
 * goes to diag: unknown key (with the nearest known one), wrong type, out of range, missing key.
 * what names the mapping in texts: "job", "power driver 'serial-relay'". map may be NULL: all
 * presets. Returns 0, or -1 when anything was added to diag.
 */
int schema_fill(struct arena *a, const struct param *rows, const char *what, const struct node *map,
	void *out, struct diag *diag);
/* Only the check. */
int schema_check(
	const struct param *rows, const char *what, const struct node *map, struct diag *diag);
/* The nearest key of rows to a word, or NULL. */
const char *schema_nearest(const struct param *rows, const char *word);
/* "duration", "size", "one of a, b, c", "integer 1..8"; into out. Returns out. */
char *schema_type_text(const struct param *row, char *out, size_t n);
/* The rows as an aligned text table for `-h` and `hilab bench NAME`. */
void schema_help(const struct param *rows, const char *indent, struct buf *out);
/* The rows as a JSON array [{name,type,required,default,min,max,choices,unit,help}]; a new
 * reference. */
json_t *schema_json(const struct param *rows);

#endif
