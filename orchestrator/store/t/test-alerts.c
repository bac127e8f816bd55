/* SPDX-License-Identifier: MIT */
/* Alerts, one open at most of a subject, and known issues until they expire. */
#include "store/alerts.h"
#include "storetest.h"

struct seen {
	int n;
	int64_t ids[8];
	char state[20], body[40], reason[40];
};

static int on_alert(void *arg, const struct store_alert *a)
{
	struct seen *s = arg;

	s->ids[s->n++ & 7] = a->id;
	snprintf(s->state, sizeof s->state, "%s", a->state);
	snprintf(s->body, sizeof s->body, "%s", a->body);
	return 0;
}

static int on_known(void *arg, const struct store_known *k)
{
	struct seen *s = arg;

	s->ids[s->n++ & 7] = k->id;
	snprintf(s->reason, sizeof s->reason, "%s %s %s", k->test, k->reason, k->who);
	return 0;
}

static int listed(struct store *s, struct store_alert_filter f, struct seen *seen)
{
	struct err e = {0};

	*seen = (struct seen){0};
	return store_alerts(s, &f, on_alert, seen, &e) < 0 ? -1 : seen->n;
}

static void alerts(struct store *s)
{
	struct store_alert a = {.subject = "x",
		.state = "suspected",
		.type = "t",
		.nightly = 3,
		.opened_ms = 10,
		.changed_ms = 10,
		.body = "{\"a\":1}"};
	struct store_alert b = a, again = a;
	struct seen seen;
	struct err e = {0};

	b.subject = "y";
	b.type = "u";
	is_int(store_alert_add(s, &a, &e), 0, "an alert is added %s", e.msg);
	is_int(store_alert_add(s, &again, &e), -1, "another of its subject is not");
	is_int(e.blame, BLAME_JOB, "as is said: %s", e.msg);
	err_clear(&e);
	is_int(store_alert_add(s, &b, &e), 0, "one of another subject is %s", e.msg);
	is_int(listed(s, (struct store_alert_filter){0}, &seen), 2, "both are listed");
	ok(seen.ids[0] == b.id && seen.ids[1] == a.id, "the newest first");
	is_int(listed(s, (struct store_alert_filter){.type = "u"}, &seen), 1, "those of a type");
	is_int(listed(s, (struct store_alert_filter){.nightly = 4}, &seen), 0, "or of a night");
	is_int(listed(s, (struct store_alert_filter){.before = b.id}, &seen), 1, "the next page");
	is_int(listed(s, (struct store_alert_filter){.limit = 1}, &seen), 1, "so many at most");
	a.state = "accepted";
	a.changed_ms = a.ended_ms = 20;
	a.body = "{\"a\":2}";
	is_int(store_alert_save(s, &a, &e), 0, "it is over %s", e.msg);
	is_int(listed(s, (struct store_alert_filter){.open = true}, &seen), 1, "one is open");
	seen = (struct seen){0};
	is_int(store_alert_get(s, a.id, on_alert, &seen, &e), 1, "it is there");
	is_str(seen.state, "accepted", "as it became");
	is_str(seen.body, "{\"a\":2}", "with all that it says");
	is_int(store_alert_add(s, &again, &e), 0, "then one of its subject may begin again");
	is_int(store_alert_get(s, 99, on_alert, &seen, &e), 0, "one that is none");
	a.id = 99;
	is_int(store_alert_save(s, &a, &e), -1, "is not saved");
	is_int(e.blame, BLAME_BUG, "as is said: %s", e.msg);
}

static void knowns(struct store *s)
{
	struct store_known k = {
		.test = "mmap*", .reason = "bug", .who = "ann", .made_ms = 10, .expires_ms = 50};
	struct seen seen = {0};
	struct err e = {0};

	is_int(store_known_add(s, &k, &e), 0, "a known issue is added %s", e.msg);
	is_int(store_knowns(s, 49, on_known, &seen, &e), 0, "listed");
	is_int(seen.n, 1, "before it expires");
	is_str(seen.reason, "mmap* bug ann", "with what it says");
	seen = (struct seen){0};
	store_knowns(s, 50, on_known, &seen, &e);
	is_int(seen.n, 0, "not after it");
	store_knowns(s, 0, on_known, &seen, &e);
	is_int(seen.n, 1, "but where all are asked for");
	is_int(store_known_del(s, k.id, &e), 1, "deleted");
	is_int(store_known_del(s, k.id, &e), 0, "once");
}

int main(void)
{
	struct store *s = store_open(storetest_path("a.db"), false, NULL);

	alerts(s);
	knowns(s);
	store_close(s);
	return tap_done();
}
