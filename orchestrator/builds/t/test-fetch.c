/* SPDX-License-Identifier: MIT */
/*
 * Fetching against a real HTTP server (busybox httpd, started per connection on a socket that is
 * already listening, so nothing has to be waited for) and one that breaks off in mid-answer.
 */
#include "base/fs.h"
#include "base/mem.h"
#include "base/t/tap.h"
#include "builds/fetch.h"
#include "io/digest.h"
#include "pack.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILE_BYTES 300000
#define CUT_BYTES  100000

static char dir[] = "/tmp/hilab-test-fetch-XXXXXX", hex[DIGEST_HEX_BYTES], *body;
static char packed_hex[DIGEST_HEX_BYTES], *packed_file;
static int port, asked[2]; /* one byte is written for each connection */

static int listen_any(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof a;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&a, n) || listen(fd, 8) ||
		getsockname(fd, (struct sockaddr *)&a, &n))
		exit(1);
	port = ntohs(a.sin_port);
	return fd;
}

/* A whole answer's head, then only the first bytes of the body. */
static void answer_cut(int c)
{
	char head[256], request[4096];
	ssize_t got = read(c, request, sizeof request);

	if (got <= 0)
		return;
	snprintf(head, sizeof head,
		"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n", FILE_BYTES);
	fs_write_all(c, head, strlen(head));
	fs_write_all(c, body, CUT_BYTES);
}

/* Serves until it is killed; the first `cuts` connections break off. */
static pid_t serve(int fd, int cuts)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	for (;;) {
		int c = accept(fd, NULL, NULL);

		if (c < 0 || write(asked[1], "x", 1) != 1)
			_exit(1);
		if (cuts-- > 0) {
			answer_cut(c);
		} else if (!fork()) {
			dup2(c, 0);
			dup2(c, 1);
			execlp("busybox", "busybox", "httpd", "-i", "-h", dir, (char *)NULL);
			_exit(127);
		}
		close(c);
	}
}

static void stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static bool has_file(const char *path)
{
	return path && fs_exists(path);
}

static struct image image_of(const char *name, const char *sha)
{
	return (struct image){.role = "kernel",
		.url = mem_printf("http://127.0.0.1:%d/%s", port, name),
		.sha256 = sha};
}

static int count_progress(void *arg, const char *role, int64_t got, int64_t total)
{
	int64_t *most = arg;

	if (strcmp(role, "kernel") || (total && got > total))
		*most = -1;
	else if (got > *most)
		*most = got;
	return 0;
}

static int stop_at_once(void *arg, const char *role, int64_t got, int64_t total)
{
	(void)arg, (void)role, (void)total;
	return got > 0;
}

static void test_fetch(int fd)
{
	char *cache = fs_join(dir, "cache"), *path = NULL, *final;
	int64_t most = 0;
	struct fetch_opts o = {.cache_dir = cache, .progress = count_progress, .arg = &most};
	struct image im = image_of("Image", hex);
	struct err e = {0};
	pid_t pid = serve(fd, 1);

	is_int(image_local(&im, &o, &path, NULL, &e), 0, "fetched, the first answer broken off: %s",
		e.msg);
	final = fs_join(cache, hex);
	is_str(path, final, "it lies in the cache under its digest");
	is_int(most, FILE_BYTES, "progress went up to the whole size");
	free(path), path = NULL;
	stop(pid);
	is_int(image_local(&im, &o, &path, NULL, &e), 0, "a cached image needs no server");
	free(path), path = NULL;
	/* A damaged cache is noticed and fetched again. */
	fs_write(final, "x", 1, 0644, NULL);
	pid = serve(fd, 0);
	is_int(image_local(&im, &o, &path, NULL, &e), 0, "a damaged copy is fetched anew: %s",
		e.msg);
	free(path), path = NULL;
	unlink(final);
	o.progress = stop_at_once;
	is_int(image_local(&im, &o, &path, NULL, &e), -1, "stopped by the caller");
	is_int(e.blame, BLAME_CANCEL, "blame cancel: %s", e.msg);
	o.progress = NULL;
	is_int(image_local(&im, &o, &path, NULL, &e), 0, "and goes on later: %s", e.msg);
	free(path);
	stop(pid);
	free(final), free(cache), free((void *)im.url);
}

static void test_errors(int fd)
{
	static const char wrong[] =
		"0000000000000000000000000000000000000000000000000000000000000000";
	char *cache = fs_join(dir, "cache2"), *path = NULL, *part;
	struct fetch_opts o = {.cache_dir = cache};
	struct image im = image_of("Image", wrong), gone = image_of("nothing", hex), odd = im;
	struct err e = {0};
	pid_t pid = serve(fd, 0);

	is_int(image_local(&im, &o, &path, NULL, &e), -1, "a wrong digest is refused");
	is_int(e.blame, BLAME_BUILD, "blame build: %s", e.msg);
	part = mem_printf("%s/%s.part", cache, wrong);
	ok(!fs_exists(part), "and nothing of it stays");
	is_int(image_local(&gone, &o, &path, NULL, &e), -1, "a file that is not there");
	is_int(e.blame, BLAME_BUILD, "blame build: %s", e.msg);
	o.max_bytes = 1000;
	im.sha256 = hex;
	is_int(image_local(&im, &o, &path, NULL, &e), -1, "more than the limit");
	is_int(e.blame, BLAME_INFRA, "blame infra: %s", e.msg);
	stop(pid);
	odd.url = "file:///etc/passwd";
	is_int(image_local(&odd, &o, &path, NULL, &e), -1, "only http and https: %s", e.msg);
	is_str(path, NULL, "the path stays untouched");
	free(part), free(cache), free((void *)im.url), free((void *)gone.url);
}

static void test_dead_server(void)
{
	char *cache = fs_join(dir, "cache3"), *path = NULL;
	struct fetch_opts o = {.cache_dir = cache};
	struct image im;
	struct err e = {0};
	int fd = listen_any();

	im = image_of("Image", hex);
	close(fd);
	is_int(image_local(&im, &o, &path, NULL, &e), -1, "nobody listens");
	is_int(e.blame, BLAME_INFRA, "blame infra: %s", e.msg);
	has_str(e.msg, "127.0.0.1", "the text names the server");
	free(cache), free((void *)im.url);
}

/* ---- killed in the middle, and two at once ---- */

/* Ends this process the hard way once the role has some bytes. */
static int kill_us(void *arg, const char *role, int64_t got, int64_t total)
{
	(void)role, (void)total;
	if (got > *(int64_t *)arg)
		kill(getpid(), SIGKILL);
	return 0;
}

static void killed_process(const struct image *im, const char *cache, int64_t after_bytes)
{
	struct fetch_opts o = {.cache_dir = cache, .progress = kill_us, .arg = &after_bytes};
	char *path;
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		image_local(im, &o, &path, NULL, NULL);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	ok(WIFSIGNALED(status), "a process is killed after %lld bytes", (long long)after_bytes);
}

/* Every whole file of the cache has the digest that it is called. */
static void tidy(const char *cache, int wanted)
{
	DIR *d = opendir(cache);
	struct dirent *de;
	int n = 0, wrong = 0;

	while (d && (de = readdir(d))) {
		AUTOFREE char *file = fs_join(cache, de->d_name);
		char sum[DIGEST_HEX_BYTES];

		if (strlen(de->d_name) != DIGEST_HEX_BYTES - 1)
			continue;
		n++;
		wrong += digest_sha256_file(file, sum, NULL) || strcmp(sum, de->d_name);
	}
	if (d)
		closedir(d);
	is_int(wrong, 0, "no file of the cache is other than its name says");
	is_int(n, wanted, "as many whole files as there should be");
}

static void test_killed(int fd)
{
	char *cache = fs_join(dir, "cache-killed"), *path = NULL, *unpacked, sum[DIGEST_HEX_BYTES] = "";
	struct fetch_opts o = {.cache_dir = cache};
	struct image im = image_of("Image", hex), packed = image_of("Image.xz", packed_hex);
	struct err e = {0};
	pid_t pid = serve(fd, 0);

	packed.packing = PACKING_XZ;
	packed.unpacked_sha256 = hex;
	killed_process(&im, cache, CUT_BYTES);
	tidy(cache, 0);
	is_int(image_local(&im, &o, &path, sum, &e), 0, "the next one goes on: %s", e.msg);
	is_str(sum, hex, "and has the right bytes");
	free(path), path = NULL;
	fs_remove_tree(cache, NULL);
	killed_process(&packed, cache, 0); /* while it is fetched */
	is_int(image_local(&packed, &o, &path, sum, &e), 0, "fetched and unpacked: %s", e.msg);
	is_str(sum, hex, "the digest is that of what it unpacks to");
	has_str(path, hex, "so is the name");
	tidy(cache, 2);
	free(path), path = NULL;
	/* While it is unpacked: the shipped file lies there, so that is all that happens. */
	unpacked = mem_printf("%s/%s", cache, hex);
	unlink(unpacked);
	killed_process(&packed, cache, 0);
	tidy(cache, 1);
	stop(pid);
	is_int(image_local(&packed, &o, &path, sum, &e), 0, "unpacked anew: %s", e.msg);
	tidy(cache, 2);
	free(path), free(unpacked);
	free(cache), free((void *)im.url), free((void *)packed.url);
}

/* The first process waits in its first bytes until the second has begun. */
static int wait_once(void *arg, const char *role, int64_t got, int64_t total)
{
	int *go = arg;
	char c;

	(void)role, (void)total;
	if (got && *go >= 0) {
		if (read(*go, &c, 1) != 1)
			return 1;
		*go = -1;
	}
	return 0;
}

static pid_t fetcher(const struct image *im, const char *cache, int go)
{
	struct fetch_opts o = {
		.cache_dir = cache, .progress = go >= 0 ? wait_once : NULL, .arg = &go};
	char *path = NULL, sum[DIGEST_HEX_BYTES] = "";
	pid_t pid = fork();

	if (pid)
		return pid;
	_exit(image_local(im, &o, &path, sum, NULL) || strcmp(sum, hex) || !has_file(path));
}

static void test_two_at_once(int fd)
{
	char *cache = fs_join(dir, "cache-two"), seen[16];
	struct image packed = image_of("Image.xz", packed_hex);
	int go[2], status = -1;
	pid_t pid = serve(fd, 0), a, b;

	packed.packing = PACKING_AUTO;
	if (pipe(go))
		exit(1);
	while (read(asked[0], seen, sizeof seen) > 0) /* of the tests before */
		;
	a = fetcher(&packed, cache, go[0]);
	b = fetcher(&packed, cache, -1);
	ok(write(go[1], "x", 1) == 1, "the first goes on once the second has begun");
	ok(waitpid(a, &status, 0) == a && !status, "the first has the image");
	ok(waitpid(b, &status, 0) == b && !status, "so has the second");
	is_int(read(asked[0], seen, sizeof seen), 1, "which was asked for once");
	tidy(cache, 2);
	stop(pid);
	close(go[0]), close(go[1]);
	free(cache), free((void *)packed.url);
}

static void test_packed(int fd)
{
	char *cache = fs_join(dir, "cache-packed"), *path = NULL;
	struct fetch_opts o = {.cache_dir = cache, .max_unpacked_bytes = FILE_BYTES - 1};
	struct image im = image_of("Image.xz", packed_hex);
	struct err e = {0};
	pid_t pid = serve(fd, 0);

	im.packing = PACKING_XZ;
	is_int(image_local(&im, &o, &path, NULL, &e), -1, "a bomb is not unpacked");
	is_int(e.blame, BLAME_BUILD, "blame build: %s", e.msg);
	o.max_unpacked_bytes = 0;
	im.unpacked_sha256 = packed_hex;
	is_int(image_local(&im, &o, &path, NULL, &e), -1, "nor one that unpacks to other bytes");
	has_str(e.msg, "unpacks to sha256", "which is told");
	tidy(cache, 1);
	im.packing = PACKING_ZSTD;
	is_int(image_local(&im, &o, &path, NULL, &e), -1, "nor one that is packed otherwise");
	is_int(e.blame, BLAME_BUILD, "blame build: %s", e.msg);
	ok(!image_ready(&im, cache), "it is not ready");
	im.packing = PACKING_AUTO;
	im.unpacked_sha256 = hex;
	is_int(image_local(&im, &o, &path, NULL, &e), 0, "a right one is: %s", e.msg);
	ok(image_ready(&im, cache), "it is ready");
	stop(pid);
	free(path), path = NULL;
	/* A local file that is packed goes through the cache, too. */
	free((void *)im.url);
	im.url = NULL;
	im.path = packed_file;
	fs_remove_tree(cache, NULL);
	is_int(image_local(&im, &o, &path, NULL, &e), 0, "a packed local file: %s", e.msg);
	tidy(cache, 1);
	free(path), path = NULL;
	fs_remove_tree(cache, NULL);
	im.sha256 = hex;
	is_int(image_local(&im, &o, &path, NULL, &e), -1, "is looked at before");
	has_str(e.msg, "the manifest says", "%s", e.msg);
	free(cache);
}

/* What an earlier try left is no beginning of the image: not believed, fetched again. */
static void test_wrong_beginning(int fd)
{
	char *cache = fs_join(dir, "cache-begin"), *path = NULL;
	char *part = mem_printf("%s/%s.part", cache, hex);
	struct fetch_opts o = {.cache_dir = cache};
	struct image im = image_of("Image", hex);
	struct err e = {0};
	pid_t pid = serve(fd, 0);

	fs_mkdirs(cache, 0755, NULL);
	ok(!fs_write(part, "zeros after a power cut", 23, 0644, NULL), "a wrong beginning");
	is_int(image_local(&im, &o, &path, NULL, &e), 0, "is thrown away: %s", e.msg);
	ok(!fs_exists(part), "nothing of it stays");
	stop(pid);
	free(path), free(cache), free(part), free((void *)im.url);
}

/* The bound holds after each image; the one just fetched stays for whoever asked. */
static void test_bound(int fd)
{
	char *cache = fs_join(dir, "cache-bound"), *path = NULL, *other = NULL;
	struct cache_hold hold = {0};
	struct fetch_opts o = {.cache_dir = cache, .hold = &hold};
	struct image im = image_of("Image", hex), packed = image_of("Image.xz", packed_hex);
	struct err e = {0};
	pid_t pid = serve(fd, 0);

	setenv("HILAB_CACHE_MAX", "1kB", 1);
	is_int(image_local(&im, &o, &path, NULL, &e), 0, "an image larger than the cache: %s",
		e.msg);
	is_int(image_local(&packed, &o, &other, NULL, &e), 0, "and another: %s", e.msg);
	ok(fs_exists(path) && fs_exists(other), "both stay while they are held");
	cache_hold_done(&hold);
	unlink(other);
	free(other), other = NULL;
	is_int(image_local(&packed, &o, &other, NULL, &e), 0, "the next one");
	ok(!fs_exists(path) && fs_exists(other), "takes the place of what nobody holds");
	setenv("HILAB_CACHE_MAX", "huge", 1);
	free(other), other = NULL;
	is_int(image_local(&packed, &o, &other, NULL, &e), -1, "a limit that is none: %s", e.msg);
	unsetenv("HILAB_CACHE_MAX");
	cache_hold_done(&hold);
	stop(pid);
	free(path), free(cache), free((void *)im.url), free((void *)packed.url);
}

int main(void)
{
	AUTOBUF packed = BUF_INIT(BUF_CAP_BYTES);
	char *file;
	int fd;

	signal(SIGPIPE, SIG_IGN);
	if (!mkdtemp(dir) || pipe2(asked, O_NONBLOCK | O_CLOEXEC))
		return 1;
	setenv("XDG_CONFIG_HOME", dir, 1);
	body = mem_alloc(FILE_BYTES);
	for (int i = 0; i < FILE_BYTES; i++)
		body[i] = (char)(i * 7 + i / 251);
	digest_sha256(body, FILE_BYTES, hex);
	file = fs_join(dir, "Image");
	ok(!fs_write(file, body, FILE_BYTES, 0644, NULL), "the server's file is there");
	pack(PACKING_XZ, body, FILE_BYTES, &packed);
	digest_sha256(packed.data, packed.len, packed_hex);
	packed_file = fs_join(dir, "Image.xz");
	ok(!fs_write(packed_file, packed.data, packed.len, 0644, NULL), "and a packed one");
	fd = listen_any();
	test_fetch(fd);
	test_errors(fd);
	test_killed(fd);
	test_two_at_once(fd);
	test_packed(fd);
	test_wrong_beginning(fd);
	test_bound(fd);
	test_dead_server();
	fs_remove_tree(dir, NULL);
	free(file), free(body), free(packed_file);
	return tap_done();
}
