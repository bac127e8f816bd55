/* SPDX-License-Identifier: MIT */
/*
 * Change points, run by run. Invariant: what is found depends on the values alone, in their order;
 * a level begins where the last change is, and older values serve only as samples of the noise.
 */
#include "changes.h"

#include "split.h"

#include <math.h>
#include <string.h>

#define LEVEL_MIN     8  /* runs of a level before the newest that are compared with it */
#define SETTLED       24 /* runs after which a change stays where it is */
#define YOUNG         40 /* runs: a series of fewer is hardly known */
#define YOUNG_EXTRA   1.7
#define YOUNG_MEMORY  0.55
#define HALVES_MEMORY 0.4
#define EXTRA         1.2 /* at YOUNG runs, none at CHANGES_MATURE */
#define REACH         9   /* runs that a change may move at a time */
#define BACK          26  /* runs that one is found back at most */
#define FADE_RUNS     9
#define FADE_LIMIT    2.6
#define EFFECT_MIN    1.2 /* deviations: what is less than a run's noise is nobody's regression */
#define HALVES_EVERY  4   /* runs: it is the dearer question */
#define SPLIT_LIMIT   4.6 /* of two long halves of a level */

/* The newest runs that are tried together, and by how much more than the limit they have to stand
 * out. Few runs are tried for big steps only; 5, 8 and 12 carry most of the detection, and with
 * memory 8 and 12. */
#define WINDOWS       9
#define WINDOW_LIMIT  3.32
#define WINDOW_MEMORY 3.56
#define NEVER         9.0
static const struct window {
	size_t runs;
	double extra, with_memory;
} windows[WINDOWS] = {
	{3, 1.6, NEVER},
	{4, 1.0, NEVER},
	{5, 0.0, 1.5},
	{6, 1.0, NEVER},
	{8, 0.3, 0.3},
	{10, 1.0, NEVER},
	{12, 0.3, 0.0},
	{16, 1.0, NEVER},
	{24, 0.9, NEVER},
};

/* Limits of the standardised sum of normal scores of the newest k of n: each is exceeded with
 * probability 1e-4, whatever the distribution (400 000 permutations; test-changes checks it). */
#define SIZES 6
static const size_t sizes[SIZES] = {20, 30, 45, 60, 90, 128};
static const double score_limits[SIZES][WINDOWS] = {
	{2.87, 3.08, 3.24, 3.22, 3.32, 3.30, 3.30, 3.30, 3.30},
	{3.15, 3.34, 3.40, 3.45, 3.47, 3.45, 3.49, 3.49, 3.49},
	{3.42, 3.51, 3.54, 3.55, 3.62, 3.67, 3.64, 3.66, 3.69},
	{3.52, 3.55, 3.60, 3.62, 3.64, 3.70, 3.70, 3.70, 3.73},
	{3.61, 3.66, 3.70, 3.73, 3.73, 3.76, 3.77, 3.77, 3.78},
	{3.67, 3.73, 3.75, 3.77, 3.80, 3.80, 3.81, 3.81, 3.81},
};

void changes_init(struct changes *c, double resolution)
{
	*c = (struct changes){.resolution = resolution > 0 ? resolution : 0};
}

/* ---- the newest against the level ------------------------------------------------------------ */

/* The values with older levels moved onto that of now: samples of one noise. */
static void align(const struct changes *c, double *out)
{
	double was, is, unused;

	memcpy(out, c->v, c->n * sizeof *out);
	if (!c->level)
		return;
	noise_level(c->v, c->level, &was, &unused);
	noise_level(c->v + c->level, c->n - c->level, &is, &unused);
	for (size_t i = 0; i < c->level; i++)
		out[i] += is - was;
}

static void forget(double *v, size_t n, double memory)
{
	for (size_t i = n; i-- > 1;)
		v[i] -= memory * v[i - 1];
	v[0] *= 1 - memory;
}

struct sample {
	double v[NOISE_VALUES], scores[NOISE_VALUES], untied[NOISE_VALUES], memory;
	unsigned char order[NOISE_VALUES]; /* of v by value */
	bool normal;
};

/* Level of v[from..to), whose order is known. */
static void level_between(
	const struct sample *s, size_t n, size_t from, size_t to, double *mean, double *deviation)
{
	double sorted[NOISE_VALUES];
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (s->order[i] >= from && s->order[i] < to)
			sorted[k++] = s->v[s->order[i]];
	noise_level_sorted(s->v + from, sorted, k, mean, deviation);
}

/* How much the newest k stand out, by Student's t as a normal deviate of the same probability
 * (Wallace 1959). level: runs of the level among the first n - k. */
static double by_mean(const struct sample *s, size_t n, size_t k, size_t level, double resolution)
{
	const double *v = s->v;
	size_t base = n - k;
	double mean, deviation, unused, sum = 0, t, freedom = (double)base - 1;

	level_between(s, n, 0, base, &mean, &deviation);
	if (level < base)
		level_between(s, n, base - level, base, &mean, &unused);
	if (deviation < resolution / 4)
		deviation = resolution / 4;
	if (deviation <= 0)
		return 0;
	for (size_t i = base; i < n; i++) {
		double z = (v[i] - mean) / deviation;

		sum += z > NOISE_CLIP ? NOISE_CLIP : z < -NOISE_CLIP ? -NOISE_CLIP : z;
	}
	t = sum / (double)k / sqrt(1 / (double)k + 1 / (double)level);
	return copysign(sqrt(freedom * log1p(t * t / freedom)), t);
}

/* The spread is that of untied scores: ties make it less, and the test more careful. */
static double by_scores(
	const double *scores, const double *untied, size_t n, size_t k, size_t level)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		squares += untied[i] * untied[i];
		if (i >= n - k)
			sum += scores[i];
	}
	return sum / (double)k /
	       sqrt(squares / (double)(n - 1) * (1 / (double)k + 1 / (double)level));
}

static double score_limit(size_t n, size_t window)
{
	for (size_t i = 1; i < SIZES; i++)
		if (n <= sizes[i]) {
			double part = ((double)n - (double)sizes[i - 1]) /
				      (double)(sizes[i] - sizes[i - 1]);

			return score_limits[i - 1][window] * (1 - part) +
			       score_limits[i][window] * part;
		}
	return score_limits[SIZES - 1][window];
}

/* More evidence than of a series that is known. */
static double extra(size_t n, bool normal)
{
	double part;

	if (n >= CHANGES_MATURE)
		return 0;
	if (n < YOUNG)
		return normal ? YOUNG_EXTRA : 1;
	part = EXTRA * (double)(CHANGES_MATURE - n) / (CHANGES_MATURE - YOUNG);
	return normal ? part : part / 2;
}

/* That the level changed between the values first and last of v. */
struct proof {
	double over;     /* the limit; 0 or less: nothing changed */
	double evidence; /* standard deviations */
	size_t first, last;
};

static void take_sample(struct changes *c, struct sample *s)
{
	size_t base = c->n - (c->n > 2 * LEVEL_MIN ? LEVEL_MIN : c->n / 2);

	align(c, s->v);
	s->memory = noise_memory(s->v, base);
	if (c->n < YOUNG && s->memory < YOUNG_MEMORY)
		s->memory = YOUNG_MEMORY;
	if (c->n - c->level > SETTLED)
		c->memory = s->memory;
	if (s->memory > 0)
		forget(s->v, c->n, s->memory);
	s->normal = noise_is_normal(s->v, base);
	if (s->normal) {
		noise_order(s->v, c->n, s->order);
		return;
	}
	noise_scores(s->v, c->n, s->scores);
	for (size_t i = 0; i < c->n; i++)
		s->untied[i] = (double)i;
	noise_scores(s->untied, c->n, s->untied);
}

/* Does the mean of the newest k differ by enough to matter? Without memory a step is as high as it
 * was. */
static bool matters(const struct sample *s, size_t n, size_t k, double resolution)
{
	double level, newest, deviation, unused;

	noise_level(s->v, n - k, &level, &deviation);
	noise_level(s->v + n - k, k, &newest, &unused);
	if (deviation < resolution / 4)
		deviation = resolution / 4;
	return fabs(newest - level) >=
	       EFFECT_MIN * deviation * sqrt((1 - s->memory) / (1 + s->memory));
}

/* The newest few: by how much the strongest window is over its limit. */
static void judge_windows(const struct changes *c, const struct sample *s, struct proof *p)
{

	for (size_t w = 0; w < WINDOWS; w++) {
		size_t k = windows[w].runs, level = c->n - c->level;
		double limit, stands;

		if (level < k + LEVEL_MIN || (!s->normal && c->n < sizes[0]))
			break;
		if (s->normal) {
			stands = by_mean(s, c->n, k, level - k, c->resolution);
			limit = s->memory > 0 ? WINDOW_MEMORY + windows[w].with_memory
					      : WINDOW_LIMIT + windows[w].extra;
		} else {
			stands = by_scores(s->scores, s->untied, c->n, k, level - k);
			limit = score_limit(c->n, w);
		}
		limit += extra(c->n, s->normal);
		if (fabs(stands) - limit > p->over && matters(s, c->n, k, c->resolution))
			*p = (struct proof){fabs(stands) - limit, fabs(stands),
				c->n > BACK ? c->n - BACK : 0, c->n};
	}
}

/* What was summed up of normal scores, which are bounded: nothing has to be clipped. */
struct sums {
	double n, sum, squares;
};

static void add_up(struct sums *s, double v, double sign)
{
	s->n += sign;
	s->sum += sign * v;
	s->squares += sign * v * v;
}

/* How much two halves differ, in standard deviations of independent values; 0 where it does not
 * matter. */
static double differ(const struct sums *a, const struct sums *b)
{
	double difference = fabs(b->sum / b->n - a->sum / a->n);
	double deviation =
		sqrt((a->squares - a->sum * a->sum / a->n + b->squares - b->sum * b->sum / b->n) /
			(a->n + b->n - 2));

	if (!(deviation > 0) || difference < EFFECT_MIN * deviation)
		return 0;
	return difference / deviation / sqrt(1 / a->n + 1 / b->n);
}

/* The split of v[0..n) whose halves differ most; 0: none matters. */
static size_t best_split(const double *v, size_t n, double *best)
{
	struct sums left = {0}, right = {0};
	size_t at = 0;

	for (size_t i = 0; i < n; i++)
		add_up(&right, v[i], 1);
	for (size_t a = 1; a + LEVEL_MIN <= n; a++) {
		double stands;

		add_up(&left, v[a - 1], 1);
		add_up(&right, v[a - 1], -1);
		stands = a < LEVEL_MIN ? 0 : differ(&left, &right);
		if (stands > *best) {
			*best = stands;
			at = a;
		}
	}
	return at;
}

/* Memory of v[0..n) without its step at a. That a step was taken out makes it look less: where the
 * values as they were had some, it is not taken to be little. */
static double rest_memory(double *v, size_t n, size_t a)
{
	double mean[2], unused, memory,
		least = noise_memory(v, n) > 0 || n < YOUNG ? HALVES_MEMORY : 0;

	noise_level(v, a, &mean[0], &unused);
	noise_level(v + a, n - a, &mean[1], &unused);
	for (size_t i = 0; i < n; i++)
		v[i] -= mean[i >= a];
	memory = noise_memory(v, n);
	return memory < least ? least : memory;
}

/* Is the difference below what the clock can tell? */
static bool is_unresolved(const struct changes *c, size_t a)
{
	double before, after, unused;

	noise_level(c->v + c->level, a, &before, &unused);
	noise_level(c->v + c->level + a, c->n - c->level - a, &after, &unused);
	return fabs(after - before) < EFFECT_MIN * c->resolution / 4;
}

/* What came too slowly or too early for the windows: the level's halves, split anywhere. They are
 * compared by their normal scores, as no shape of the noise can be told from so few runs. Memory is
 * that of what remains, or a step would pass for it. */
static void judge_halves(const struct changes *c, struct proof *p)
{
	size_t n = c->n - c->level, at;
	double v[NOISE_VALUES], best = 0, memory;

	noise_scores(c->v + c->level, n, v);
	at = best_split(v, n, &best);
	if (best <= SPLIT_LIMIT || is_unresolved(c, at))
		return;
	memory = rest_memory(v, n, at);
	best *= sqrt((1 - memory) / (1 + memory));
	if (best - SPLIT_LIMIT > p->over)
		*p = (struct proof){best - SPLIT_LIMIT, best, c->level + at - LEVEL_MIN,
			c->level + at + LEVEL_MIN};
}

static struct proof judge(struct changes *c)
{
	struct proof p = {.over = -1};
	size_t n = c->n - c->level;
	struct sample s;

	if (n < windows[0].runs + LEVEL_MIN)
		return p;
	take_sample(c, &s);
	judge_windows(c, &s, &p);
	if (p.over <= 0 && n >= 3 * LEVEL_MIN && n % HALVES_EVERY == 0)
		judge_halves(c, &p);
	return p;
}

/* ---- where ----------------------------------------------------------------------------------- */

/* Where in v the level before the last change begins. */
static size_t level_before(const struct changes *c)
{
	uint64_t first = c->added - c->n, at = c->n_found > 1 ? c->found[c->n_found - 2].at : 0;

	return at > first ? (size_t)(at - first) : 0;
}

static void tell_levels(struct changes *c, size_t from)
{
	struct change *last = &c->found[c->n_found - 1];
	double unused;

	last->at = c->added - (c->n - c->level);
	noise_level(c->v + from, c->level - from, &last->before, &last->deviation);
	noise_level(c->v + c->level, c->n - c->level, &last->after, &unused);
}

/* Where the last change is, with what is known by now; an outlier of both levels tells nothing.
 * from: where in v the level before it begins. */
static void place(struct changes *c, size_t from)
{
	const struct change *last = &c->found[c->n_found - 1];
	double v[NOISE_VALUES], far = NOISE_CLIP * last->deviation;
	struct split s = {.memory = c->memory,
		.deviation = last->deviation * sqrt(1 - c->memory * c->memory),
		.first = c->level > from + REACH ? c->level - REACH - from : 0,
		.last = c->level + REACH - from};

	memcpy(v, c->v + from, (c->n - from) * sizeof *v);
	for (size_t i = 0; far > 0 && i < c->n - from; i++)
		if (fabs(v[i] - last->before) > far && fabs(v[i] - last->after) > far)
			v[i] = i < c->level - from ? last->before : last->after;
	c->level = from + split_place(v, c->n - from, &s);
	tell_levels(c, from);
}

/* Has the last change, of a level that is young, turned out to be none? */
static bool fades(const struct changes *c, size_t from)
{
	const struct change *last = &c->found[c->n_found - 1];
	double before = (double)(c->level - from), after = (double)(c->n - c->level);
	double spread = last->deviation * sqrt((1 + c->memory) / (1 - c->memory));

	return after >= FADE_RUNS &&
	       (fabs(last->after - last->before) <
			       FADE_LIMIT * spread * sqrt(1 / before + 1 / after) ||
		       fabs(last->after - last->before) <
			       EFFECT_MIN * (1 - c->memory) * last->deviation);
}

static void look_again(struct changes *c)
{
	size_t from = level_before(c);

	if (!c->n_found || !c->level || c->n - c->level > SETTLED || c->level < from + 2)
		return;
	place(c, from);
	if (!fades(c, from))
		return;
	c->n_found--;
	c->level = from;
}

static void add_change(struct changes *c, const struct proof *p)
{
	size_t from = c->level, n = c->n - from;
	const struct split s = {.first = p->first > from ? p->first - from : 0,
		.last = p->last - from,
		.memory = c->memory};

	if (c->n_found == CHANGES_KEPT) {
		memmove(c->found, c->found + 1, (CHANGES_KEPT - 1) * sizeof *c->found);
		c->n_found--;
	}
	c->found[c->n_found++] = (struct change){.found = c->added - 1, .evidence = p->evidence};
	c->level = from + split_place(c->v + from, n, &s);
	tell_levels(c, from);
	place(c, from);
}

bool changes_add(struct changes *c, double value)
{
	struct proof p;

	if (!isfinite(value))
		return false;
	if (c->n == NOISE_VALUES) {
		memmove(c->v, c->v + 1, (NOISE_VALUES - 1) * sizeof *c->v);
		c->n--;
		c->level -= c->level > 0;
	}
	c->v[c->n++] = value;
	c->added++;
	look_again(c);
	p = judge(c);
	if (p.over <= 0)
		return false;
	add_change(c, &p);
	return true;
}

bool changes_level(const struct changes *c, double *mean, double *deviation, size_t *runs)
{
	double v[NOISE_VALUES], unused;

	if (!c->n)
		return false;
	align(c, v);
	*runs = c->n - c->level;
	noise_level(c->v + c->level, *runs, mean, &unused);
	noise_level(v, c->n, &unused, deviation);
	return true;
}
