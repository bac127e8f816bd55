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

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILE_BYTES 300000
#define CUT_BYTES  100000

static char dir[] = "/tmp/hilab-test-fetch-XXXXXX", hex[DIGEST_HEX_BYTES], *body;
static int port;

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

		if (c < 0)
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

	is_int(image_local(&im, &o, &path, &e), 0, "fetched, the first answer broken off: %s",
		e.msg);
	final = fs_join(cache, hex);
	is_str(path, final, "it lies in the cache under its digest");
	is_int(most, FILE_BYTES, "progress went up to the whole size");
	free(path), path = NULL;
	stop(pid);
	is_int(image_local(&im, &o, &path, &e), 0, "a cached image needs no server");
	free(path), path = NULL;
	/* A damaged cache is noticed and fetched again. */
	fs_write(final, "x", 1, 0644, NULL);
	pid = serve(fd, 0);
	is_int(image_local(&im, &o, &path, &e), 0, "a damaged copy is fetched anew: %s", e.msg);
	free(path), path = NULL;
	unlink(final);
	o.progress = stop_at_once;
	is_int(image_local(&im, &o, &path, &e), -1, "stopped by the caller");
	is_int(e.blame, BLAME_CANCEL, "blame cancel: %s", e.msg);
	o.progress = NULL;
	is_int(image_local(&im, &o, &path, &e), 0, "and goes on later: %s", e.msg);
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

	is_int(image_local(&im, &o, &path, &e), -1, "a wrong digest is refused");
	is_int(e.blame, BLAME_BUILD, "blame build: %s", e.msg);
	part = mem_printf("%s/%s.part", cache, wrong);
	ok(!fs_exists(part), "and nothing of it stays");
	is_int(image_local(&gone, &o, &path, &e), -1, "a file that is not there");
	is_int(e.blame, BLAME_BUILD, "blame build: %s", e.msg);
	o.max_bytes = 1000;
	im.sha256 = hex;
	is_int(image_local(&im, &o, &path, &e), -1, "more than the limit");
	is_int(e.blame, BLAME_INFRA, "blame infra: %s", e.msg);
	stop(pid);
	odd.url = "file:///etc/passwd";
	is_int(image_local(&odd, &o, &path, &e), -1, "only http and https: %s", e.msg);
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
	is_int(image_local(&im, &o, &path, &e), -1, "nobody listens");
	is_int(e.blame, BLAME_INFRA, "blame infra: %s", e.msg);
	has_str(e.msg, "127.0.0.1", "the text names the server");
	free(cache), free((void *)im.url);
}

int main(void)
{
	char *file;
	int fd;

	signal(SIGPIPE, SIG_IGN);
	if (!mkdtemp(dir))
		return 1;
	body = mem_alloc(FILE_BYTES);
	for (int i = 0; i < FILE_BYTES; i++)
		body[i] = (char)(i * 7 + i / 251);
	digest_sha256(body, FILE_BYTES, hex);
	file = fs_join(dir, "Image");
	ok(!fs_write(file, body, FILE_BYTES, 0644, NULL), "the server's file is there");
	fd = listen_any();
	test_fetch(fd);
	test_errors(fd);
	test_dead_server();
	fs_remove_tree(dir, NULL);
	free(file), free(body);
	return tap_done();
}
