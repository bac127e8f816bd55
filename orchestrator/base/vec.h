/* SPDX-License-Identifier: MIT */
#ifndef BASE_VEC_H
#define BASE_VEC_H

/*
 * A typed growing array: `VEC(int) v = {0}; vec_push(&v, 3); vec_each(&v, p) use(*p);
 * vec_done(&v);` Pointers into it are invalid after a push.
 */

#include "base/mem.h"

#define VEC(type)                                                                                  \
	struct {                                                                                   \
		type *p;                                                                           \
		size_t n, room;                                                                    \
	}

#define vec_push(v, value)                                                                         \
	do {                                                                                       \
		if ((v)->n == (v)->room) {                                                         \
			(v)->room = (v)->room ? 2 * (v)->room : 8;                                 \
			(v)->p = mem_grow((v)->p, (v)->room, sizeof *(v)->p);                      \
		}                                                                                  \
		(v)->p[(v)->n++] = (value);                                                        \
	} while (0)

/* Removes element i, keeping the order. */
#define vec_del(v, i)                                                                              \
	do {                                                                                       \
		size_t vec_i_ = (i);                                                               \
		memmove((v)->p + vec_i_, (v)->p + vec_i_ + 1,                                      \
			((v)->n - vec_i_ - 1) * sizeof *(v)->p);                                   \
		(v)->n--;                                                                          \
	} while (0)

#define vec_each(v, it) for (__typeof__(*(v)->p) *it = (v)->p; it && it < (v)->p + (v)->n; it++)

#define vec_done(v)                                                                                \
	do {                                                                                       \
		free((v)->p);                                                                      \
		(v)->p = NULL;                                                                     \
		(v)->n = (v)->room = 0;                                                            \
	} while (0)

#endif
