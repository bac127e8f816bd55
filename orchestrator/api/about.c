/* SPDX-License-Identifier: MIT */
/* Calls about the controller itself. */
#include "api/calls.h"

#include "base/fs.h"
#include "io/yaml.h"

#include <stdlib.h>

static json_t *protocol(void)
{
	return json_pack("{s:i, s:i}", "min", PROTOCOL_OLDEST, "max", PROTOCOL);
}

void server_health(struct call *c)
{
	json_t *j = json_pack(
		"{s:b, s:s, s:o}", "ok", 1, "version", HILAB_VERSION, "protocol", protocol());

	/* How much there is to do is for those who may look. */
	if (call_is(c, RIGHTS_VIEWER) && !c->who.labs)
		json_object_set_new(j, "counts", sched_counts_json(c->server->sched));
	call_ok(c, 200, j);
}

void server_version(struct call *c)
{
	call_ok(c, 200, json_pack("{s:s, s:o}", "version", HILAB_VERSION, "protocol", protocol()));
}

void server_openapi(struct call *c)
{
	AUTOFREE char *path = fs_data_path("orchestrator/api/openapi.yaml");
	struct buf text = BUF_INIT(YAML_FILE_BYTES);
	struct err e = {0};

	if (fs_read(path, &text, &e))
		call_fail(c, 404, "not-found", "%s", e.msg);
	else
		call_text(c, 200, "application/yaml", &text);
	buf_done(&text);
}
