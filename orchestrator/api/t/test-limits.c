/* SPDX-License-Identifier: MIT */
/*
 * What an agent or a client may take of the controller: bytes of a body, of uploads, of a run's
 * folder, connections; and what of the disk: the folder of the run, whatever links somebody planted
 * there.
 */
#include "fake.h"

#include "io/digest.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define RUN_BYTES   65536 /* as configured below */
#define PER_ADDRESS 8

static void bodies(struct served *s)
{
	size_t n = (size_t)9 << 20;
	AUTOFREE char *body = mem_alloc(n + 1);

	memset(body, ' ', n);
	is_int(served_call(s->http, "POST", "/jobs", body, NULL), 413, "a body of 9 MiB");
	is_int(served_call(s->http, "GET", "/health", NULL, NULL), 200, "the server is well");
}

/* One byte more than the quota in two uploads, each of which would have room alone. */
static void quota(struct served *s)
{
	size_t n = (size_t)600 << 10;
	AUTOFREE char *body = mem_alloc(n + 1), *first = NULL, *second = NULL;
	char sha256[DIGEST_HEX_BYTES];

	memset(body, 'a', n);
	digest_sha256(body, n, sha256);
	first = mem_printf("/blobs/%s", sha256);
	is_int(served_call(s->http, "PUT", first, body, NULL), 201, "an upload within the quota");
	memset(body, 'b', n);
	digest_sha256(body, n, sha256);
	second = mem_printf("/blobs/%s", sha256);
	is_int(served_call(s->http, "PUT", second, body, NULL), 413, "the next is beyond it");
	is_int(served_call(s->http, "GET", second, NULL, NULL), 404, "and is not there");
	is_int(served_call(s->http, "GET", first, NULL, NULL), 200, "the first is");
}

/* Many empty uploads are not for nothing. */
static void empty(struct served *s)
{
	unsigned status = 0;
	int i = 0;

	for (; i < 300 && status != 413; i++) {
		AUTOFREE char *path = mem_printf("/blobs/%064x?offset=0&bytes=9", (unsigned)i + 1);

		status = served_call(s->http, "PUT", path, "x", NULL);
	}
	is_int(status, 413, "%d uploads of a byte use the quota up", i);
}

/* ---- what an agent ships ---- */

static int64_t begin(struct served *s, struct fake *f)
{
	int64_t run;

	fake_job(s->http, "");
	run = fake_poll(f, "start");
	fake_start_run(f, run);
	return run;
}

static void ship(struct fake *f, int64_t run, const char *file, uint64_t offset, size_t n,
	int64_t have, bool full)
{
	AUTOFREE char *bytes = mem_alloc(n + 1);
	AUTOJSON *said = NULL;

	memset(bytes, 'x', n);
	is_int(fake_ship(f, run, file, offset, str_make(bytes, n), &said), 200,
		"%zu bytes at %llu of %s", n, (unsigned long long)offset, file);
	is_int(json_int(said, "bytes", -1), have, "%lld are kept", (long long)have);
	ok(json_flag(said, "full", false) == full, full ? "it is full" : "there is room");
}

static void ended(struct served *s, int64_t run, const char *verdict)
{
	AUTOFREE char *path = mem_printf("/runs/%lld", (long long)run);
	AUTOJSON *j = NULL;

	served_call(s->http, "GET", path, NULL, &j);
	is_str(json_text(j, "verdict", NULL), verdict, "the run ends: %s", verdict);
}

static void folders(struct served *s, struct fake *f)
{
	int64_t run = begin(s, f);
	AUTOFREE char *log = mem_printf("%s/runs/%lld/console-main.log", s->dir, (long long)run);
	struct stat st = {0};

	ship(f, run, "console-main.log", (uint64_t)1 << 40, 10, 0, false);
	ok(!stat(log, &st) && st.st_blocks == 0 && st.st_size == 0, "no hole is made in it");
	ship(f, run, "console-main.log", 0, 1000, 1000, false);
	ship(f, run, "console-main.log", 500, 1000, 1000, false);
	ship(f, run, "artifacts/a", 0, RUN_BYTES - 2000, RUN_BYTES - 2000, false);
	ship(f, run, "artifacts/b", 0, 2000, 0, true);
	ship(f, run, "console-main.log", 1000, 2000, 1000, true);
	ship(f, run, "console-main.log", 1000, 0, 1000, false);
	served_kill(s);
	ok(served_start(s), "the server starts again");
	http_client_free(f->http);
}

/* Counted anew from what is there. */
static void folders_after(struct served *s, struct fake *f, int64_t run)
{
	ship(f, run, "artifacts/b", 0, 2000, 0, true);
	ship(f, run, "artifacts/c", 0, 10, 10, false);
	fake_end_run(f, run);
	ended(s, run, "pass");
}

/* Both of a status and of what comes after it. */
static void statuses(struct served *s, struct fake *f)
{
	int64_t run = begin(s, f);
	AUTOJSON *said = NULL;

	fake_end_run(f, run);
	fake_ship(f, run, "status", 0, STR_LIT("{\"verdict\": \"fail\"}"), &said);
	ok(json_flag(said, "gone", false), "a second status is not taken");
	ended(s, run, "pass");
	is_int(fake_ship(f, run, "../../db", 0, STR_LIT("x"), NULL), 400, "no name of ours");
	is_int(fake_ship(f, run, "artifacts/../x", 0, STR_LIT("x"), NULL), 400, "nor this");
}

/* ---- links ---- */

static unsigned get(struct served *s, int64_t run, const char *what, char **text)
{
	AUTOFREE char *path = mem_printf("/api/v1/runs/%lld/%s", (long long)run, what);
	const struct http_ask ask = {.method = "GET", .path = path, .timeout_ms = 60000};
	struct http_answer a = {0};
	unsigned status;

	http_call(s->http, &ask, &a);
	status = a.status;
	*text = mem_strdup(buf_str(&a.body));
	http_answer_done(&a);
	return status;
}

static void not_told(struct served *s, int64_t run, const char *what)
{
	AUTOFREE char *text = NULL;
	unsigned status = get(s, run, what, &text);

	ok(!strstr(text, "treasure"), "%s tells nothing of what it points to (%u)", what, status);
}

static void not_written(struct fake *f, int64_t run, const char *file, const char *outside)
{
	unsigned status = fake_ship(f, run, file, 0, STR_LIT("planted\n"), NULL);

	ok(status != 200 && !fs_exists(outside), "%s is not written through (%u)", file, status);
}

static void links(struct served *s, struct fake *f)
{
	int64_t run = begin(s, f);
	AUTOFREE char *dir = mem_printf("%s/runs/%lld", s->dir, (long long)run);
	AUTOFREE char *out = mem_printf("%s/outside", s->dir), *secret = fs_join(out, "secret");
	AUTOFREE char *new = fs_join(out, "new");
	AUTOFREE char *a = fs_join(dir, "artifacts"), *b = fs_join(dir, "link.txt");
	AUTOFREE char *c = fs_join(dir, "console-x.log"), *d = fs_join(dir, "dangling");
	AUTOFREE char *files = NULL;

	fs_mkdirs(out, 0755, NULL);
	fs_write(secret, "treasure\n", 9, 0644, NULL);
	ok(!symlink(out, a) && !symlink(secret, b) && !symlink(secret, c) && !symlink(new, d),
		"links are planted in the folder of the run");
	not_told(s, run, "files/link.txt");
	not_told(s, run, "files/artifacts/secret");
	not_told(s, run, "log?console=x");
	not_told(s, run, "log?console=x&tail=3");
	is_int(get(s, run, "files", &files), 200, "its files are listed");
	ok(!strstr(files, "secret") && !strstr(files, "link.txt"), "links are none of them");
	not_written(f, run, "artifacts/new", new);
	not_written(f, run, "dangling", new);
	not_told(s, run, "files/..%2f..%2foutside%2fsecret");
	not_told(s, run, "files/board.json");
}

/* The folder of an account's uploads is a link elsewhere. */
static void upload_link(struct served *s)
{
	AUTOFREE char *token = served_token(s, "mallory", "submitter", NULL);
	struct http_client *http = served_client(s, token);
	AUTOFREE char *out = mem_printf("%s/elsewhere", s->dir);
	AUTOFREE char *in = mem_printf("%s/uploads/mallory", s->dir), *file = NULL;
	char sha256[DIGEST_HEX_BYTES];
	AUTOFREE char *path = NULL;

	digest_sha256("mallory", 7, sha256);
	path = mem_printf("/blobs/%s", sha256);
	file = fs_join(out, sha256);
	fs_mkdirs(out, 0755, NULL);
	ok(!symlink(out, in), "a link is planted for an account's uploads");
	is_int(served_call(http, "PUT", path, "mallory", NULL), 503, "nothing is taken there");
	ok(!fs_exists(file), "nor written");
	http_client_free(http);
}

/* ---- connections ---- */

/* Answers "GET /health" of that many connections; the number of answers. */
static int answers(const struct served *s, int n)
{
	static const char ask[] = "GET /api/v1/health HTTP/1.1\r\nHost: x\r\n\r\n";
	struct sockaddr_in to = {.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = htons((uint16_t)atoi(strrchr(s->url, ':') + 1))};
	int fds[64], got = 0;
	char room[4096];

	for (int i = 0; i < n; i++) {
		fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (connect(fds[i], (struct sockaddr *)&to, sizeof to) ||
			send(fds[i], ask, sizeof ask - 1, MSG_NOSIGNAL) < 0)
			continue;
		got += recv(fds[i], room, sizeof room, 0) > 0;
	}
	for (int i = 0; i < n; i++)
		close(fds[i]);
	return got;
}

static void connections(struct served *s)
{
	int got = answers(s, PER_ADDRESS + 4);

	ok(got > 0 && got <= PER_ADDRESS, "of %d connections at once %d are served",
		PER_ADDRESS + 4, got);
}

int main(void)
{
	static const char conf[] = "health: {}\nquota: 1MiB\nrun: 64KiB\nper-address: 8\n";
	AUTOFREE char *token = NULL;
	struct fake f;
	struct served s;

	if (ok(served_new_with(&s, conf), "a server starts")) {
		token = served_token(&s, "agent", "agent", NULL);
		f = (struct fake){.name = "agent", .http = served_client(&s, token)};
		fake_hello(&f, "lab", "b");
		bodies(&s);
		quota(&s);
		empty(&s);
		folders(&s, &f);
		f.http = served_client(&s, token);
		f.ack = 0;
		fake_hello_with(&f, "lab", "b", 1);
		folders_after(&s, &f, 1);
		statuses(&s, &f);
		upload_link(&s);
		links(&s, &f);
		connections(&s);
		fake_done(&f);
	}
	served_done(&s);
	return tap_done();
}
