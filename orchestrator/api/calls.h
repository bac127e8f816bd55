/* SPDX-License-Identifier: MIT */
#ifndef API_CALLS_H
#define API_CALLS_H

/* The handlers that routes.c names, one a call, beside those in api.h. Each answers its call. */

#include "api/api.h"

call_fn server_health, server_version, server_openapi;
call_fn jobs_submit, jobs_list, jobs_show, jobs_cancel, jobs_retry;
call_fn run_list, run_show, run_report, run_files, run_file;
call_fn boards_list, boards_show, boards_health, boards_check, boards_power, boards_power_show,
	boards_type;
call_fn lease_add, lease_renew, lease_end;
call_fn agent_list, agent_hello, agent_poll, agent_sync;
call_fn builds_list, builds_add, builds_pin, builds_unpin, builds_prune, builds_del;
call_fn nights_add, nights_list, nights_show, nights_cancel, schedule_list, schedule_del;
call_fn alerts_add, alerts_list, alerts_show, alerts_acknowledge, alerts_accept, alerts_reopen;
call_fn knowns_add, knowns_list, knowns_del;
call_fn blob_put, blob_get;
call_fn token_list, token_add, token_del, audit_list;

#endif
