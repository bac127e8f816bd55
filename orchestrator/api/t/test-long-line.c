/* SPDX-License-Identifier: MIT */
/*
 * Long lines of a journal that an agent ships: one of several MiB is stored like any other and what
 * follows it too; one that is longer than a line may be ends what is taken of that file, and the
 * run still ends.
 */
#include "fake.h"

#include "store/store.h"

static uint64_t sent;

static void ship(struct fake *f, int64_t run, struct str bytes, bool full)
{
	while (bytes.n) {
		size_t n = bytes.n < CHUNK_BYTES ? bytes.n : CHUNK_BYTES;
		AUTOJSON *said = NULL;

		if (fake_ship(f, run, "events.jsonl", sent, str_make(bytes.p, n), &said) != 200) {
			ok(false, "a chunk at %llu is taken", (unsigned long long)sent);
			return;
		}
		sent += n;
		bytes = str_make(bytes.p + n, bytes.n - n);
		if (!bytes.n)
			ok(json_flag(said, "full", false) == full, "after %llu bytes %s",
				(unsigned long long)sent, full ? "it is full" : "there is room");
	}
}

static void ship_long(struct fake *f, int64_t run, size_t bytes, const char *name, bool full)
{
	AUTOBUF line = BUF_INIT(BUF_CAP_BYTES);
	AUTOFREE char *why = mem_alloc(bytes + 1);

	memset(why, 'w', bytes);
	buf_printf(&line,
		"{\"kind\":\"result\",\"suite\":\"s\",\"name\":\"%s\",\"status\":\"pass\",\"why\":"
		"\"",
		name);
	buf_add(&line, why, bytes);
	buf_puts(&line, "\"}\n");
	ship(f, run, str_make(buf_str(&line), line.len), full);
}

static int on_result(void *arg, const struct store_result *r)
{
	return buf_printf(arg, "%s:%zu ", r->name, r->why ? strlen(r->why) : 0);
}

static void results(const struct served *s, int64_t run, const char *want)
{
	AUTOFREE char *path = mem_printf("%s/db", s->dir);
	AUTOBUF got = BUF_INIT(1 << 16);
	struct store *store = store_open(path, true, NULL);

	if (store)
		store_results(store, run, on_result, &got, NULL);
	is_str(buf_str(&got), want, "what is stored");
	store_close(store);
}

int main(void)
{
	static const char after[] = "{\"kind\":\"result\",\"suite\":\"s\",\"name\":\"after\","
				    "\"status\":\"fail\"}\n";
	struct served s;
	struct fake f;
	int64_t run;

	if (ok(served_new(&s), "a server starts")) {
		fake_new(&f, &s, "host", "desk");
		is_int(fake_hello(&f, "desk", "b1"), 200, "an agent");
		fake_job(s.http, "");
		run = fake_poll(&f, "start");
		ship(&f, run, STR_LIT("{\"kind\":\"run-start\"}\n"), false);
		ship_long(&f, run, (size_t)3 << 20, "long", false);
		ship(&f, run, str_of(after), false);
		results(&s, run, "long:3145728 after:0 ");
		ship_long(&f, run, INGEST_LINE_BYTES, "longer", true);
		results(&s, run, "long:3145728 after:0 ");
		fake_end_run(&f, run);
		is_int(served_call(s.http, "GET", "/health", NULL, NULL), 200,
			"the server is well");
		fake_done(&f);
	}
	served_done(&s);
	return tap_done();
}
