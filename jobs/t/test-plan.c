/* SPDX-License-Identifier: MIT */
/* Plans between machines: sessions, parts of a job, images and files that are fetched later. */
#include "jobs/images.h"
#include "jobs/t/tables.h"

#include "base/t/tap.h"
#include "io/json.h"
#include "io/yaml.h"

#include <stdio.h>

#define SHA_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define SHA_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

/* A plan from its JSON, through plan_to_json and back once more. */
static bool reread(struct plan *p, const char *text)
{
	AUTOJSON *j = json_parse(str_of(text), "plan.json", NULL);
	AUTOJSON *again = NULL;
	struct plan first = {0};
	struct err e = {0};

	if (!ok(j && !plan_from_json(&first, j, &e), "a plan is read: %s", e.msg))
		return false;
	again = plan_to_json(&first);
	plan_done(&first);
	return ok(!plan_from_json(p, again, &e), "and again: %s", e.msg);
}

static void session(void)
{
	struct plan p = {0};

	if (!reread(&p, "{\"plan\":2,\"job\":\"lease\",\"timeout_ms\":7200000,\"session\":true,"
			"\"steps\":[]}"))
		return;
	ok(p.session, "a session is one");
	is_int((long long)p.n, 0, "it has no steps");
	is_int(p.timeout_ms, 7200000, "its hard end");
	ok(!p.role && !p.roles.n, "and no roles");
	plan_done(&p);
}

static void parts(void)
{
	struct plan p = {0};

	if (!reread(&p, "{\"plan\":2,\"job\":\"x\",\"timeout_ms\":1000,\"role\":\"client-2\","
			"\"roles\":[\"server\",\"client-1\",\"client-2\"],\"steps\":[{\"kind\":"
			"\"login\",\"name\":\"login\",\"suite\":\"x\",\"console\":\"main\","
			"\"timeout_ms\":1000,\"params\":{}}]}"))
		return;
	ok(!p.session, "a job is no session");
	is_str(p.role, "client-2", "which part it is");
	is_int((long long)p.roles.n, 3, "it knows all parts");
	is_str(p.roles.p[0], "server", "in the job's order");
	plan_done(&p);
}

static void refused(void)
{
#define HEAD  "{\"plan\":2,\"job\":\"x\",\"timeout_ms\":1,"
#define STEPS "\"steps\":[]}"
	static const struct {
		const char *json, *said;
	} bad[] = {
		{HEAD STEPS, "0 steps"},
		{HEAD "\"session\":true,\"steps\":[{\"kind\":\"login\"}]}", "1 steps"},
		{HEAD "\"session\":true,\"role\":\"a\"," STEPS, "its role is none of the job's"},
		{HEAD "\"session\":true,\"role\":\"a\",\"roles\":[\"b\"]," STEPS, "is none of"},
		{HEAD "\"session\":true,\"roles\":[\"b\"]," STEPS, "is none of"},
		{HEAD "\"session\":true,\"roles\":[1]," STEPS, "role 1 has no name"},
		{HEAD "\"session\":true,\"images\":[{\"role\":\"a\",\"sha256\":\"b\","
		      "\"packing\":\"rar\"}]," STEPS,
			"image 1 is packed as 'rar'"},
	};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		AUTOJSON *j = json_parse(str_of(bad[i].json), "plan.json", NULL);
		struct plan p = {0};
		struct err e = {0};

		is_int(plan_from_json(&p, j, &e), -1, "a damaged plan: %s", bad[i].said);
		has_str(e.msg, bad[i].said, "says what is wrong");
	}
}

static void sixteen(void)
{
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);
	struct plan p = {0};
	struct err e = {0};

	buf_puts(&text, HEAD "\"session\":true,\"role\":\"r1\",\"roles\":[");
	for (int i = 1; i <= PLAN_ROLES_MAX + 1; i++)
		buf_printf(&text, "%s\"r%d\"", i > 1 ? "," : "", i);
	buf_puts(&text, "]," STEPS);
	{
		AUTOJSON *j = json_parse(str_of(buf_str(&text)), "plan.json", NULL);

		is_int(plan_from_json(&p, j, &e), -1, "too many parts");
		has_str(e.msg, "17 roles", "are told");
	}
}

/* Images as the controller knows them: nothing of this host is looked at. */
static void blobs(void)
{
	struct image images[] = {
		{.role = "kernel", .path = "/nonexistent", .sha256 = SHA_A, .version = "6.1"},
		{.role = "rootfs",
			.url = "https://example.org/r",
			.sha256 = SHA_B,
			.packing = PACKING_XZ,
			.unpacked_sha256 = SHA_A},
		{.role = "spare", .sha256 = SHA_B, .packing = PACKING_GZ},
	};
	struct build build = {.name = "b", .version = "1", .images = images, .n = 3};
	struct arena a = {0};
	struct diag diag = {0};
	const struct node *doc = yaml_parse(&a, "j.yaml",
		str_of("job: x\nbuild: b\nsteps:\n"
		       "  - deploy: {method: tftp, images: [kernel, rootfs]}\n"),
		&diag);
	struct plan p = {0}, back = {0};
	struct err e = {0};
	AUTOJSON *j = NULL;

	ok(doc && !job_compile(&p, doc, NULL, 0, &tables, &diag), "a job that deploys");
	is_int(plan_use_blobs(&p, &build, "am62axx", &e), 0, "gets images: %s", e.msg);
	j = plan_to_json(&p);
	if (ok(!plan_from_json(&back, j, &e), "the plan is read back: %s", e.msg)) {
		is_int((long long)back.n_images, 3, "all images");
		is_str(back.images[0].path, PLAN_BLOB SHA_A, "one to fetch");
		is_str(plan_blob(back.images[0].path), SHA_A, "by its digest");
		is_int(back.images[0].packing, PACKING_NONE, "which is not packed");
		is_str(back.images[1].path, PLAN_BLOB SHA_B, "one that is packed");
		is_int(back.images[1].packing, PACKING_XZ, "and how");
		is_str(back.images[1].unpacked_sha256, SHA_A, "and what it unpacks to");
		ok(!back.images[2].path, "nobody deploys the third one");
		is_str(back.build, "b", "the build's name");
	}
	ok(!plan_blob("/x/blob:y") && !plan_blob(NULL), "a file is no blob");
	plan_done(&back);
	plan_done(&p);
	diag_done(&diag);
	arena_done(&a);
}

static void put_file(void)
{
	struct plan p = {0}, back = {0};
	struct err e = {0};
	AUTOJSON *j = NULL;

	if (!reread(&p,
		    "{\"plan\":2,\"job\":\"x\",\"timeout_ms\":1000,\"steps\":[{\"kind\":\"put\","
		    "\"name\":\"p\",\"suite\":\"x\",\"console\":\"main\",\"timeout_ms\":1000,"
		    "\"params\":{\"file\":\"/a/b\",\"to\":\"/tmp/b\"}}]}"))
		return;
	plan_set_put_file(&p, &p.steps[0], PLAN_BLOB SHA_A);
	is_str(((struct step_put *)p.steps[0].conf)->file, PLAN_BLOB SHA_A, "another file");
	j = plan_to_json(&p);
	if (ok(!plan_from_json(&back, j, &e), "the plan is read back: %s", e.msg)) {
		is_str(((struct step_put *)back.steps[0].conf)->file, PLAN_BLOB SHA_A,
			"with that file");
		is_str(((struct step_put *)back.steps[0].conf)->to, "/tmp/b",
			"and where it goes as before");
	}
	plan_done(&back);
	plan_done(&p);
}

int main(void)
{
	session();
	parts();
	refused();
	sixteen();
	blobs();
	put_file();
	return tap_done();
}
