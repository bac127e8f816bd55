/* SPDX-License-Identifier: MIT */
#ifndef IO_CURL_H
#define IO_CURL_H

/* What is called of libcurl, which is loaded by the first who needs it (lazy.h). */

#include "base/err.h"

#include <curl/curl.h>

#define CURL_PROTOCOLS "http,https"

struct curl_calls {
	typeof(curl_easy_init) *easy_init;
	typeof(curl_easy_reset) *easy_reset;
	typeof(curl_easy_setopt) *easy_setopt;
	typeof(curl_easy_perform) *easy_perform;
	typeof(curl_easy_getinfo) *easy_getinfo;
	typeof(curl_easy_strerror) *easy_strerror;
	typeof(curl_easy_cleanup) *easy_cleanup;
	typeof(curl_slist_append) *slist_append;
	typeof(curl_slist_free_all) *slist_free_all;
	typeof(curl_multi_init) *multi_init;
	typeof(curl_multi_setopt) *multi_setopt;
	typeof(curl_multi_add_handle) *multi_add_handle;
	typeof(curl_multi_remove_handle) *multi_remove_handle;
	typeof(curl_multi_socket_action) *multi_socket_action;
	typeof(curl_multi_assign) *multi_assign;
	typeof(curl_multi_info_read) *multi_info_read;
	typeof(curl_multi_cleanup) *multi_cleanup;
	typeof(curl_url) *url;
	typeof(curl_url_set) *url_set;
	typeof(curl_url_get) *url_get;
	typeof(curl_url_strerror) *url_strerror;
	typeof(curl_url_cleanup) *url_cleanup;
	typeof(curl_free) *free;
	typeof(curl_version_info) *version_info;
};

/* NULL with e (BLAME_CONFIG): it is not there. */
const struct curl_calls *curl_load(struct err *e);

#endif
