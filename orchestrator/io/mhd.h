/* SPDX-License-Identifier: MIT */
#ifndef IO_MHD_H
#define IO_MHD_H

/* What is called of libmicrohttpd, which is loaded by the first server. */

#include "base/err.h"

#include <microhttpd.h>

struct mhd_calls {
	typeof(MHD_start_daemon) *start_daemon;
	typeof(MHD_stop_daemon) *stop_daemon;
	typeof(MHD_quiesce_daemon) *quiesce_daemon;
	typeof(MHD_add_connection) *add_connection;
	typeof(MHD_run) *run;
	typeof(MHD_get_timeout) *get_timeout;
	typeof(MHD_get_daemon_info) *get_daemon_info;
	typeof(MHD_get_connection_info) *get_connection_info;
	typeof(MHD_set_connection_option) *set_connection_option;
	typeof(MHD_lookup_connection_value) *lookup_connection_value;
	typeof(MHD_suspend_connection) *suspend_connection;
	typeof(MHD_resume_connection) *resume_connection;
	typeof(MHD_queue_response) *queue_response;
	typeof(MHD_create_response_from_buffer) *create_response_from_buffer;
	typeof(MHD_create_response_from_callback) *create_response_from_callback;
	typeof(MHD_create_response_from_fd_at_offset64) *create_response_from_fd_at_offset64;
	typeof(MHD_add_response_header) *add_response_header;
	typeof(MHD_destroy_response) *destroy_response;
};

/* NULL with e (BLAME_CONFIG: it is not there). */
const struct mhd_calls *mhd_load(struct err *e);

#endif
