/* SPDX-License-Identifier: MIT */
/* Loads libcurl. Invariant: the table is whole, or there is none. */
#include "io/curl.h"

#include "io/lazy.h"

#define SONAME "libcurl.so.4"

#define CALL(name)                                                                                 \
	{                                                                                          \
		"curl_" #name, offsetof(struct curl_calls, name)                                   \
	}
static const struct lazy_symbol symbols[] = {CALL(easy_init), CALL(easy_reset), CALL(easy_setopt),
	CALL(easy_perform), CALL(easy_getinfo), CALL(easy_strerror), CALL(easy_cleanup),
	CALL(slist_append), CALL(slist_free_all), CALL(multi_init), CALL(multi_setopt),
	CALL(multi_add_handle), CALL(multi_remove_handle), CALL(multi_socket_action),
	CALL(multi_assign), CALL(multi_info_read), CALL(multi_cleanup), CALL(url), CALL(url_set),
	CALL(url_get), CALL(url_strerror), CALL(url_cleanup), CALL(free), CALL(version_info), {0}};

const struct curl_calls *curl_load(struct err *e)
{
	static struct curl_calls calls;

	return calls.easy_init || !lazy_load(SONAME, symbols, &calls, e) ? &calls : NULL;
}
