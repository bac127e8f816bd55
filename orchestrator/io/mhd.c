/* SPDX-License-Identifier: MIT */
/* libmicrohttpd's functions. Invariant: all of them are there, or none. */
#include "io/mhd.h"

#include "io/lazy.h"

#include <stddef.h>

#define SONAME "libmicrohttpd.so.12"

#define CALL(name)                                                                                 \
	{                                                                                          \
		"MHD_" #name, offsetof(struct mhd_calls, name)                                     \
	}
static const struct lazy_symbol symbols[] = {CALL(start_daemon), CALL(stop_daemon),
	CALL(quiesce_daemon), CALL(add_connection), CALL(run), CALL(get_timeout),
	CALL(get_daemon_info), CALL(get_connection_info), CALL(set_connection_option),
	CALL(lookup_connection_value), CALL(suspend_connection), CALL(resume_connection),
	CALL(queue_response), CALL(create_response_from_buffer),
	CALL(create_response_from_callback), CALL(create_response_from_fd_at_offset64),
	CALL(add_response_header), CALL(destroy_response), {0}};

const struct mhd_calls *mhd_load(struct err *e)
{
	static struct mhd_calls calls;

	return calls.run || !lazy_load(SONAME, symbols, &calls, e) ? &calls : NULL;
}
