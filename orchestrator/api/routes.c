/* SPDX-License-Identifier: MIT */
/* Every call there is. t/openapi.t holds this table against openapi.yaml. */
#include "api/calls.h"

#define GET    "GET"
#define POST   "POST"
#define PUT    "PUT"
#define DELETE "DELETE"
#define NONE   RIGHTS_NONE
#define VIEW   RIGHTS_VIEWER
#define SUBMIT RIGHTS_SUBMITTER
#define OPER   RIGHTS_OPERATOR
#define ADMIN  RIGHTS_ADMIN
#define AGENT  RIGHTS_AGENT

/* method, path, rights, agents too, body, writes, fn, brief */
const struct route api_routes[] = {
	{GET, API "/health", NONE, true, BODY_NONE, false, server_health, "is the controller well"},
	{GET, API "/version", NONE, true, BODY_NONE, false, server_version,
		"what the controller is"},
	{GET, API "/openapi.yaml", NONE, true, BODY_NONE, false, server_openapi,
		"this interface, described"},

	{POST, API "/jobs", SUBMIT, false, BODY_JSON, true, jobs_submit, "submit a job"},
	{GET, API "/jobs", VIEW, false, BODY_NONE, false, jobs_list, "list jobs"},
	{GET, API "/jobs/{job}", VIEW, false, BODY_NONE, false, jobs_show, "show a job"},
	{POST, API "/jobs/{job}/cancel", SUBMIT, false, BODY_JSON, true, jobs_cancel,
		"cancel a job"},
	{POST, API "/jobs/{job}/retry", SUBMIT, false, BODY_JSON, true, jobs_retry,
		"submit a job once more"},
	{GET, API "/jobs/{job}/events", VIEW, false, BODY_NONE, false, follow_job,
		"follow a job (server-sent events)"},
	{GET, API "/events", VIEW, false, BODY_NONE, false, events_follow,
		"follow all changes (server-sent events)"},

	{GET, API "/runs", VIEW, false, BODY_NONE, false, run_list, "list runs"},
	{GET, API "/runs/{run}", VIEW, false, BODY_NONE, false, run_show, "show a run"},
	{GET, API "/runs/{run}/report", VIEW, false, BODY_NONE, false, run_report,
		"the report of a run"},
	{GET, API "/runs/{run}/files", VIEW, false, BODY_NONE, false, run_files,
		"list the files of a run"},
	{GET, API "/runs/{run}/files/{name*}", VIEW, false, BODY_NONE, false, run_file,
		"a file of a run"},
	{GET, API "/runs/{run}/log", VIEW, false, BODY_NONE, false, follow_log,
		"a console's log of a run"},

	{GET, API "/boards", VIEW, false, BODY_NONE, false, boards_list, "list boards"},
	{GET, API "/boards/{board}", VIEW, false, BODY_NONE, false, boards_show, "show a board"},
	{POST, API "/boards/{board}/health", OPER, false, BODY_JSON, true, boards_health,
		"say how a board is"},
	{POST, API "/boards/{board}/check", OPER, false, BODY_JSON, true, boards_check,
		"run the health check of a board"},
	{POST, API "/boards/{board}/lease", SUBMIT, false, BODY_JSON, true, lease_add,
		"reserve a board"},
	{PUT, API "/boards/{board}/lease", SUBMIT, false, BODY_JSON, true, lease_renew,
		"renew a lease"},
	{DELETE, API "/boards/{board}/lease", SUBMIT, false, BODY_NONE, true, lease_end,
		"release a board"},
	{GET, API "/boards/{board}/power", VIEW, false, BODY_NONE, false, boards_power_show,
		"is a board switched on"},
	{POST, API "/boards/{board}/power", SUBMIT, false, BODY_JSON, true, boards_power,
		"switch a reserved board"},
	{GET, API "/boards/{board}/console", VIEW, false, BODY_NONE, false, follow_console,
		"follow what a board says"},
	{POST, API "/boards/{board}/console", SUBMIT, false, BODY_BYTES, false, boards_type,
		"type on a reserved board"},

	{GET, API "/agents", VIEW, false, BODY_NONE, false, agent_list, "list agents"},
	{POST, API "/agent/hello", AGENT, false, BODY_JSON, true, agent_hello,
		"an agent says what it has"},
	{POST, API "/agent/poll", AGENT, false, BODY_JSON, false, agent_poll,
		"an agent asks for work"},
	{POST, API "/agent/sync", AGENT, false, BODY_BYTES, false, agent_sync,
		"an agent ships job folders"},

	{POST, API "/nightlies", SUBMIT, false, BODY_JSON, true, nights_add,
		"begin a nightly, or schedule it"},
	{GET, API "/nightlies", VIEW, false, BODY_NONE, false, nights_list, "list nightlies"},
	{GET, API "/nightlies/{nightly}", VIEW, false, BODY_NONE, false, nights_show,
		"what came of a nightly"},
	{POST, API "/nightlies/{nightly}/cancel", OPER, false, BODY_JSON, true, nights_cancel,
		"cancel the jobs of a nightly"},
	{GET, API "/schedules", VIEW, false, BODY_NONE, false, schedule_list,
		"nightlies that begin by themselves"},
	{DELETE, API "/schedules/{plan}", OPER, false, BODY_NONE, true, schedule_del,
		"forget a schedule"},

	{POST, API "/alerts", OPER, false, BODY_JSON, true, alerts_add,
		"say that something became worse"},
	{GET, API "/alerts", VIEW, false, BODY_NONE, false, alerts_list, "list alerts"},
	{GET, API "/alerts/{alert}", VIEW, false, BODY_NONE, false, alerts_show, "show an alert"},
	{POST, API "/alerts/{alert}/acknowledge", SUBMIT, false, BODY_JSON, true,
		alerts_acknowledge, "say that an alert is being looked after"},
	{POST, API "/alerts/{alert}/accept", OPER, false, BODY_JSON, true, alerts_accept,
		"take what is now as the new level"},
	{POST, API "/alerts/{alert}/reopen", OPER, false, BODY_JSON, true, alerts_reopen,
		"look at an alert again that was over"},
	{GET, API "/known", VIEW, false, BODY_NONE, false, knowns_list, "list known issues"},
	{POST, API "/known", OPER, false, BODY_JSON, true, knowns_add, "add a known issue"},
	{DELETE, API "/known/{known}", OPER, false, BODY_NONE, true, knowns_del,
		"delete a known issue"},

	{PUT, API "/blobs/{sha256}", SUBMIT, false, BODY_BYTES, false, blob_put,
		"upload an image, or more of one"},
	{GET, API "/blobs/{sha256}", VIEW, true, BODY_NONE, false, blob_get,
		"an image by its digest"},
	{GET, API "/builds", VIEW, false, BODY_NONE, false, builds_list, "list builds"},
	{POST, API "/builds", SUBMIT, false, BODY_JSON, true, builds_add,
		"add a build; says which images are missing"},
	{POST, API "/builds/prune", OPER, false, BODY_JSON, true, builds_prune,
		"remove old builds and their images"},
	{POST, API "/builds/{build}/{version}/pin", OPER, false, BODY_JSON, true, builds_pin,
		"keep a build"},
	{POST, API "/builds/{build}/{version}/unpin", OPER, false, BODY_JSON, true, builds_unpin,
		"let a build go with the next prune"},
	{DELETE, API "/builds/{build}/{version}", OPER, false, BODY_NONE, true, builds_del,
		"remove a build"},

	{GET, API "/tokens", ADMIN, false, BODY_NONE, false, token_list, "list tokens"},
	{POST, API "/tokens", ADMIN, false, BODY_JSON, true, token_add, "make a token"},
	{DELETE, API "/tokens/{token}", ADMIN, false, BODY_NONE, true, token_del, "delete a token"},
	{GET, API "/audit", OPER, false, BODY_NONE, false, audit_list,
		"who did what to which board"},
	{0},
};
