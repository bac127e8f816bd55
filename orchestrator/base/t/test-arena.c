/* SPDX-License-Identifier: MIT */
/* Arenas and heap memory: alignment, zeros, caps. */
#include "base/arena.h"

#include "base/mem.h"
#include "base/t/tap.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Does a child that runs fn come through it? */
static bool survives(void (*fn)(void))
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		struct rlimit none = {0, 0};

		setrlimit(RLIMIT_CORE, &none);
		dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), 2);
		fn();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

static void past_the_cap(void)
{
	struct arena a;

	arena_init(&a, 100);
	arena_alloc(&a, 60);
	arena_alloc(&a, 60);
}

static void up_to_the_cap(void)
{
	struct arena a;

	arena_init(&a, 100);
	arena_alloc(&a, 60);
	arena_alloc(&a, 40);
	arena_done(&a);
}

static void huge_array(void)
{
	mem_grow(NULL, SIZE_MAX / 2, 16);
}

int main(void)
{
	struct arena a = {0};
	unsigned odd = 0, dirty = 0;
	char *before, *s;

	for (size_t n = 0; n < 3000; n++) {
		char *p = arena_alloc(&a, n % 700);

		odd += (uintptr_t)p % 16 != 0;
		for (size_t i = 0; i < n % 700; i++)
			dirty += p[i] != 0;
		memset(p, 0xff, n % 700);
	}
	is_int(odd, 0, "aligned");
	is_int(dirty, 0, "zeroed, and nobody else's");
	before = arena_alloc(&a, 16);
	s = arena_alloc(&a, 1 << 20);
	memset(s, 1, 1 << 20);
	ok((char *)arena_alloc(&a, 16) == before + 16, "a big one leaves the block being filled");
	is_str(arena_strdup(&a, "abc"), "abc", "a copy");
	ok(!arena_strdup(&a, NULL), "of nothing");
	is_str(arena_strndup(&a, "abc", 2), "ab", "of a part");
	is_str(arena_strndup(&a, "abc", 9), "abc", "of no more than there is");
	is_str(arena_printf(&a, "%d-%s", 5, "x"), "5-x", "printed");
	is_str(arena_printf(&a, "%s", ""), "", "printed nothing");
	ok(a.used_bytes > 1 << 20, "counts");
	arena_done(&a);
	ok(!a.head && !a.used_bytes, "empty");
	is_str(arena_strdup(&a, "again"), "again", "usable again");
	arena_done(&a);
	ok(survives(up_to_the_cap), "up to the cap");
	ok(!survives(past_the_cap), "past it the process ends");
	ok(!survives(huge_array), "also when no memory is that large");

	AUTOFREE int *zeros = mem_array(0, 0);
	AUTOFREE char *part = mem_strndup("abc", 2), *text = mem_printf("%d", 7);
	AUTOFREE char *bytes = mem_dup("x\0y", 3);

	ok(zeros != NULL, "an array of nothing is not NULL");
	is_str(part, "ab", "a part on the heap");
	is_str(text, "7", "printed on the heap");
	ok(!memcmp(bytes, "x\0y", 3), "bytes on the heap");
	ok(!mem_strdup(NULL), "a copy of nothing");
	return tap_done();
}
