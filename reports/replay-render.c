/* SPDX-License-Identifier: MIT */
/*
 * Drawn values in the text that a board would print. Invariant: what is drawn for a figure depends
 * on the seed and its key alone, and has as many decimals as the document prints, so that what was
 * printed is exactly what has to come back.
 *
 * A place is the figure's row in its section, in braces, and how it is printed:
 *
 *	{12}      the value in the unit that the document prints
 *	{12<} {12>}  the least and the greatest
 *	{12*1000} that many times the value, as a whole number
 *	{12/4096} the seconds that 4096 of the unit take; {12/4096m} milliseconds
 *	{12-64}   that much less than the value
 *	{12!100}  what 100 has more than the value, without the point
 *	{12+9*50} as many of which {9*50} are left when that share of them, in percent, is lost
 *	{12@}     as a time of day, counted from 10:00
 *	{12~}     milliseconds that the board takes, to be measured by the lab's clock
 */
#include "replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPLAY_DIGITS_MIN 4 /* of a figure that is no share */

struct place {
	int64_t row, other; /* other: of '+' */
	char how;           /* 0, '<', '>', '*', '/', 'm', '-', '!', '+', '@', '~' */
	double by;
};

/* SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

static int64_t ten(int n)
{
	int64_t p = 1;

	while (n-- > 0)
		p *= 10;
	return p;
}

static int decimals_of(const char *printed)
{
	const char *dot = strchr(printed, '.');

	return dot ? (int)strspn(dot + 1, "0123456789") : 0;
}

/* As a whole number of the last decimal that is printed; which: 0 the value, 1 min, 2 max. */
static int64_t draw(
	const struct replay_table *t, const struct reference_figure *f, uint64_t seed, int which)
{
	int decimals = decimals_of(f->printed);
	int digits = (int)strcspn(f->printed, ".") + decimals;
	uint64_t r = mix(seed ^ mix(str_hash(str_of(f->key)) ^ str_hash(str_of(t->soc))));
	int64_t low, span, value;

	if (!strcmp(f->def->unit, "%")) {
		low = 1 + (decimals ? ten(decimals) : 0);
		span = 98 * ten(decimals) - low;
	} else {
		if (digits < REPLAY_DIGITS_MIN)
			digits = REPLAY_DIGITS_MIN;
		low = ten(digits - 1);
		span = 9 * low;
	}
	value = low + (int64_t)(r % (uint64_t)span);
	if (which == 1)
		value -= (int64_t)(mix(r) % (uint64_t)low);
	if (which == 2)
		value += (int64_t)(mix(r + 1) %
				   (uint64_t)(low < ten(decimals) ? low : ten(decimals)));
	return value;
}

static void put_decimal(struct buf *out, int64_t value, int decimals)
{
	if (!decimals)
		buf_printf(out, "%lld", (long long)value);
	else
		buf_printf(out, "%lld.%0*lld", (long long)(value / ten(decimals)), decimals,
			(long long)(value % ten(decimals)));
}

static double settled(const struct reference_figure *f, double value)
{
	double out = NAN;

	metric_value(f->def, value, f->unit, &out, NULL);
	return out;
}

/* The time of by units at the rate; the rate that has to come back follows from the time. */
static void put_time(struct buf *out, const struct reference_figure *f, struct replay_drawn *d,
	const struct place *p, uint64_t r)
{
	int64_t ms = 100 + (int64_t)(mix(r) % 9000);

	put_decimal(out, ms, p->how == 'm' ? 0 : 3);
	d->value = settled(f, p->by / ((double)ms / 1000));
}

static double drawn_real(
	const struct replay_table *t, const struct reference_figure *f, uint64_t seed, int which)
{
	return (double)draw(t, f, seed, which) / (double)ten(decimals_of(f->printed));
}

static const struct reference_figure *figure_of(const struct replay_table *t, int64_t row)
{
	for (size_t i = 0; i < t->reference->n; i++)
		if (t->reference->figures[i].row == row &&
			!strcmp(t->reference->figures[i].section, t->section))
			return &t->reference->figures[i];
	return NULL;
}

/* What was sent when the other row times by arrived; the loss follows from the two. */
static void put_sent(struct buf *out, const struct replay_table *t,
	const struct reference_figure *f, const struct place *p, uint64_t seed,
	struct replay_drawn *d)
{
	double arrived = round(drawn_real(t, figure_of(t, p->other), seed, 0) * p->by);
	double sent = round(arrived / (1 - drawn_real(t, f, seed, 0) / 100));

	buf_printf(out, "%.0f", sent);
	d->value = settled(f, 100 * (sent - arrived) / sent);
}

static void put_place(const struct replay_table *t, const struct reference_figure *f,
	const struct place *p, uint64_t seed, struct replay_drawn *d, struct buf *out)
{
	int decimals = decimals_of(f->printed), which = p->how == '<' ? 1 : p->how == '>' ? 2 : 0;
	int64_t value = draw(t, f, seed, which);
	double real = drawn_real(t, f, seed, which);

	d->shown = true;
	if (p->how == '+') {
		put_sent(out, t, f, p, seed, d);
		return;
	}
	if (p->how == '/' || p->how == 'm') {
		put_time(out, f, d, p, (uint64_t)value);
		return;
	}
	if (p->how == '~') {
		int64_t ms = 500 + (int64_t)(mix((uint64_t)value) % 2000);

		buf_printf(out, "%lld", (long long)ms);
		d->timed = true;
		d->value = settled(f, !strcmp(f->unit, "s") ? (double)ms / 1000 : (double)ms);
		return;
	}
	*(p->how == '<' ? &d->min : p->how == '>' ? &d->max : &d->value) = settled(f, real);
	if (p->how == '*')
		buf_printf(out, "%.0f", real * p->by);
	else if (p->how == '-')
		put_decimal(out, value - (int64_t)(p->by * (double)ten(decimals)), decimals);
	else if (p->how == '!')
		buf_printf(out, "%.0f", p->by * (double)ten(decimals) - (double)value);
	else if (p->how == '@')
		buf_printf(out, "10:%02d:%02d.%03d", (int)real / 60, (int)real % 60,
			(int)(value * 1000 / ten(decimals) % 1000));
	else
		put_decimal(out, value, decimals);
}

/* "{12*1000}" at the start of s; how many bytes, 0: it is none. */
static size_t read_place(struct str s, struct place *p)
{
	ptrdiff_t end = str_chr(s, '}');
	size_t n = 1;
	struct str by;

	while (n < s.n && s.p[n] >= '0' && s.p[n] <= '9')
		n++;
	if (end < 0 || n == 1 || n > (size_t)end || str_i64(str_make(s.p + 1, n - 1), &p->row))
		return 0;
	p->how = n == (size_t)end ? 0 : s.p[n];
	p->by = 0;
	if (!p->how)
		return n + 1;
	by = str_make(s.p + n + 1, (size_t)end - n - 1);
	if (p->how == '/' && str_ends(by, "m")) {
		p->how = 'm';
		by.n--;
	}
	if (p->how == '+') {
		ptrdiff_t star = str_chr(by, '*');

		if (star < 0 || str_i64(str_make(by.p, (size_t)star), &p->other))
			return 0;
		by = str_make(by.p + star + 1, by.n - (size_t)star - 1);
	}
	if (!strchr("<>*/m-!+@~", p->how) || (by.n && str_double(by, &p->by)))
		return 0;
	return (size_t)end + 1;
}

int replay_render(const struct replay_table *t, const struct replay_show *show, uint64_t seed,
	struct replay_drawn *drawn, struct buf *out, struct err *e)
{
	struct str s = str_of(show->text);
	const struct reference_figure *f;
	struct place p;

	while (s.n) {
		size_t n = *s.p == '{' ? read_place(s, &p) : 0;

		if (!n) {
			buf_putc(out, *s.p);
			s = str_make(s.p + 1, s.n - 1);
			continue;
		}
		f = figure_of(t, p.row);
		if (!f || (p.how == '+' && !figure_of(t, p.other)))
			return err_set(e, BLAME_CONFIG, "%s: '%s': row %lld is not of the section",
				t->soc, t->table, (long long)p.row);
		put_place(t, f, &p, seed, &drawn[f - t->reference->figures], out);
		s = str_make(s.p + n, s.n - n);
	}
	return out->overflow ? err_set(e, BLAME_CONFIG, "'%s' is too long", t->table) : 0;
}
