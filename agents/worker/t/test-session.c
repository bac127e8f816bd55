/* SPDX-License-Identifier: MIT */
/*
 * Sessions: a real worker, whose consoles are PTYs that this test holds the other ends of. What is
 * shown: bytes go through as they are, both ways; a slow, a loud and an absent console hold up
 * nobody; what the inbox should not hold does no harm; and how a session ends.
 */
#include "agents/worker/t/folder.h"

#include "io/base64.h"

#include <pty.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>

#define CONSOLES    4
#define FLOOD_BYTES ((size_t)40 << 20)
#define BLOCK_BYTES ((size_t)60 << 10) /* of one input line that a slow console gets */

static const char *const names[CONSOLES] = {"main", "r5f", "slow", "loud"};
static int masters[CONSOLES];

/* ---- the job folder ------------------------------------------------------------------------- */

static void connect_port(int i)
{
	AUTOFREE char *link = mem_printf("%s/port-%s", top, names[i]);
	struct termios raw;
	char slave[64];
	int fd;

	if (openpty(&masters[i], &fd, slave, NULL, NULL))
		exit(1);
	tcgetattr(fd, &raw);
	cfmakeraw(&raw);
	tcsetattr(fd, TCSANOW, &raw);
	close(fd);
	fcntl(masters[i], F_SETFD, FD_CLOEXEC);
	fcntl(masters[i], F_SETFL, O_NONBLOCK);
	unlink(link);
	if (symlink(slave, link))
		exit(1);
}

static void make_folder(const char *name, int64_t timeout_ms)
{
	AUTOBUF board = BUF_INIT(BUF_CAP_BYTES);
	AUTOFREE char *plan =
		mem_printf("{\"plan\":2,\"job\":\"lease\",\"timeout_ms\":%lld,\"session\":true,"
			   "\"steps\":[]}",
			(long long)timeout_ms);

	buf_puts(&board,
		"{\"name\":\"b\",\"lab\":\"l\",\"type\":\"t\",\"soc\":\"s\",\"consoles\":{");
	for (int i = 0; i < CONSOLES; i++)
		buf_printf(&board, "%s\"%s\":{\"driver\":\"serial\",\"port\":\"%s/port-%s\"}",
			i ? "," : "", names[i], top, names[i]);
	buf_puts(&board, "}}");
	folder_new(name, buf_str(&board), plan);
}

static void type(const char *console, const char *bytes, size_t n)
{
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);

	base64_add(&text, str_make(bytes, n));
	put("\"kind\":\"input\",\"console\":\"%s\",\"data\":\"%s\"", console, buf_str(&text));
}

/* ---- waiting for what is said ---------------------------------------------------------------- */

/* Reads n bytes from the board's end of a console. */
static size_t hear(int i, char *out, size_t n)
{
	int64_t until = clock_ms() + PATIENCE_MS;
	size_t got = 0;

	while (got < n && clock_ms() < until) {
		struct pollfd p = {masters[i], POLLIN, 0};
		ssize_t r;

		if (poll(&p, 1, (int)(until - clock_ms())) <= 0)
			continue;
		r = read(masters[i], out + got, n - got);
		if (r > 0)
			got += (size_t)r;
		else if (r < 0 && errno != EAGAIN)
			break;
	}
	return got;
}

static bool hears(int i, const char *want)
{
	char got[256] = "";
	size_t n = hear(i, got, strlen(want));

	return n == strlen(want) && !memcmp(got, want, n);
}

/* All of it, as the line takes it. */
static void say(int i, const char *bytes, size_t n)
{
	while (n) {
		struct pollfd p = {masters[i], POLLOUT, 0};
		ssize_t r;

		poll(&p, 1, PATIENCE_MS);
		r = write(masters[i], bytes, n);
		if (r < 0 && errno == EAGAIN)
			continue;
		if (r <= 0)
			return;
		bytes += r;
		n -= (size_t)r;
	}
}

/* ---- what is shown ----------------------------------------------------------------------------
 */

static void raw_bytes(void)
{
	char all[256], got[256];
	AUTOBUF log = BUF_INIT(BUF_CAP_BYTES);

	for (int i = 0; i < 256; i++)
		all[i] = (char)i;
	type("main", "ls\r", 3);
	ok(hears(0, "ls\r"), "what is typed arrives, and nothing before it");
	say(0, "ls\r\nbin\r\n$ ", 11);
	ok(comes("console-main.log", "ls\r\nbin\r\n$ ", 1), "what the board says is logged");
	type("main", all, sizeof all);
	is_int((long long)hear(0, got, sizeof got), 256, "all bytes there are");
	ok(!memcmp(got, all, sizeof all), "as they are");
	say(0, all, sizeof all);
	say(0, "END", 3);
	ok(comes("console-main.log", "END", 1), "all of it is logged");
	read_file("console-main.log", &log);
	ok(log.len == 11 + 256 + 3 && !memcmp(log.data + 11, all, sizeof all), "and back");
	for (int i = 1; i < CONSOLES; i++) {
		type(names[i], names[i], strlen(names[i]));
		ok(hears(i, names[i]), "console '%s' has its own input", names[i]);
	}
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* Told, not judged: how long a key takes from the inbox to the line. */
static void latency(const char *when)
{
	int64_t took[101];
	bool all = true;

	for (size_t i = 0; i < ARRAY_LEN(took); i++) {
		int64_t start = clock_us();

		type("main", "k", 1);
		all = all && hears(0, "k");
		took[i] = clock_us() - start;
	}
	qsort(took, ARRAY_LEN(took), sizeof *took, compare);
	ok(all, "%zu keys arrive %s", ARRAY_LEN(took), when);
	printf("# a key takes %lld us at the median, %lld us at most\n", (long long)took[50],
		(long long)took[100]);
}

static void garbage(void)
{
	const char *wrong = "nonsense\n\n{}\n[1]\n{\"n\":0,\"kind\":\"input\"}\n\377\376\n";
	AUTOFREE char *longest = mem_alloc(300001);
	const char *half = "{\"n\":1000,\"kind\":\"input\",\"console\":\"main\",\"data\":\"";

	append(wrong, strlen(wrong));
	memset(longest, 'x', 300000);
	longest[300000] = '\n';
	append(longest, 300001);
	put("\"kind\":\"dance\"");
	put("\"kind\":\"input\",\"console\":\"none\",\"data\":\"YQ==\"");
	put("\"kind\":\"input\",\"console\":\"main\",\"data\":\"Y\"");
	put("\"kind\":\"input\",\"console\":7,\"data\":[]");
	put("\"kind\":\"power\",\"action\":\"explode\"");
	put("\"kind\":\"power\",\"action\":\"on\"");
	put("\"kind\":\"break\",\"console\":\"main\"");
	append("{\"n\":1,\"kind\":\"input\",\"console\":\"main\",\"data\":\"YQ==\"}\n", 54);
	append(half, strlen(half));
	type("r5f", "", 0); /* not a line of its own: it is damaged with the half one before it */
	type("main", "after", 5);
	ok(hears(0, "after"), "after all that, what is typed arrives, and nothing else");
	ok(comes("events.jsonl", "is damaged\"", 6), "damaged lines are told");
	ok(comes("events.jsonl", "passes 98304 bytes", 1), "so is one without an end");
	ok(comes("events.jsonl", "no line of kind 'dance'", 1), "an unknown kind");
	ok(comes("events.jsonl", "no console 'none'", 1), "an unknown console");
	ok(comes("events.jsonl", "it is not typed", 1), "an input that is no base64");
	ok(comes("events.jsonl", "'explode' is no action", 1), "an unknown action");
	ok(comes("events.jsonl", "\"ok\":false,\"message\":\"board 'b' has no power control\"", 1),
		"a board without a switch answers");
	ok(comes("events.jsonl", "break", 1), "a break on a line that has none is told");
}

/* Nobody reads from "slow". */
static void slow(void)
{
	static char block[BLOCK_BYTES], got[16 * BLOCK_BYTES];
	size_t kept = 0, whole;
	ssize_t r;

	for (int i = 0; i < 12; i++) {
		memset(block, 'a' + i, sizeof block);
		type("slow", block, sizeof block);
	}
	ok(comes("events.jsonl", "\"kind\":\"input-dropped\",\"console\":\"slow\"", 1),
		"what a slow console cannot take is told");
	latency("beside a slow console");
	/* what was taken comes whole and in order, once somebody reads */
	for (int quiet = 0; quiet < 10;) {
		struct pollfd p = {masters[2], POLLIN, 0};

		if (poll(&p, 1, 50) <= 0) {
			quiet++;
			continue;
		}
		r = read(masters[2], got + kept, sizeof got - kept);
		kept += r > 0 ? (size_t)r : 0;
	}
	for (whole = 0; whole < kept; whole++)
		if (got[whole] != (char)('a' + whole / BLOCK_BYTES))
			break;
	is_int((long long)whole, (long long)kept, "what was taken arrives whole");
	ok(kept >= 4 * BLOCK_BYTES && kept % BLOCK_BYTES == 0,
		"as many whole inputs as were taken: %zu bytes", kept);
	type("slow", "again", 5);
	ok(hears(2, "again"), "and it is typed into again");
	ok(comes("events.jsonl", "\"kind\":\"input-dropped\",\"console\":\"slow\"", 2),
		"the rest of what was dropped is told, too");
}

/* "loud" prints as fast as it can, in a process of its own. */
static void loud(void)
{
	static char block[1 << 16];
	AUTOFREE char *path = fs_join(dir, "console-loud.log");
	AUTOBUF log = BUF_INIT(2 * FLOOD_BYTES);
	int64_t start = clock_ms(), took;
	size_t wrong = 0;
	pid_t pid;
	int status = -1;

	for (size_t i = 0; i < sizeof block; i++)
		block[i] = (char)(i * 7 + i / 251);
	pid = fork();
	if (!pid) {
		for (size_t n = 0; n < FLOOD_BYTES; n += sizeof block)
			say(3, block, sizeof block);
		_exit(0);
	}
	latency("beside a loud console");
	waitpid(pid, &status, 0);
	took = clock_ms() - start;
	is_int(status, 0, "a console printed %zu MiB", FLOOD_BYTES >> 20);
	say(3, "THE-END", 7);
	ok(comes("console-loud.log", "THE-END", 1), "to its end");
	(void)fs_read(path, &log, NULL);
	for (size_t i = 0; i < log.len && i < FLOOD_BYTES; i++)
		wrong += log.data[i] != block[i % sizeof block];
	is_int((long long)log.len, (long long)FLOOD_BYTES + 7, "no byte is lost");
	is_int((long long)wrong, 0, "and all are what they were");
	printf("# %.1f MB/s\n", (double)FLOOD_BYTES / 1000.0 / (double)(took ? took : 1));
}

static void away(void)
{
	close(masters[1]);
	ok(comes("events.jsonl", "console 'r5f': the line went away", 1), "a line goes away");
	type("r5f", "lost", 4);
	ok(comes("events.jsonl", "\"console\":\"r5f\",\"bytes\":4,\"why\":\"the line is away\"", 1),
		"what is typed then is dropped, and told");
	connect_port(1);
	ok(comes("events.jsonl", "console 'r5f': open again", 1), "it comes back");
	type("r5f", "back", 4);
	ok(hears(1, "back"), "and is typed into");
	say(1, "hello", 5);
	ok(comes("console-r5f.log", "hello", 1), "and heard");
}

static void first(void)
{
	make_folder("1", 600000);
	start();
	ok(comes("events.jsonl",
		   "\"kind\":\"session-start\",\"consoles\":[\"main\",\"r5f\",\"slow\",\"loud\"]",
		   1),
		"it says that it takes lines, and its consoles");
	raw_bytes();
	latency("on a quiet board");
	garbage();
	n_line = 5000; /* the half line took one that was far ahead */
	slow();
	loud();
	away();
	put("\"kind\":\"until\",\"at\":%lld", (long long)clock_wall_ms() + 3600000);
	type("main", "still", 5);
	ok(hears(0, "still"), "a time that has not come ends nothing");
	put("\"kind\":\"until\",\"at\":%lld", (long long)clock_wall_ms() + 100);
	ends("\"kind\":\"session-end\",\"why\":\"its time is up\"", "pass", "its time is up");
}

static void other_ends(void)
{
	make_folder("2", 600000);
	start();
	ok(comes("events.jsonl", "session-start", 1), "it is up");
	kill(worker.pid, SIGTERM);
	ends("\"why\":\"somebody ended it\"", "pass", "SIGTERM ends it");

	make_folder("3", 200);
	start();
	ends("\"why\":\"its hard end has come\"", "pass", "its plan's time ends it");

	make_folder("4", 600000);
	put("\"kind\":\"until\",\"at\":1");
	start();
	ends("\"why\":\"its time is up\"", "pass", "a line from before it began counts");
}

static void absent(void)
{
	AUTOFREE char *link = mem_printf("%s/port-r5f", top);
	AUTOCLOSE int held = -1;

	make_folder("5", 600000);
	unlink(link);
	close(masters[1]);
	start();
	ok(comes("events.jsonl", "session-start", 1),
		"a console that is not there does not keep it from beginning");
	connect_port(1);
	ok(comes("events.jsonl", "console 'r5f': open again", 1), "it comes when it comes");
	kill(worker.pid, SIGTERM);
	ends(NULL, "pass", "it ends");

	make_folder("6", 600000);
	held = open(link, O_RDWR | O_NOCTTY | O_CLOEXEC);
	ioctl(held, TIOCEXCL);
	if (flock(held, LOCK_EX | LOCK_NB))
		exit(1);
	start();
	ends("is in use", "incomplete", "a console that somebody else has keeps it from beginning");
}

static void killed(void)
{
	const char *argv[] = {getenv("HILAB"), "worker", "--release", NULL, NULL};
	struct child_opts o = CHILD_OPTS;
	struct run_status s = {0};
	int status = -1;

	make_folder("7", 600000);
	start();
	ok(comes("events.jsonl", "session-start", 1), "it is up");
	kill(worker.pid, SIGKILL);
	waitpid(worker.pid, NULL, 0);
	child_done(&worker);
	worker = (struct child)CHILD_INIT;
	argv[3] = dir;
	is_int(child_run(argv, &o, PATIENCE_MS, NULL, NULL, &status, NULL), 0,
		"its board is freed");
	is_int(run_status_load(&s, dir, NULL), 0, "it leaves a status");
	is_str(verdict_name(s.verdict), "incomplete", "its verdict");
	has_str(s.message, "the worker died in its session", "and why");
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	folders_begin();
	for (int i = 0; i < CONSOLES; i++)
		connect_port(i);
	first();
	other_ends();
	killed();
	absent();
	for (int i = 0; i < CONSOLES; i++)
		close(masters[i]);
	return folders_end();
}
