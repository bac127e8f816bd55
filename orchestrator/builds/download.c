/* SPDX-License-Identifier: MIT */
/*
 * Downloads with libcurl. Invariant: what a file holds after a failure is a beginning of what the
 * server sent, so that a later download can go on behind it.
 */
#include "builds/download.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/str.h"
#include "io/curl.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define REDIRECTS 5

struct transfer {
	const struct download *d;
	const struct curl_calls *lib;
	CURL *curl;
	int fd; /* -1: into text */
	struct buf *text;
	int64_t have_bytes; /* in the file or the text */
	int64_t from_bytes; /* where this request began */
	int write_errno;
	bool started;
};

/* The server sends all of it again: so do we begin again. */
static int begin_again(struct transfer *t)
{
	if (t->fd >= 0 && (ftruncate(t->fd, 0) || lseek(t->fd, 0, SEEK_SET) < 0))
		return -1;
	if (t->text)
		t->text->len -= (size_t)t->from_bytes;
	t->from_bytes = t->have_bytes = 0;
	return 0;
}

static size_t on_bytes(char *p, size_t size, size_t n, void *arg)
{
	struct transfer *t = arg;
	long code = 0;

	n *= size;
	if (!t->started) {
		t->started = true;
		t->lib->easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &code);
		if (t->from_bytes && code != 206 && begin_again(t)) {
			t->write_errno = errno;
			return 0;
		}
	}
	if (t->have_bytes + (int64_t)n > t->d->max_bytes) {
		t->write_errno = EFBIG;
		return 0;
	}
	if (t->fd < 0 ? buf_add(t->text, p, n) : fs_write_all(t->fd, p, n)) {
		t->write_errno = t->fd < 0 ? EFBIG : errno;
		return 0;
	}
	t->have_bytes += (int64_t)n;
	return n;
}

static int on_progress(
	void *arg, curl_off_t total, curl_off_t now, curl_off_t up_total, curl_off_t up_now)
{
	struct transfer *t = arg;

	(void)now;
	(void)up_total;
	(void)up_now;
	if (!t->d->progress)
		return 0;
	return t->d->progress(t->d->arg, t->have_bytes, total > 0 ? t->from_bytes + total : 0);
}

static void set_options(struct transfer *t, char *error_text)
{
	typeof(curl_easy_setopt) *set = t->lib->easy_setopt;
	CURL *c = t->curl;

	set(c, CURLOPT_URL, t->d->url);
	set(c, CURLOPT_PROTOCOLS_STR, CURL_PROTOCOLS);
	set(c, CURLOPT_REDIR_PROTOCOLS_STR, CURL_PROTOCOLS);
	set(c, CURLOPT_FOLLOWLOCATION, 1L);
	set(c, CURLOPT_MAXREDIRS, (long)REDIRECTS);
	set(c, CURLOPT_FAILONERROR, 1L);
	set(c, CURLOPT_NOSIGNAL, 1L);
	set(c, CURLOPT_LOW_SPEED_LIMIT, (long)DOWNLOAD_STALL_BPS);
	set(c, CURLOPT_LOW_SPEED_TIME, (long)DOWNLOAD_STALL_S);
	set(c, CURLOPT_TIMEOUT_MS, (long)t->d->timeout_ms);
	set(c, CURLOPT_WRITEFUNCTION, on_bytes);
	set(c, CURLOPT_WRITEDATA, t);
	set(c, CURLOPT_XFERINFOFUNCTION, on_progress);
	set(c, CURLOPT_XFERINFODATA, t);
	set(c, CURLOPT_NOPROGRESS, 0L);
	set(c, CURLOPT_RESUME_FROM_LARGE, (curl_off_t)t->from_bytes);
	set(c, CURLOPT_USERAGENT, "hilab/" HILAB_VERSION);
	set(c, CURLOPT_ERRORBUFFER, error_text);
	if (t->d->token) { /* libcurl keeps it from other hosts that it is sent on to */
		set(c, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
		set(c, CURLOPT_XOAUTH2_BEARER, t->d->token);
	}
	if (t->d->ca)
		set(c, CURLOPT_CAINFO, t->d->ca);
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
	t->lib->easy_reset(t->curl);
	set_options(t, text);
	rc = t->lib->easy_perform(t->curl);
	if (rc == CURLE_OK)
		return 0;
	t->lib->easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &code);
	/* 416: nothing is left to send; the digest tells whether what we have is it. */
	if (rc == CURLE_HTTP_RETURNED_ERROR && code == 416 && t->from_bytes)
		return 0;
	if (rc == CURLE_ABORTED_BY_CALLBACK)
		return err_set(e, BLAME_CANCEL, "fetch '%s': canceled", t->d->url);
	if (t->write_errno == EFBIG)
		return err_set(e, BLAME_INFRA, "fetch '%s': more than %lld bytes", t->d->url,
			(long long)t->d->max_bytes);
	if (t->write_errno)
		return err_sys(e, BLAME_INFRA, t->write_errno, "fetch '%s'", t->d->url);
	err_set(e, rc == CURLE_HTTP_RETURNED_ERROR ? BLAME_BUILD : BLAME_INFRA, "fetch '%s': %s",
		t->d->url, *text ? text : t->lib->easy_strerror(rc));
	return worth_again(rc) ? 1 : -1;
}

static int perform(struct transfer *t, struct err *e)
{
	struct err last = {0};
	int rc = 1;

	t->lib = curl_load(e);
	if (!t->lib)
		return err_wrap(e, "fetch '%s'", t->d->url);
	t->curl = t->lib->easy_init();
	if (!t->curl)
		return err_set(e, BLAME_BUG, "fetch '%s': libcurl does not start", t->d->url);
	for (int i = 0; i < DOWNLOAD_TRIES && rc > 0; i++)
		rc = request(t, &last);
	t->lib->easy_cleanup(t->curl);
	if (rc && e)
		*e = last;
	return rc ? -1 : 0;
}

int download_file(const struct download *d, int fd, bool *resumed, struct err *e)
{
	struct transfer t = {.d = d, .fd = fd, .have_bytes = lseek(fd, 0, SEEK_END)};

	if (t.have_bytes < 0)
		return err_sys(e, BLAME_INFRA, errno, "fetch '%s'", d->url);
	if (resumed)
		*resumed = t.have_bytes > 0;
	if (perform(&t, e))
		return -1;
	if (fsync(fd))
		return err_sys(e, BLAME_INFRA, errno, "fetch '%s'", d->url);
	return 0;
}

int download_text(const struct download *d, struct buf *out, struct err *e)
{
	struct transfer t = {.d = d, .fd = -1, .text = out};

	return perform(&t, e);
}

char *download_join(const char *base, const char *relative, struct err *e)
{
	const struct curl_calls *lib = curl_load(e);
	CURLU *u = lib ? lib->url() : NULL;
	char *joined = NULL, *copy = NULL;
	CURLUcode rc = u ? lib->url_set(u, CURLUPART_URL, base, 0) : CURLUE_OUT_OF_MEMORY;

	if (!lib)
		return NULL;
	if (!rc)
		rc = lib->url_set(u, CURLUPART_URL, relative, 0);
	if (!rc)
		rc = lib->url_get(u, CURLUPART_URL, &joined, 0);
	if (rc)
		err_set(e, BLAME_BUILD, "'%s' beside '%s' is no URL: %s", relative, base,
			lib->url_strerror(rc));
	else
		copy = mem_strdup(joined);
	lib->free(joined);
	lib->url_cleanup(u);
	return copy;
}

const char *download_version(void)
{
	const struct curl_calls *lib = curl_load(NULL);

	return lib ? lib->version_info(CURLVERSION_NOW)->version : NULL;
}

bool download_is_url(const char *text)
{
	return !strncasecmp(text, "http://", 7) || !strncasecmp(text, "https://", 8);
}
