/* SPDX-License-Identifier: MIT */
/*
 * Heap memory that is there or the process is not. Invariant: no function here returns NULL but
 * mem_strdup(NULL).
 */
#include "base/mem.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static NORETURN void gone(void)
{
	static const char text[] = "hilab: out of memory\n";
	ssize_t n = write(STDERR_FILENO, text, sizeof text - 1);

	(void)n;
	abort();
}

void attr_free(void *pp)
{
	free(*(void **)pp);
}

void attr_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void *mem_array(size_t n, size_t of)
{
	void *p = calloc(n ? n : 1, of ? of : 1);

	if (!p)
		gone();
	return p;
}

void *mem_alloc(size_t bytes)
{
	return mem_array(1, bytes);
}

void *mem_grow(void *old, size_t n, size_t of)
{
	void *p = reallocarray(old, n ? n : 1, of);

	if (!p)
		gone();
	return p;
}

void *mem_dup(const void *p, size_t bytes)
{
	void *q = mem_alloc(bytes);

	if (bytes)
		memcpy(q, p, bytes);
	return q;
}

char *mem_strndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *q = mem_alloc(len + 1);

	memcpy(q, s, len);
	return q;
}

char *mem_strdup(const char *s)
{
	return s ? mem_strndup(s, strlen(s)) : NULL;
}

char *mem_printf(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		gone();
	va_end(ap);
	return s;
}
