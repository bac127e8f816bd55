/* SPDX-License-Identifier: MIT */
/* openapi.yaml against the table of routes, both ways, and its own references. */
#include "api/api.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/t/tap.h"
#include "io/yaml.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

/* "/jobs/{job}" with the method, as "GET /jobs/{job}"; {name*} is {name} there. */
static char *label(const char *method, const char *path)
{
	char *text = mem_printf("%s %s", method, path), *star = strstr(text, "*}");

	for (char *p = text; *p && *p != ' '; p++)
		*p = (char)toupper((unsigned char)*p);
	if (star)
		memmove(star, star + 1, strlen(star));
	return text;
}

static bool is_method(const char *key)
{
	return !strcmp(key, "get") || !strcmp(key, "post") || !strcmp(key, "put") ||
	       !strcmp(key, "delete");
}

/* Every "$ref" names something that is there. */
static void check_refs(const struct node *n, const struct node *doc)
{
	node_each (n, kid) {
		const char *ref = kid->key && !strcmp(kid->key, "$ref") ? kid->text : NULL;
		const struct node *at = doc;
		char *text = ref ? mem_strdup(ref) : NULL, *rest = NULL;

		for (char *word = text ? strtok_r(text, "#/", &rest) : NULL; word;
			word = strtok_r(NULL, "/", &rest))
			at = node_find(at, word);
		if (ref)
			ok(at != NULL, "%s is there", ref);
		free(text);
		check_refs(kid, doc);
	}
}

int main(void)
{
	AUTOFREE char *path = fs_data_path("orchestrator/api/openapi.yaml");
	struct arena a = {0};
	struct diag diag = {0};
	const struct node *doc = yaml_load(&a, path, &diag);
	struct map described = {0};

	if (!ok(doc != NULL, "openapi.yaml is YAML"))
		return tap_done();
	node_each (node_find(doc, "paths"), p) {
		node_each (p, m) {
			AUTOFREE char *text = label(m->key, p->key);

			if (is_method(m->key))
				map_set(&described, text, m);
		}
	}
	for (const struct route *r = api_routes; r->method; r++) {
		AUTOFREE char *text = label(r->method, r->path + strlen(API));
		const struct node *m = map_del(&described, text);

		if (ok(m != NULL, "'%s' is described", text)) {
			is_str(node_text(m, "summary"), r->brief, "as what it is");
			is_str(node_text(m, "x-rights"), rights_name(r->rights), "and for whom");
		}
	}
	map_each (&described, en)
		ok(false, "'%s' is described and not there", en->key);
	check_refs(doc, doc);
	map_done(&described);
	diag_done(&diag);
	arena_done(&a);
	return tap_done();
}
