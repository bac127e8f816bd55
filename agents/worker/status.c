/* SPDX-License-Identifier: MIT */
/* The run's last word: `status`, renamed into place when nothing else will be written. Invariant:
 * it is whole or not there. */
#include "journal.h"

#include "base/fs.h"
#include "io/json.h"

#include <errno.h>
#include <unistd.h>

int run_status_save(const struct run_status *s, const char *dir, struct err *e)
{
	AUTOFREE char *path = fs_join(dir, "status");
	AUTOJSON *j = json_pack("{s:s, s:s, s:s, s:s, s:I, s:I}", "verdict",
		verdict_name(s->verdict), "blame", err_blame_name(s->blame), "message", "", "power",
		s->power, "started_ms", (json_int_t)s->started_ms, "ended_ms",
		(json_int_t)s->ended_ms);
	json_t *message = json_string(s->message), *counts = json_object();

	/* a board's bytes may stand in the message */
	json_object_set_new(j, "message", message ? message : json_string("(not text)"));
	for (int i = 0; i < STATUS_COUNT; i++)
		json_object_set_new(
			counts, status_name((enum status)i), json_integer(s->counts[i]));
	json_object_set_new(j, "counts", counts);
	return json_save(path, j, 0644, e);
}

int run_status_load(struct run_status *s, const char *dir, struct err *e)
{
	AUTOFREE char *path = fs_join(dir, "status");
	AUTOJSON *j = NULL;
	json_t *counts;
	struct run_status got = {0};
	int verdict, blame;

	if (access(path, F_OK))
		return errno == ENOENT ? 1
				       : err_sys(e, BLAME_INFRA, errno, "cannot read '%s'", path);
	j = json_read(path, e);
	if (!j)
		return -1;
	verdict = verdict_parse(json_text(j, "verdict", ""));
	blame = err_blame_parse(json_text(j, "blame", ""));
	if (verdict < 0 || blame < 0)
		return err_set(e, BLAME_BUG, "'%s' holds no verdict and blame", path);
	got.verdict = (enum verdict)verdict;
	got.blame = (enum err_blame)blame;
	snprintf(got.message, sizeof got.message, "%s", json_text(j, "message", ""));
	snprintf(got.power, sizeof got.power, "%s", json_text(j, "power", "unknown"));
	got.started_ms = json_int(j, "started_ms", 0);
	got.ended_ms = json_int(j, "ended_ms", 0);
	counts = json_object_get(j, "counts");
	for (int i = 0; i < STATUS_COUNT; i++)
		got.counts[i] = (int)json_int(counts, status_name((enum status)i), 0);
	*s = got;
	return 0;
}
