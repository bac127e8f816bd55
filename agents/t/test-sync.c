/* SPDX-License-Identifier: MIT */
/*
 * Folders that grow at random, shipped to a model of the controller while answers and requests get
 * lost, either side starts anew, the controller loses the end of a file or refuses a chunk: every
 * byte arrives once and in its place, no event before what it points to, status last. HILAB_SEED
 * repeats a run, HILAB_FIRE sets how many there are.
 */
#include "agents/sync.h"
#include "agents/t/controller.h"
#include "base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDERS   5
#define GROWTHS   60 /* of one folder, before its worker ends */
#define TURNS_MAX 20000
#define RUNS      25

static uint64_t state;

static unsigned draw(unsigned below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state >> 11) % below;
}

struct folder {
	char *dir;
	unsigned growths;
	uint64_t main_bytes;
	bool half_line, ended, done;
	unsigned artifacts;
};

struct world {
	char *top;
	struct folder folders[FOLDERS];
	struct sync *sync;
	struct controller controller;
	bool harmed; /* the controller lost or refused something in this turn or before */
	unsigned early_events, early_status, foreign, dones, gones;
};

static void append(const char *dir, const char *name, const void *p, size_t n)
{
	AUTOFREE char *path = fs_join(dir, name);
	AUTOCLOSE int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);

	if (fd < 0 || fs_write_all(fd, p, n))
		ok(false, "write '%s'", path);
}

/* As fs_write, but for the disk: nobody pulls this plug. */
static void replace(const char *dir, const char *name, const void *p, size_t n)
{
	AUTOFREE char *path = fs_join(dir, name);
	AUTOFREE char *half = mem_printf("%s/.half", dir);

	append(dir, ".half", p, n);
	if (rename(half, path))
		ok(false, "rename '%s'", half);
}

static void append_event(struct folder *f, const char *text)
{
	append(f->dir, "events.jsonl", text, strlen(text));
}

static void grow_console(struct folder *f)
{
	static const unsigned sizes[] = {1, 20, 300, 5000, 70000, 400000};
	size_t n = 1 + draw(sizes[draw(ARRAY_LEN(sizes))]);
	char *bytes = mem_alloc(n);

	for (size_t i = 0; i < n; i++)
		bytes[i] = (char)draw(256);
	if (draw(3)) {
		append(f->dir, "console-main.log", bytes, n);
		append(f->dir, "console-main.idx", "12 34\n", 6);
		f->main_bytes += n;
	} else {
		append(f->dir, draw(2) ? "console-aux.log" : "worker.log", bytes, n);
	}
	free(bytes);
}

static void grow_event(struct folder *f)
{
	char text[160];

	if (f->half_line) {
		append_event(f, "\"}\n");
		f->half_line = false;
		return;
	}
	snprintf(text, sizeof text, "{\"kind\":\"result\",\"log_offset\":%llu}\n",
		(unsigned long long)f->main_bytes);
	append_event(f, text);
	if (!draw(6)) {
		append_event(f, "{\"kind\":\"note\",\"text\":\"half a li");
		f->half_line = true;
	}
}

static void grow_artifact(struct folder *f)
{
	AUTOFREE char *dir = fs_join(f->dir, "artifacts");
	char name[40], text[160];
	size_t n = draw(3) ? draw(3000) : draw(900000);
	char *bytes = mem_alloc(n + 1);

	if (f->half_line)
		grow_event(f);
	for (size_t i = 0; i < n; i++)
		bytes[i] = (char)draw(256);
	/* some are written again by a later step */
	snprintf(name, sizeof name, "out-%u.bin", f->artifacts++ % 3);
	replace(dir, name, bytes, n);
	free(bytes);
	snprintf(text, sizeof text, "{\"kind\":\"artifact\",\"name\":\"%s\",\"bytes\":%zu}\n", name,
		n);
	append_event(f, text);
}

static void end_worker(struct world *w, unsigned i)
{
	struct folder *f = &w->folders[i];
	static const char text[] = "{\"verdict\":\"pass\",\"blame\":\"none\"}\n";

	if (f->half_line)
		grow_event(f);
	append_event(f, "{\"kind\":\"run-end\"}\n");
	replace(f->dir, "status", text, sizeof text - 1);
	f->ended = true;
	sync_reaped(w->sync, i + 1, i % 2);
}

static void grow(struct world *w, unsigned i)
{
	struct folder *f = &w->folders[i];

	if (f->ended)
		return;
	if (f->growths++ >= GROWTHS)
		end_worker(w, i);
	else if (!draw(12))
		grow_artifact(f);
	else if (draw(2))
		grow_event(f);
	else
		grow_console(f);
}

/* ---- what the controller sees ---- */

static uint64_t offset_in(struct str line)
{
	ptrdiff_t at = str_find(line, STR_LIT("\"log_offset\":"));
	uint64_t v = 0;

	if (at >= 0)
		v = strtoull(line.p + at + 13, NULL, 10);
	return v;
}

static bool same_file(const struct folder *f, const char *name, const struct held *h)
{
	AUTOFREE char *path = fs_join(f->dir, name);
	AUTOBUF local = BUF_INIT(HELD_BYTES);

	if (fs_read(path, &local, NULL))
		return !h->bytes.len;
	return local.len == h->bytes.len &&
	       (!local.len || !memcmp(buf_str(&local), buf_str(&h->bytes), local.len));
}

static bool all_there(struct world *w, int64_t run, unsigned part)
{
	static const char *const names[] = {"console-main.log", "console-main.idx",
		"console-aux.log", "worker.log", "events.jsonl", "artifacts/out-0.bin",
		"artifacts/out-1.bin", "artifacts/out-2.bin"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!same_file(&w->folders[run - 1], names[i],
			    controller_file(&w->controller, run, part, names[i]))) {
			printf("# run %d: '%s' differs\n", (int)run, names[i]);
			return false;
		}
	return true;
}

static void on_chunk(void *arg, const struct chunk *c, struct held *h)
{
	struct world *w = arg;
	struct str rest = c->bytes, line;
	const struct held *console =
		controller_file(&w->controller, c->run, c->part, "console-main.log");

	if (!strcmp(c->file, "board.json") || !strcmp(c->file, "plan.json") ||
		!strcmp(c->file, "inbox.jsonl") || strstr(c->file, "files"))
		w->foreign++;
	if (!strcmp(c->file, "events.jsonl") && c->offset == h->bytes.len && !w->harmed)
		while (str_line(&rest, &line))
			if (offset_in(line) > console->bytes.len)
				w->early_events++;
	if (!strcmp(c->file, "status") && c->bytes.n && !w->harmed &&
		!all_there(w, c->run, c->part))
		w->early_status++;
}

static void on_end(void *arg, int64_t run, unsigned part, enum sync_end how)
{
	struct world *w = arg;

	(void)part;
	w->folders[run - 1].done = true;
	if (how == SYNC_DONE)
		w->dones++;
	else
		w->gones++;
}

/* ---- one run of it ---- */

static void follow_all(struct world *w, bool fresh)
{
	struct err e = {0};

	for (unsigned i = 0; i < FOLDERS; i++) {
		if (w->folders[i].done)
			continue;
		if (sync_follow(w->sync, i + 1, i % 2, w->folders[i].dir, fresh, &e))
			ok(false, "%s", e.msg);
		if (w->folders[i].ended)
			sync_reaped(w->sync, i + 1, i % 2);
	}
}

static void world_init(struct world *w)
{
	char top[] = "/tmp/hilab-sync-XXXXXX";
	struct err e = {0};

	*w = (struct world){0};
	w->top = mem_strdup(mkdtemp(top));
	w->controller.on_chunk = on_chunk;
	w->controller.arg = w;
	for (unsigned i = 0; i < FOLDERS; i++) {
		AUTOFREE char *artifacts = NULL;

		w->folders[i].dir = mem_printf("%s/%u", w->top, i);
		artifacts = fs_join(w->folders[i].dir, "artifacts");
		if (fs_mkdirs(artifacts, 0755, &e))
			ok(false, "%s", e.msg);
		append(w->folders[i].dir, "board.json", "{}", 2);
		append(w->folders[i].dir, "inbox.jsonl", "{}\n", 3);
		append(artifacts, "half-written", "xx", 2);
	}
	w->sync = sync_new(on_end, w, &e);
	follow_all(w, true);
}

static void world_done(struct world *w)
{
	sync_free(w->sync);
	controller_done(&w->controller);
	fs_remove_tree(w->top, NULL);
	for (unsigned i = 0; i < FOLDERS; i++)
		free(w->folders[i].dir);
	free(w->top);
}

/* The controller's disk did not keep the last of a file. */
static void lose_tail(struct world *w)
{
	struct map_entry *it;
	struct held *h;

	if (!w->controller.files.n)
		return;
	it = &w->controller.files.entries[draw((unsigned)w->controller.files.n)];
	h = it->value;
	if (strstr(it->key, "status"))
		return;
	if (h->bytes.len)
		h->bytes.len -= draw((unsigned)h->bytes.len + 1);
	w->harmed = true;
}

static void exchange(struct world *w, bool faults)
{
	AUTOBUF body = BUF_INIT(CHUNKS_BYTES);
	AUTOJSON *answer = NULL;
	unsigned fate = faults ? draw(12) : 12;

	sync_look(w->sync);
	if (!sync_body(w->sync, &body))
		return;
	if (fate == 0) { /* never arrived */
		sync_failed(w->sync);
		return;
	}
	w->controller.refuse_in = fate == 1 ? 2 : 0;
	w->harmed = w->harmed || fate == 1;
	answer = controller_take(&w->controller, str_make(buf_str(&body), body.len));
	if (fate == 2) /* arrived, but nobody heard of it */
		sync_failed(w->sync);
	else if (fate == 3)
		sync_answer(w->sync, NULL, NULL); /* a proxy's error page */
	else
		sync_answer(w->sync, answer, NULL);
}

static void restart(struct world *w)
{
	sync_free(w->sync);
	w->sync = sync_new(on_end, w, NULL);
	follow_all(w, false);
}

static unsigned unfinished(const struct world *w)
{
	unsigned n = 0;

	for (unsigned i = 0; i < FOLDERS; i++)
		n += !w->folders[i].done;
	return n;
}

static bool one_run(uint64_t seed, bool harm)
{
	struct world w;
	unsigned turns = 0, bad = 0;

	state = seed | 1;
	world_init(&w);
	while (unfinished(&w) && ++turns < TURNS_MAX) {
		for (unsigned k = draw(8); k; k--)
			grow(&w, draw(FOLDERS));
		exchange(&w, true);
		if (!draw(40))
			restart(&w);
		if (harm && !draw(40))
			lose_tail(&w);
	}
	/* Ends that the last harm made untrue are the controller's own: only what it held then. */
	for (unsigned i = 0; i < FOLDERS; i++)
		bad += !harm && !all_there(&w, i + 1, i % 2);
	if (unfinished(&w) || bad || w.foreign || (!harm && w.early_events) || w.early_status)
		printf("# seed %llu: %u unfinished after %u turns, %u differ, %u events and %u "
		       "status early, %u foreign files\n",
			(unsigned long long)seed, unfinished(&w), turns, bad, w.early_events,
			w.early_status, w.foreign);
	bad += unfinished(&w) + w.foreign + w.early_events + w.early_status;
	world_done(&w);
	return !bad;
}

static void at_random(void)
{
	const char *given = getenv("HILAB_SEED"), *fire = getenv("HILAB_FIRE");
	uint64_t first = given ? strtoull(given, NULL, 0) : (uint64_t)getpid() * 2654435761u + 1;
	unsigned n = given  ? 1
		     : fire ? (unsigned)strtoul(fire, NULL, 0) / 1000 + 1
			    : RUNS,
		 good = 0;

	printf("# seeds %llu and on, %u runs of each kind\n", (unsigned long long)first, n);
	for (unsigned i = 0; i < n; i++)
		good += one_run(first + i, false);
	is_int(good, n,
		"lost requests, lost answers, refusals and restarts: each byte once, in order");
	good = 0;
	for (unsigned i = 0; i < n; i++)
		good += one_run(first + i, true);
	is_int(good, n, "a controller that loses the ends of files is sent them again");
}

/* ---- by hand ---- */

static void fair(void)
{
	enum { LOUD_BYTES = 12 << 20 };
	struct world w;
	AUTOBUF body = BUF_INIT(CHUNKS_BYTES);
	AUTOBUF other = BUF_INIT(CHUNKS_BYTES);
	char *loud = mem_alloc(LOUD_BYTES);
	size_t most = 0, least = SIZE_MAX;
	bool small = false;

	state = 42;
	world_init(&w);
	for (unsigned i = 0; i < FOLDERS - 1; i++)
		append(w.folders[i].dir, "console-main.log", loud, LOUD_BYTES);
	append(w.folders[FOLDERS - 1].dir, "console-main.log", "hello", 5);
	for (int i = 0; i < 4; i++) {
		AUTOJSON *answer = NULL;

		buf_reset(&body);
		sync_look(w.sync);
		if (!ok(sync_body(w.sync, &body) && body.len <= CHUNKS_BYTES,
			    "body %d is none too large", i))
			break;
		ok(!sync_pending(w.sync) && !sync_body(w.sync, &other), "and is the only one");
		answer = controller_take(&w.controller, str_make(buf_str(&body), body.len));
		sync_answer(w.sync, answer, NULL);
		if (!i)
			small = controller_file(&w.controller, FOLDERS, (FOLDERS - 1) % 2,
					"console-main.log")
					->bytes.len == 5;
	}
	ok(small, "who has little waits for nobody");
	for (unsigned i = 0; i < FOLDERS - 1; i++) {
		size_t n =
			controller_file(&w.controller, i + 1, i % 2, "console-main.log")->bytes.len;

		most = n > most ? n : most;
		least = n < least ? n : least;
	}
	ok(most - least <= 2 * SYNC_QUANTUM_BYTES, "who has much is served alike: %zu to %zu",
		least, most);
	free(loud);
	world_done(&w);
}

static void ends(void)
{
	struct world w;
	struct err e = {0};
	AUTOJSON *nothing = json_pack("{s:[]}", "have");
	AUTOBUF body = BUF_INIT(CHUNKS_BYTES);
	AUTOFREE char *none = NULL;

	state = 43;
	world_init(&w);
	none = fs_join(w.top, "none");
	ok(!sync_pending(w.sync) || !sync_body(w.sync, &body), "nothing grew, nothing is sent");
	is_int(sync_count(w.sync), FOLDERS, "all are followed");
	ok(sync_follow(w.sync, 99, 0, none, true, &e) < 0, "no such folder: %s", e.msg);
	append(w.folders[0].dir, "console-main.log", "x", 1);
	sync_look(w.sync);
	ok(sync_pending(w.sync), "what grows is noticed");
	ok(sync_body(w.sync, &body), "and sent");
	is_int(sync_answer(w.sync, nothing, &e), -1, "an answer that tells nothing: %s", e.msg);
	map_set(&w.controller.gone, "1.0", &w);
	for (int i = 0; i < 4 && !w.gones; i++)
		exchange(&w, false);
	is_int(w.gones, 1, "a run that is not wanted is told once");
	is_int(sync_count(w.sync), FOLDERS - 1, "and not followed any more");
	end_worker(&w, 1);
	for (int i = 0; i < 4 && !w.dones; i++)
		exchange(&w, false);
	is_int(w.dones, 1, "a run of which all arrived is told");
	ok(all_there(&w, 2, 1), "and all did");
	append(w.folders[2].dir, "console-main.log", "x", 1);
	buf_reset(&body);
	sync_look(w.sync);
	ok(sync_body(w.sync, &body), "a body");
	sync_drop(w.sync, 3, 0);
	sync_drop(w.sync, 3, 0);
	is_int(sync_answer(w.sync, nothing, &e), 0, "a folder that is dropped misses no answer");
	is_int(sync_count(w.sync), FOLDERS - 3, "a folder may be dropped, twice");
	world_done(&w);
}

/* A host that lost power keeps less than it had shipped; what is said since comes behind it. */
static void lost_here(void)
{
	struct world w;
	AUTOFREE char *path = NULL;
	const struct held *h;

	state = 44;
	world_init(&w);
	path = fs_join(w.folders[0].dir, "events.jsonl");
	append_event(&w.folders[0], "{\"n\":1}\n{\"n\":2}\n");
	exchange(&w, false);
	ok(!truncate(path, 8), "the end of the journal is lost");
	restart(&w);
	exchange(&w, false);
	exchange(&w, false);
	append_event(&w.folders[0], "{\"n\":3}\n");
	end_worker(&w, 0);
	for (int i = 0; i < 8 && !w.dones; i++)
		exchange(&w, false);
	is_int(w.dones, 1, "the run ends all the same");
	h = controller_file(&w.controller, 1, 0, "events.jsonl");
	is_str(buf_str(&h->bytes), "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n{\"kind\":\"run-end\"}\n",
		"nothing that arrived is lost, and no line is cut");
	world_done(&w);
}

int main(void)
{
	fair();
	ends();
	lost_here();
	at_random();
	return tap_done();
}
