/* SPDX-License-Identifier: MIT */
/* What newlib asks of a machine without an operating system: memory up to the stacks; all output
 * goes where out.h says. */
#include "out.h"

#include <errno.h>
#include <stddef.h>
#include <sys/stat.h>

#define HEAP_BYTES 65536

void *_sbrk(ptrdiff_t n);
int _write(int fd, const char *bytes, int n);
int _read(int fd, char *bytes, int n);
int _close(int fd);
int _fstat(int fd, struct stat *st);
int _isatty(int fd);
int _lseek(int fd, int at, int from);
void _exit(int status);
int _kill(int pid, int sig);
int _getpid(void);

void *_sbrk(ptrdiff_t n)
{
	static char heap[HEAP_BYTES] __attribute__((aligned(8)));
	static ptrdiff_t used;

	if (n > HEAP_BYTES - used || n < -used) {
		errno = ENOMEM;
		return (void *)-1;
	}
	used += n;
	return heap + used - n;
}

int _write(int fd, const char *bytes, int n)
{
	(void)fd;
	out_put(bytes, (size_t)n);
	return n;
}

int _read(int fd, char *bytes, int n)
{
	(void)fd;
	(void)bytes;
	(void)n;
	return 0;
}

int _close(int fd)
{
	(void)fd;
	return -1;
}

int _fstat(int fd, struct stat *st)
{
	(void)fd;
	st->st_mode = S_IFCHR;
	return 0;
}

int _isatty(int fd)
{
	(void)fd;
	return 1;
}

int _lseek(int fd, int at, int from)
{
	(void)fd;
	(void)at;
	(void)from;
	return 0;
}

void _exit(int status)
{
	(void)status;
	for (;;)
		;
}

int _kill(int pid, int sig)
{
	(void)pid;
	(void)sig;
	return -1;
}

int _getpid(void)
{
	return 1;
}
