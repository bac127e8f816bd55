/* SPDX-License-Identifier: MIT */
/*
 * Fetches images over HTTP(S) with libcurl. Invariant: CACHE/SHA256 exists only with that digest;
 * CACHE/SHA256.part holds a prefix of it, or of something else, which the digest then shows.
 */
#include "builds/fetch.h"

#include "base/fs.h"
#include "base/mem.h"
#include "io/digest.h"

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define REDIRECTS 5

struct transfer {
	const struct image *image;
	const struct fetch_opts *opts;
	CURL *curl;
	int fd;
	int64_t have_bytes; /* in the .part file */
	int64_t from_bytes; /* where this request began */
	int64_t max_bytes;
	int write_errno;
	bool started;
};

static size_t on_bytes(char *p, size_t size, size_t n, void *arg)
{
	struct transfer *t = arg;
	long code = 0;

	if (!t->started) {
		t->started = true;
		curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &code);
		/* The server sends all of it again: so do we begin again. */
		if (t->from_bytes && code != 206) {
			if (ftruncate(t->fd, 0) || lseek(t->fd, 0, SEEK_SET) < 0) {
				t->write_errno = errno;
				return 0;
			}
			t->from_bytes = t->have_bytes = 0;
		}
	}
	if (t->have_bytes + (int64_t)(size * n) > t->max_bytes) {
		t->write_errno = EFBIG;
		return 0;
	}
	if (fs_write_all(t->fd, p, size * n)) {
		t->write_errno = errno;
		return 0;
	}
	t->have_bytes += (int64_t)(size * n);
	return size * n;
}

static int on_progress(
	void *arg, curl_off_t total, curl_off_t now, curl_off_t up_total, curl_off_t up_now)
{
	struct transfer *t = arg;

	(void)now;
	(void)up_total;
	(void)up_now;
	if (!t->opts->progress)
		return 0;
	return t->opts->progress(
		t->opts->arg, t->image->role, t->have_bytes, total > 0 ? t->from_bytes + total : 0);
}

static void set_options(struct transfer *t, char *error_text)
{
	CURL *c = t->curl;

	curl_easy_setopt(c, CURLOPT_URL, t->image->url);
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 1L);
	curl_easy_setopt(c, CURLOPT_MAXREDIRS, (long)REDIRECTS);
	curl_easy_setopt(c, CURLOPT_FAILONERROR, 1L);
	curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c, CURLOPT_LOW_SPEED_LIMIT, (long)FETCH_STALL_BPS);
	curl_easy_setopt(c, CURLOPT_LOW_SPEED_TIME, (long)FETCH_STALL_S);
	curl_easy_setopt(c, CURLOPT_TIMEOUT_MS,
		(long)(t->opts->timeout_ms ? t->opts->timeout_ms : FETCH_TIME_MS));
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_bytes);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, t);
	curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, on_progress);
	curl_easy_setopt(c, CURLOPT_XFERINFODATA, t);
	curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(c, CURLOPT_RESUME_FROM_LARGE, (curl_off_t)t->from_bytes);
	curl_easy_setopt(c, CURLOPT_USERAGENT, "hilab/" HILAB_VERSION);
	curl_easy_setopt(c, CURLOPT_ERRORBUFFER, error_text);
}

static bool worth_again(CURLcode rc)
{
	return rc == CURLE_PARTIAL_FILE || rc == CURLE_RECV_ERROR || rc == CURLE_GOT_NOTHING ||
	       rc == CURLE_OPERATION_TIMEDOUT || rc == CURLE_COULDNT_CONNECT;
}

/* One request. 0 all there, 1 worth another try, -1. */
static int request(struct transfer *t, struct err *e)
{
	char text[CURL_ERROR_SIZE] = "";
	long code = 0;
	CURLcode rc;

	t->from_bytes = t->have_bytes;
	t->started = false;
	curl_easy_reset(t->curl);
	set_options(t, text);
	rc = curl_easy_perform(t->curl);
	if (rc == CURLE_OK)
		return 0;
	curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &code);
	/* 416: nothing is left to send; the digest tells whether what we have is it. */
	if (rc == CURLE_HTTP_RETURNED_ERROR && code == 416 && t->from_bytes)
		return 0;
	if (rc == CURLE_ABORTED_BY_CALLBACK)
		return err_set(e, BLAME_CANCEL, "fetch '%s': canceled", t->image->url);
	if (t->write_errno == EFBIG)
		return err_set(e, BLAME_INFRA, "fetch '%s': more than %lld bytes", t->image->url,
			(long long)t->max_bytes);
	if (t->write_errno)
		return err_sys(e, BLAME_INFRA, t->write_errno, "fetch '%s'", t->image->url);
	err_set(e, rc == CURLE_HTTP_RETURNED_ERROR ? BLAME_BUILD : BLAME_INFRA, "fetch '%s': %s",
		t->image->url, *text ? text : curl_easy_strerror(rc));
	return worth_again(rc) ? 1 : -1;
}

static int download(struct transfer *t, struct err *e)
{
	struct err last = {0};
	int rc = 1;

	t->curl = curl_easy_init();
	if (!t->curl)
		return err_set(e, BLAME_BUG, "fetch '%s': libcurl does not start", t->image->url);
	for (int i = 0; i < FETCH_TRIES && rc > 0; i++)
		rc = request(t, &last);
	curl_easy_cleanup(t->curl);
	if (rc && e)
		*e = last;
	if (!rc && fsync(t->fd))
		return err_sys(e, BLAME_INFRA, errno, "fetch '%s'", t->image->url);
	return rc ? -1 : 0;
}

static bool has_digest(const char *path, const char *sha256)
{
	char hex[DIGEST_HEX_BYTES];

	return !digest_sha256_file(path, hex, NULL) && !strcasecmp(hex, sha256);
}

/* With the .part file locked: one process fetches an image, others wait for it. */
static int fetch_locked(struct transfer *t, const char *part, const char *final, struct err *e)
{
	struct stat st;

	if (fs_exists(final) && has_digest(final, t->image->sha256))
		return 0;
	if (fstat(t->fd, &st) || lseek(t->fd, 0, SEEK_END) < 0)
		return err_sys(e, BLAME_INFRA, errno, "fetch into '%s'", part);
	t->have_bytes = st.st_size;
	if (download(t, e))
		return -1;
	if (!has_digest(part, t->image->sha256)) {
		unlink(part);
		return err_set(e, BLAME_BUILD,
			"image '%s' from '%s' does not have the sha256 of its manifest",
			t->image->role, t->image->url);
	}
	if (rename(part, final))
		return err_sys(e, BLAME_INFRA, errno, "fetch: rename '%s'", part);
	return 0;
}

static int fetch(const struct image *im, const struct fetch_opts *o, char **path, struct err *e)
{
	AUTOFREE char *cache = fs_cache_dir();
	AUTOFREE char *dir = o->cache_dir ? mem_strdup(o->cache_dir) : fs_join(cache, "builds");
	AUTOFREE char *final = fs_join(dir, im->sha256);
	AUTOFREE char *part = mem_printf("%s.part", final);
	struct transfer t = {
		.image = im, .opts = o, .max_bytes = o->max_bytes ? o->max_bytes : FETCH_BYTES_MAX};
	AUTOCLOSE int fd = -1;

	if (!fs_exists(final) || !has_digest(final, im->sha256)) {
		if (fs_mkdirs(dir, 0755, e))
			return -1;
		fd = open(part, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
		if (fd < 0 || flock(fd, LOCK_EX))
			return err_sys(e, BLAME_INFRA, errno, "fetch into '%s'", part);
		t.fd = fd;
		if (fetch_locked(&t, part, final, e))
			return -1;
	}
	*path = mem_strdup(final);
	return 0;
}

int image_local(const struct image *im, const struct fetch_opts *o, char **path, struct err *e)
{
	static const struct fetch_opts presets;

	if (!im->path)
		return fetch(im, o ? o : &presets, path, e);
	if (image_verify(im, e))
		return -1;
	*path = mem_strdup(im->path);
	return 0;
}
