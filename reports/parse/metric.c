/* SPDX-License-Identifier: MIT */
/*
 * The metric table and conversion between units. Invariant: a value is converted only between
 * units of one kind, by a factor that stands in one table.
 */
#include "metric.h"

#include "io/yaml.h"

#include <math.h>
#include <stdlib.h>

const char *const metric_better_names[] = {"higher", "lower", "neither", NULL};
const char *const metric_aggregate_names[] = {"mean", "median", "min", "max", "sum", NULL};

const struct param metric_params[] = {
	{"unit", PARAM_STRING, offsetof(struct metric_def, unit), .required = true,
		.help = "the unit it is stored and printed in", .example = "MB/s"},
	{"better", PARAM_CHOICE, offsetof(struct metric_def, better), .required = true,
		.choices = metric_better_names, .help = "which direction is an improvement"},
	{"quantum", PARAM_NUMBER, offsetof(struct metric_def, quantum), .preset = "0",
		.help = "smallest step that the tool can show, in the unit; 0 when not known"},
	{"aggregate", PARAM_CHOICE, offsetof(struct metric_def, aggregate), .preset = "mean",
		.choices = metric_aggregate_names, .help = "what several samples of one run make"},
	{"aliases", PARAM_STRINGS, offsetof(struct metric_def, aliases),
		.help = "names that it had before or has elsewhere",
		.example = "[netperf.throughput]"},
	{"units", PARAM_MAP, offsetof(struct metric_def, units),
		.help = "spellings of units that mean something for this metric only",
		.example = "{KB/s: KiB/s}"},
	{"help", PARAM_STRING, offsetof(struct metric_def, help), .required = true,
		.help = "what it says, in one sentence", .example = "bytes read per second"},
	{0},
};

enum kind {
	KIND_RATE,
	KIND_SIZE,
	KIND_TIME,
	KIND_SHARE,
	KIND_COUNT,
	KIND_CYCLES,
	KIND_FREQUENCY,
	KIND_PER_SECOND,
	KIND_IO,
	KIND_PACKETS,
	KIND_FRAMES,
	KIND_WORKLOADS,
	KIND_INSTRUCTIONS,
	KIND_FLOPS,
	KIND_DMIPS,
	KIND_COREMARK,
	KIND_SCORE,
	KIND_POWER,
	KIND_VOLTAGE,
	KIND_CURRENT,
	KIND_ENERGY,
	KIND_TEMPERATURE,
};

/* Factors to B/s, B, s, 1 and so on. Decimal prefixes are powers of 1000 (SI), binary ones of
 * 1024 (IEC 80000-13). */
static const struct unit {
	const char *name;
	enum kind kind;
	double factor;
} units[] = {
	{"B/s", KIND_RATE, 1},
	{"kB/s", KIND_RATE, 1e3},
	{"MB/s", KIND_RATE, 1e6},
	{"GB/s", KIND_RATE, 1e9},
	{"KiB/s", KIND_RATE, 1024.},
	{"MiB/s", KIND_RATE, 1048576.},
	{"GiB/s", KIND_RATE, 1073741824.},
	{"bit/s", KIND_RATE, 1 / 8.},
	{"kbit/s", KIND_RATE, 1e3 / 8},
	{"Mbit/s", KIND_RATE, 1e6 / 8},
	{"Gbit/s", KIND_RATE, 1e9 / 8},
	{"B", KIND_SIZE, 1},
	{"kB", KIND_SIZE, 1e3},
	{"MB", KIND_SIZE, 1e6},
	{"GB", KIND_SIZE, 1e9},
	{"KiB", KIND_SIZE, 1024.},
	{"MiB", KIND_SIZE, 1048576.},
	{"GiB", KIND_SIZE, 1073741824.},
	{"ns", KIND_TIME, 1e-9},
	{"us", KIND_TIME, 1e-6},
	{"ms", KIND_TIME, 1e-3},
	{"s", KIND_TIME, 1},
	{"min", KIND_TIME, 60},
	{"h", KIND_TIME, 3600},
	{"%", KIND_SHARE, 0.01},
	{"ratio", KIND_SHARE, 1},
	{"count", KIND_COUNT, 1},
	{"cycles", KIND_CYCLES, 1},
	{"Hz", KIND_FREQUENCY, 1},
	{"kHz", KIND_FREQUENCY, 1e3},
	{"MHz", KIND_FREQUENCY, 1e6},
	{"GHz", KIND_FREQUENCY, 1e9},
	{"1/s", KIND_PER_SECOND, 1},
	{"IO/s", KIND_IO, 1},
	{"kIO/s", KIND_IO, 1e3},
	{"packets/s", KIND_PACKETS, 1},
	{"kpackets/s", KIND_PACKETS, 1e3},
	{"frames/s", KIND_FRAMES, 1},
	{"workloads/s", KIND_WORKLOADS, 1},
	{"MIPS", KIND_INSTRUCTIONS, 1},
	{"kFLOPS", KIND_FLOPS, 1e3},
	{"MFLOPS", KIND_FLOPS, 1e6},
	{"GFLOPS", KIND_FLOPS, 1e9},
	{"DMIPS/MHz", KIND_DMIPS, 1},
	{"CoreMark/MHz", KIND_COREMARK, 1},
	{"score", KIND_SCORE, 1},
	{"uW", KIND_POWER, 1e-6},
	{"mW", KIND_POWER, 1e-3},
	{"W", KIND_POWER, 1},
	{"uV", KIND_VOLTAGE, 1e-6},
	{"mV", KIND_VOLTAGE, 1e-3},
	{"V", KIND_VOLTAGE, 1},
	{"uA", KIND_CURRENT, 1e-6},
	{"mA", KIND_CURRENT, 1e-3},
	{"A", KIND_CURRENT, 1},
	{"uJ", KIND_ENERGY, 1e-6},
	{"mJ", KIND_ENERGY, 1e-3},
	{"J", KIND_ENERGY, 1},
	{"degC", KIND_TEMPERATURE, 1},
};

/* What tools and documents write for them. Here stands only what means one thing wherever it is
 * written: a K or a lower-case m in a rate does not, nor does iperf 2's MBytes. */
static const struct {
	const char *name, *unit;
} spellings[] = {
	{"10^6bits/s", "Mbit/s"},
	{"10^6bits/sec", "Mbit/s"},
	{"Gbits/sec", "Gbit/s"},
	{"Kbits/sec", "kbit/s"},
	{"MB/sec", "MB/s"},
	{"MBits/sec", "Mbit/s"},
	{"Mbits/sec", "Mbit/s"},
	{"Mbits/Sec", "Mbit/s"},
	{"Mbps", "Mbit/s"},
	{"Gbps", "Gbit/s"},
	{"bits/sec", "bit/s"},
	{"bytes/sec", "B/s"},
	{"MiBps", "MiB/s"},
	{"KiBps", "KiB/s"},
	{"GiBps", "GiB/s"},
	{"bytes", "B"},
	{"nsec", "ns"},
	{"nanosec", "ns"},
	{"nanoseconds", "ns"},
	{"usec", "us"},
	{"usecs", "us"},
	{"microsec", "us"},
	{"microseconds", "us"},
	{"\302\265s", "us"},
	{"\316\274s", "us"},
	{"msec", "ms"},
	{"msecs", "ms"},
	{"millisec", "ms"},
	{"milliseconds", "ms"},
	{"sec", "s"},
	{"secs", "s"},
	{"secs.", "s"},
	{"seconds", "s"},
	{"percent", "%"},
	{"percentage", "%"},
	{"per sec", "1/s"},
	{"rps", "1/s"},
	{"trans/s", "1/s"},
	{"kPPS", "kpackets/s"},
	{"pps", "packets/s"},
	{"IOPS", "IO/s"},
	{"iops", "IO/s"},
	{"fps", "frames/s"},
	{"FPS", "frames/s"},
	{"Kflops", "kFLOPS"},
	{"KFLOPS", "kFLOPS"},
	{"Mflops", "MFLOPS"},
	{"milliwatts", "mW"},
	{"volts", "V"},
};

static const struct unit *unit_find(const char *name)
{
	for (size_t i = 0; name && i < ARRAY_LEN(spellings); i++)
		if (!strcmp(spellings[i].name, name)) {
			name = spellings[i].unit;
			break;
		}
	for (size_t i = 0; name && i < ARRAY_LEN(units); i++)
		if (!strcmp(units[i].name, name))
			return &units[i];
	return NULL;
}

bool metric_unit_known(const char *unit)
{
	return unit_find(unit) != NULL;
}

int metric_convert(double value, const char *unit, const char *to, double *out, struct err *e)
{
	const struct unit *a = unit_find(unit), *b = unit_find(to);

	if (!isfinite(value))
		return err_set(e, BLAME_BUG, "a figure that is not a number");
	if (unit && to && !strcmp(unit, to)) {
		*out = value;
		return 0;
	}
	if (!a || !b)
		return err_set(e, BLAME_BUG, "unit '%s' is not known",
			a      ? to ? to : "(none)"
			: unit ? unit
			       : "(none)");
	if (a->kind != b->kind)
		return err_set(e, BLAME_BUG, "'%s' cannot be told in '%s'", unit, to);
	/* The ratio first: a power of ten by another one is exact more often. */
	*out = a->factor >= b->factor ? value * (a->factor / b->factor)
				      : value / (b->factor / a->factor);
	return 0;
}

int metric_value(
	const struct metric_def *def, double value, const char *unit, double *out, struct err *e)
{
	const char *own = node_text(def->units, unit ? unit : "");

	return metric_convert(value, own ? own : unit, def->unit, out, e);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double metric_make(int how, double *samples, size_t n)
{
	double sum = 0, mean = 0;

	qsort(samples, n, sizeof *samples, by_value);
	for (size_t i = 0; i < n; i++) {
		sum += samples[i];
		mean += (samples[i] - mean) / (double)(i + 1);
	}
	switch (how) {
	case METRIC_MEDIAN:
		return n % 2 ? samples[n / 2] : samples[n / 2 - 1] / 2 + samples[n / 2] / 2;
	case METRIC_MIN:
		return samples[0];
	case METRIC_MAX:
		return samples[n - 1];
	case METRIC_SUM:
		return sum;
	default:
		return mean;
	}
}

/* What no table knows. */
static int settle_own(const struct parser *p, const struct sink_metric *m, struct err *e)
{
	if (!p || !p->parse_set)
		return 0;
	if (!metric_unit_known(m->unit))
		return err_set(e, BLAME_TEST,
			"it is not in the metric table, and unit '%.40s' is not known", m->unit);
	if (!m->better)
		return err_set(e, BLAME_TEST,
			"it is not in the metric table, and the settings of parser '%s' do not say "
			"which direction is better",
			p->d.name);
	return 0;
}

int metric_settle(
	const struct metric_table *t, const struct parser *p, struct sink_metric *m, struct err *e)
{
	const struct metric_def *def = metric_find(t, m->name);
	double value;

	if (!def)
		return settle_own(p, m, e);
	if (metric_value(def, m->value, m->unit, &value, e)) {
		if (e)
			e->blame = BLAME_TEST;
		return -1;
	}
	m->value = value;
	metric_value(def, m->min, m->unit, &m->min, NULL);
	metric_value(def, m->max, m->unit, &m->max, NULL);
	metric_value(def, m->resolution, m->unit, &m->resolution, NULL);
	m->name = def->name;
	m->unit = def->unit;
	return 0;
}

static int check_units(const struct metric_def *def, struct diag *diag)
{
	int failed = 0;

	node_each (def->units, kid) {
		double out;

		if (kid->type != NODE_SCALAR)
			failed = diag_add(diag, kid->at, "'%s' stands for no unit", kid->key);
		else if (metric_unit_known(kid->key))
			failed = diag_add(diag, kid->at, "'%s' is a unit everywhere", kid->key);
		else if (metric_convert(1, kid->text, def->unit, &out, NULL))
			failed = diag_add(
				diag, kid->at, "'%s' cannot be told in '%s'", kid->text, def->unit);
	}
	return failed;
}

/* Its names, each once in the table. */
static int add_names(
	struct metric_table *t, struct metric_def *def, struct loc at, struct diag *diag)
{
	int failed = 0;

	for (size_t i = 0; i <= def->aliases.n; i++) {
		const char *name = i ? def->aliases.p[i - 1] : def->name;

		if (map_find(&t->by_name, name))
			failed = diag_add(diag, at, "'%s' names two metrics", name);
		map_set(&t->by_name, name, def);
	}
	return failed;
}

static int table_add(struct metric_table *t, const struct node *entry, struct diag *diag)
{
	struct metric_def *def = arena_alloc(&t->arena, sizeof *def);

	def->name = arena_strdup(&t->arena, entry->key);
	if (schema_fill(&t->arena, metric_params, "metric", entry, def, diag))
		return -1;
	if (!unit_find(def->unit))
		return diag_add(
			diag, node_find(entry, "unit")->at, "unit '%s' is not known", def->unit);
	if (def->quantum < 0)
		return diag_add(diag, node_find(entry, "quantum")->at, "quantum is below 0");
	return check_units(def, diag) | add_names(t, def, entry->at, diag);
}

int metric_table_load(struct metric_table *t, const char *path, struct diag *diag)
{
	struct metric_table made = {0};
	const struct node *doc, *list;
	int failed = 0;

	doc = yaml_load(&made.arena, path, diag);
	list = node_find(doc, "metrics");
	if (!doc)
		failed = -1;
	else if (!list || list->type != NODE_MAP)
		failed = diag_add(diag, doc->at, "it has no mapping 'metrics'");
	else
		node_each (list, entry)
			failed |= table_add(&made, entry, diag);
	if (failed) {
		metric_table_done(&made);
		return -1;
	}
	*t = made;
	return 0;
}

void metric_table_done(struct metric_table *t)
{
	map_done(&t->by_name);
	arena_done(&t->arena);
}

const struct metric_def *metric_find(const struct metric_table *t, const char *name)
{
	return map_find(&t->by_name, name);
}
