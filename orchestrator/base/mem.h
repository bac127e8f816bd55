/* SPDX-License-Identifier: MIT */
#ifndef BASE_MEM_H
#define BASE_MEM_H

/*
 * Heap memory. These never return NULL: when memory is gone the process says so and aborts (state
 * is durable, workers are disposable); in exchange everything that grows has a cap. All are freed
 * with free().
 */

#include "base/attr.h"

#include <stdarg.h>
#include <stdlib.h>

void *mem_alloc(size_t bytes);                  /* zeroed */
void *mem_array(size_t n, size_t of);           /* zeroed, overflow checked */
void *mem_grow(void *old, size_t n, size_t of); /* realloc of an array, overflow checked */
void *mem_dup(const void *p, size_t bytes);
char *mem_strdup(const char *s); /* NULL gives NULL */
char *mem_strndup(const char *s, size_t n);
char *mem_printf(const char *fmt, ...) PRINTF(1, 2);

#endif
