/* SPDX-License-Identifier: MIT */
/* Maps, vectors and heaps against plain arrays. */
#include "base/map.h"

#include "base/heap.h"
#include "base/mem.h"
#include "base/t/tap.h"
#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>

#define KEYS 5000

static void maps(void)
{
	static int value[KEYS];
	struct map m = {0};
	char key[20];
	int wrong = 0, i = 0;

	ok(!map_find(&m, "x") && !map_has(&m, "x") && !map_del(&m, "x"), "empty");
	map_each (&m, e)
		wrong++;
	is_int(wrong, 0, "nothing to walk");
	for (i = 0; i < KEYS; i++) {
		snprintf(key, sizeof key, "key-%d", i);
		map_set(&m, key, &value[i]);
	}
	map_set(&m, "null", NULL);
	is_int(m.n, KEYS + 1, "all are in");
	ok(map_has(&m, "null") && !map_find(&m, "null"), "a NULL value is there");
	for (i = 0; i < KEYS; i++) {
		snprintf(key, sizeof key, "key-%d", i);
		wrong += map_find(&m, key) != &value[i];
	}
	is_int(wrong, 0, "all are found");
	map_set(&m, "key-7", &value[0]);
	ok(map_find(&m, "key-7") == &value[0] && m.n == KEYS + 1, "replaced");
	for (i = 0; i < KEYS; i += 2) {
		snprintf(key, sizeof key, "key-%d", i);
		wrong += map_del(&m, key) != &value[i];
	}
	is_int(wrong, 0, "half of them taken out");
	is_int(m.n, KEYS / 2 + 1, "counts");
	i = 1;
	map_each (&m, e) {
		snprintf(key, sizeof key, "key-%d", i);
		wrong += i < KEYS ? strcmp(e->key, key) != 0 : strcmp(e->key, "null") != 0;
		wrong += i < KEYS && map_find(&m, key) != e->value;
		i += 2;
	}
	is_int(wrong, 0, "the others in their order, and found");
	ok(!map_find(&m, "key-0"), "the first is gone");
	map_done(&m);
	ok(!map_find(&m, "key-1") && !m.n, "empty again");
	map_set(&m, "", &value[1]);
	ok(map_find(&m, "") == &value[1], "usable again, also for ''");
	map_done(&m);
}

static void vectors(void)
{
	VEC(int) v = {0};
	int sum = 0;

	vec_each (&v, p)
		sum += *p;
	is_int(sum, 0, "nothing to walk");
	for (int i = 0; i < 100; i++)
		vec_push(&v, i);
	vec_del(&v, 0);
	vec_del(&v, v.n - 1);
	vec_del(&v, 49);
	vec_each (&v, p)
		sum += *p;
	is_int(v.n, 97, "three of a hundred taken out");
	is_int(sum, 4950 - 0 - 99 - 50, "the right ones");
	vec_done(&v);
	ok(!v.p && !v.n, "empty");
}

static void heaps(void)
{
	static struct heap_item item[1000];
	struct heap h = {0};
	struct heap_item *last = NULL, *top;
	unsigned seed = 1, wrong = 0, n = 0;

	ok(!heap_top(&h), "empty");
	for (unsigned i = 0; i < ARRAY_LEN(item); i++) {
		seed = seed * 1103515245 + 12345;
		item[i].key = seed >> 16 & 63;
		heap_add(&h, &item[i]);
	}
	for (unsigned i = 0; i < ARRAY_LEN(item); i += 3) {
		heap_del(&h, &item[i]);
		heap_del(&h, &item[i]);
	}
	while ((top = heap_top(&h))) {
		if (last &&
			(last->key > top->key || (last->key == top->key && last->seq > top->seq)))
			wrong++;
		last = top;
		heap_del(&h, top);
		n++;
	}
	is_int(n, 666, "the others come out");
	is_int(wrong, 0, "in order, equal ones as they went in");
	heap_add(&h, &item[0]);
	heap_add(&h, &item[1]);
	heap_done(&h);
	ok(!item[0].at && !item[1].at && !heap_top(&h), "done lets them go");
}

int main(void)
{
	maps();
	vectors();
	heaps();
	return tap_done();
}
