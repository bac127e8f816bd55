/* SPDX-License-Identifier: MIT */
/*
 * The power goes at any moment: everything that was written to a store and its write-ahead log is
 * kept in order, and every beginning of it is opened as the store of a machine that came back. At
 * every sync, all that was acknowledged until then is there; anywhere, whole turns only. What was
 * not synced may be on the disk or not: both, for each of the two files, and half a write.
 */
#include "turns.h"

#include "disk.h"

#include <stdlib.h>
#include <unistd.h>

#define TURNS       24
#define IMAGE_MAX   ((size_t)16 << 20)
#define CHECKPOINT  60 /* pages of the log: several are within the test */
#define CACHE_PAGES 8  /* so few that a turn's pages go out before its commit */

struct image {
	char *data;
	size_t n;
};

static struct image now[DISK_FILES], synced[DISK_FILES]; /* as written; as surely on the disk */
static size_t acked_at[TURNS];                           /* operations before turn i's answer */

static void image_write(struct image *m, size_t at, const char *data, size_t n)
{
	if (at + n > IMAGE_MAX)
		abort();
	if (at + n > m->n)
		m->n = at + n;
	memcpy(m->data + at, data, n);
}

static void image_copy(struct image *to, const struct image *from)
{
	memcpy(to->data, from->data, from->n);
	to->n = from->n;
}

static int acked_before(size_t ops)
{
	int n = 0;

	while (n < TURNS && acked_at[n] <= ops)
		n++;
	return n;
}

static void save(const char *path, const struct image *m)
{
	FILE *f = fopen(path, "w");

	if (!f || fwrite(m->data, 1, m->n, f) != m->n || fclose(f))
		abort();
}

/* The store that this pair of files is; at least so many turns are in it. True: as it must be. */
static bool opens(const struct image *db, const struct image *log, int at_least)
{
	static char path[128], log_path[140], shm_path[140];
	struct err e = {0};
	struct store *s;
	int64_t turns;

	if (!*path) {
		snprintf(path, sizeof path, "%s", storetest_path("replay.db"));
		snprintf(log_path, sizeof log_path, "%s-wal", path);
		snprintf(shm_path, sizeof shm_path, "%s-shm", path);
	}
	save(path, db);
	save(log_path, log);
	unlink(shm_path);
	s = store_open(path, false, &e);
	turns = s ? turns_in(s) : -1;
	if (turns < at_least)
		printf("# %lld turns, at least %d were acknowledged %s\n", (long long)turns,
			at_least, e.msg);
	/* And it goes on. */
	if (s && turns >= 0 && turn_make(s, (int)turns + 1, &e))
		turns = -1;
	store_close(s);
	return turns >= at_least;
}

static void apply(const struct disk_op *op, size_t n)
{
	struct image *m = &now[op->file];

	if (op->what == DISK_WRITE)
		image_write(m, (size_t)op->at, op->data, n);
	else if (op->what == DISK_CUT)
		m->n = (size_t)op->at < m->n ? (size_t)op->at : m->n;
	else
		image_copy(&synced[op->file], m);
}

static void load(const char *path, struct image *m)
{
	AUTOBUF text = BUF_INIT(IMAGE_MAX);

	if (fs_exists(path) && !fs_read(path, &text, NULL))
		image_write(m, 0, buf_str(&text), text.len);
}

static void record(const char *path)
{
	AUTOFREE char *log = mem_printf("%s-wal", path);
	struct err e = {0};
	struct store *s = store_open(path, false, &e);
	char sql[96];

	if (!s)
		abort();
	snprintf(sql, sizeof sql, "PRAGMA wal_autocheckpoint=%d; PRAGMA cache_size=%d", CHECKPOINT,
		CACHE_PAGES);
	sqlite3_exec(s->db, sql, NULL, NULL, NULL);
	load(path, &now[DISK_DB]);
	load(log, &now[DISK_LOG]);
	image_copy(&synced[DISK_DB], &now[DISK_DB]);
	image_copy(&synced[DISK_LOG], &now[DISK_LOG]);
	disk.keep = true;
	for (int i = 0; i < TURNS; i++) {
		if (i % 3 == 1)
			turn_undone(s, i + 1);
		if (turn_make(s, i + 1, &e))
			tap_text("turn", e.msg);
		acked_at[i] = disk.ops.n;
	}
	disk.keep = false;
	is_int(turns_in(s), TURNS, "%d turns, and some that were undone", TURNS);
	store_close(s);
}

int main(void)
{
	AUTOFREE char *path = mem_strdup(storetest_path("cut.db"));
	size_t syncs[DISK_FILES] = {0}, bad[3] = {0}, tried[3] = {0};
	size_t every = getenv("HILAB_LONG") ? 1 : 7; /* of the places between syncs */
	static const char *const kinds[] = {
		"cut at a sync", "cut between writes", "cut in a write"};

	for (int i = 0; i < DISK_FILES; i++) {
		now[i].data = mem_alloc(IMAGE_MAX);
		synced[i].data = mem_alloc(IMAGE_MAX);
	}
	disk_use();
	disk.no_sync = true; /* no machine dies here; when it asks for a sync is what is tried */
	record(path);
	for (size_t k = 0; k < disk.ops.n; k++) {
		const struct disk_op *op = &disk.ops.p[k];
		int acked = acked_before(k + 1), kind = op->what == DISK_SYNC ? 0 : 1;

		if (op->what == DISK_WRITE && op->n > 512 && k % every == 1 % every) {
			apply(op, op->n / 2 / 512 * 512 + k % 512);
			tried[2]++;
			bad[2] += !opens(&now[DISK_DB], &now[DISK_LOG], acked_before(k));
		}
		apply(op, op->n);
		syncs[op->file] += !kind;
		for (int which = 0; which < 4; which++) {
			const struct image *db = which & 1 ? now : synced;
			const struct image *log = which & 2 ? now : synced;

			/* Between syncs the two extremes are enough. */
			if (kind && (k % every || which == 1 || which == 2))
				continue;
			tried[kind]++;
			bad[kind] += !opens(&db[DISK_DB], &log[DISK_LOG], acked);
		}
	}
	ok(syncs[DISK_LOG] >= TURNS, "the log was synced %zu times, once a turn and more",
		syncs[DISK_LOG]);
	ok(syncs[DISK_DB] >= 2, "and written back: the store was synced %zu times", syncs[DISK_DB]);
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		ok(tried[i] > TURNS && !bad[i],
			"%s: %zu of %zu lack an acknowledged turn or hold half of one", kinds[i],
			bad[i], tried[i]);
	for (int i = 0; i < DISK_FILES; i++) {
		free(now[i].data);
		free(synced[i].data);
	}
	vec_each (&disk.ops, op)
		free(op->data);
	vec_done(&disk.ops);
	storetest_done();
	return tap_done();
}
