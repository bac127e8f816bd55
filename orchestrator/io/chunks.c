/* SPDX-License-Identifier: MIT */
/*
 * The body of a sync request: heads of one JSON line, each followed by its bytes. Invariant: what
 * chunk_format wrote chunk_parse reads back as it was; of anything else nothing is taken that is
 * not wholly there and named as a file of a job folder may be.
 */
#include "io/chunks.h"

#include "io/json.h"

#include <limits.h>
#include <string.h>

static bool part_ok(struct str part)
{
	if (!part.p || !part.n || part.p[0] == '.')
		return false;
	for (size_t i = 0; i < part.n; i++) {
		char c = part.p[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
			(!c || !strchr("._-+", c)))
			return false;
	}
	return true;
}

bool chunk_file_ok(const char *file)
{
	static const char folder[] = "artifacts/";
	struct str name = str_of(file);

	if (name.n >= CHUNK_FILE_BYTES)
		return false;
	if (str_starts(name, folder))
		name = str_make(name.p + sizeof folder - 1, name.n - (sizeof folder - 1));
	return part_ok(name);
}

void chunk_format(struct buf *out, const struct chunk *c)
{
	buf_printf(out,
		"{\"run\":%lld,\"part\":%u,\"file\":\"%s\",\"offset\":%llu,\"bytes\":%zu}\n",
		(long long)c->run, c->part, c->file, (unsigned long long)c->offset, c->bytes.n);
	buf_add(out, c->bytes.p ? c->bytes.p : "", c->bytes.n);
	buf_putc(out, '\n');
}

static int bad(struct err *e, const char *what)
{
	return err_set(e, BLAME_JOB, "chunk: %s", what);
}

/* The whole number of key, between 0 and max; -1: it is none. */
static int64_t number(const json_t *head, const char *key, int64_t max)
{
	int64_t v = json_int(head, key, -1);

	return v > max ? -1 : v;
}

/* All of a head but whether its bytes are there. */
static int read_head(struct str line, struct chunk *c, size_t *bytes, struct err *e)
{
	AUTOJSON *head = json_loadb(line.p, line.n, JSON_REJECT_DUPLICATES, NULL);
	const char *file = json_text(head, "file", "");
	int64_t run = number(head, "run", INT64_MAX), part = number(head, "part", INT_MAX);
	int64_t offset = number(head, "offset", INT64_MAX - (int64_t)CHUNK_BYTES);
	int64_t n = number(head, "bytes", (int64_t)CHUNK_BYTES);

	if (!json_is_object(head))
		return bad(e, "its head is no JSON object");
	if (run < 1 || part < 0 || offset < 0 || n < 0)
		return bad(e, "its head lacks run, part, offset or bytes, or one is out of range");
	if (!chunk_file_ok(file))
		return bad(e, "its file is called as none of a job folder may be");
	*c = (struct chunk){.run = run, .part = (unsigned)part, .offset = (uint64_t)offset};
	memcpy(c->file, file, strlen(file) + 1);
	*bytes = (size_t)n;
	return 0;
}

int chunk_parse(struct str *rest, struct chunk *c, struct err *e)
{
	struct chunk got;
	const char *end;
	size_t n = 0, head;

	if (!rest->n)
		return 0;
	end = memchr(rest->p, '\n', rest->n < CHUNK_HEAD_BYTES ? rest->n : CHUNK_HEAD_BYTES);
	if (!end)
		return bad(e, "its head is cut off or too long");
	head = (size_t)(end - rest->p) + 1;
	if (read_head(str_make(rest->p, head - 1), &got, &n, e))
		return -1;
	if (rest->n - head < n + 1 || end[1 + n] != '\n')
		return bad(e, "its bytes are not as many as its head says");
	got.bytes = str_make(end + 1, n);
	*c = got;
	*rest = str_make(end + n + 2, rest->n - head - n - 1);
	return 1;
}
