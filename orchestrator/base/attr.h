/* SPDX-License-Identifier: MIT */
#ifndef BASE_ATTR_H
#define BASE_ATTR_H

/* Compiler attributes and small macros that every room uses. */

#include <stddef.h>

#define MUST_CHECK       __attribute__((warn_unused_result))
#define PRINTF(fmt, arg) __attribute__((format(printf, fmt, arg)))
#define NORETURN         __attribute__((noreturn))
#define UNUSED           __attribute__((unused))
#define CLEANUP(fn)      __attribute__((cleanup(fn)))

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* Locals that clean up after themselves: `AUTOFREE char *s`, `AUTOCLOSE int fd = -1`. */
#define AUTOFREE  CLEANUP(attr_free)
#define AUTOCLOSE CLEANUP(attr_close)

void attr_free(void *pointer_to_pointer);
void attr_close(int *fd); /* also called outright: -1 afterwards */

#endif
