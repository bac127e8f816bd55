/* SPDX-License-Identifier: MIT */
/*
 * Tokens: 256 random bits each, of which only the SHA-256 is kept. They are looked up by that
 * digest, so nothing of a token can be learnt from how long a look-up takes. Invariant: a text of a
 * token leaves this file once, when it is made.
 */
#include "api/api.h"

#include "base/clock.h"
#include "base/mem.h"
#include "io/digest.h"
#include "io/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define TOKEN_PREFIX  "hilab_"
#define TOKEN_BITS    256
#define PEERS_MAX     4096 /* addresses with failures that are remembered */
#define FAILURES_FREE 10   /* wrong tokens in a row that cost nothing */
#define WAIT_FIRST_MS 1000 /* then; doubles with each */
#define WAIT_MAX_MS   300000

static const char *const names[RIGHTS_COUNT] = {
	"none", "viewer", "submitter", "operator", "admin", "agent"};

const char *rights_name(enum rights r)
{
	return names[r];
}

int rights_parse(const char *name)
{
	for (int i = RIGHTS_VIEWER; i < RIGHTS_COUNT; i++)
		if (name && !strcmp(names[i], name))
			return i;
	return -1;
}

struct token {
	int64_t id, expires_ms, used_ms;
	char *account;
	enum rights rights;
	json_t *labs;
	bool used; /* since the last save */
};
struct peer {
	unsigned failures;
	int64_t until_ms; /* clock_ms */
};
struct auth {
	struct store *store;
	struct map by_digest; /* -> struct token */
	struct map peers;     /* address -> struct peer */
};

static void token_free(struct token *t)
{
	free(t->account);
	json_decref(t->labs);
	free(t);
}

struct keep {
	struct auth *a;
	const char *sha256;
};

static int keep(void *arg, const struct store_token *st)
{
	struct token *t = mem_alloc(sizeof *t);
	int rights = rights_parse(st->rights);
	struct keep *k = arg;

	t->id = st->id;
	t->account = mem_strdup(st->account);
	t->rights = rights < 0 ? RIGHTS_NONE : (enum rights)rights;
	/* Labs that cannot be read are none, never all. */
	t->labs = st->labs ? json_loads(st->labs, 0, NULL) : NULL;
	if (st->labs && !t->labs)
		t->labs = json_array();
	t->expires_ms = st->expires_ms;
	t->used_ms = st->used_ms;
	map_set(&k->a->by_digest, k->sha256, t);
	return 0;
}

struct auth *auth_new(struct store *s)
{
	struct auth *a = mem_alloc(sizeof *a);

	a->store = s;
	return a;
}

/* The token with that digest, looked up once; NULL: none. */
static struct token *find(struct auth *a, const char *hex)
{
	struct keep k = {a, hex};
	struct token *t = *hex ? map_find(&a->by_digest, hex) : NULL;

	if (t || !*hex || store_token_find(a->store, hex, keep, &k, NULL) <= 0)
		return t;
	return map_find(&a->by_digest, hex);
}

void auth_free(struct auth *a)
{
	if (!a)
		return;
	map_each (&a->by_digest, en)
		token_free(en->value);
	map_each (&a->peers, en)
		free(en->value);
	map_done(&a->by_digest);
	map_done(&a->peers);
	free(a);
}

int64_t auth_wait_ms(struct auth *a, const char *peer)
{
	struct peer *p = map_find(&a->peers, peer);
	int64_t left = p ? p->until_ms - clock_ms() : 0;

	return left > 0 ? left : 0;
}

static void failed(struct auth *a, const char *peer)
{
	struct peer *p = map_find(&a->peers, peer);
	unsigned over;

	if (!p) {
		if (a->peers.n >= PEERS_MAX) /* the oldest makes room */
			free(map_del(&a->peers, a->peers.entries[0].key));
		p = mem_alloc(sizeof *p);
		map_set(&a->peers, peer, p);
	}
	if (++p->failures <= FAILURES_FREE)
		return;
	over = p->failures - FAILURES_FREE - 1;
	p->until_ms = clock_ms() + (over > 8 || (int64_t)WAIT_FIRST_MS << over > WAIT_MAX_MS
						   ? WAIT_MAX_MS
						   : (int64_t)WAIT_FIRST_MS << over);
}

bool auth_check(struct auth *a, const char *bearer, const char *peer, struct account *who)
{
	char hex[DIGEST_HEX_BYTES];
	struct token *t;

	digest_sha256(bearer, strlen(bearer), hex);
	t = find(a, hex);
	if (!t || (t->expires_ms && t->expires_ms <= clock_wall_ms())) {
		failed(a, peer);
		return false;
	}
	if (a->peers.n)
		free(map_del(&a->peers, peer));
	t->used = true;
	t->used_ms = clock_wall_ms();
	*who = (struct account){t->id, t->account, t->rights, t->labs};
	return true;
}

int auth_add(struct auth *a, struct store_token *t, char out[TOKEN_BYTES], struct err *e)
{
	static const char digits[] = "abcdefghijklmnopqrstuvwxyz234567"; /* RFC 4648, base 32 */
	unsigned char random[TOKEN_BITS / 5];
	char hex[DIGEST_HEX_BYTES];
	size_t n = strlen(TOKEN_PREFIX);

	if (getrandom(random, sizeof random, 0) != sizeof random)
		return err_sys(e, BLAME_INFRA, errno, "random bytes for a token");
	memcpy(out, TOKEN_PREFIX, n);
	for (size_t i = 0; i < sizeof random; i++)
		out[n++] = digits[random[i] & 31];
	out[n] = 0;
	digest_sha256(out, n, hex);
	if (!*hex)
		return err_set(e, BLAME_CONFIG, "no digests: libcrypto is not there");
	t->made_ms = clock_wall_ms();
	return store_token_add(a->store, t, hex, e);
}

int auth_del(struct auth *a, int64_t id, struct err *e)
{
	int r = store_token_del(a->store, id, e);

	map_each (&a->by_digest, en) {
		struct token *t = en->value;

		if (r == 1 && t->id == id) {
			token_free(map_del(&a->by_digest, en->key));
			break;
		}
	}
	return r;
}

int auth_local(struct auth *a, const char *known, char out[TOKEN_BYTES], struct err *e)
{
	struct store_token t = {.account = "local", .rights = "admin", .note = "of this host"};
	char hex[DIGEST_HEX_BYTES] = "";

	if (known && strlen(known) < TOKEN_BYTES) {
		digest_sha256(known, strlen(known), hex);
		if (find(a, hex)) {
			snprintf(out, TOKEN_BYTES, "%s", known);
			return 0;
		}
	}
	return auth_add(a, &t, out, e);
}

int auth_save_used(struct auth *a, struct err *e)
{
	map_each (&a->by_digest, en) {
		struct token *t = en->value;

		if (t->used && store_token_used(a->store, t->id, t->used_ms, e))
			return -1;
		t->used = false;
	}
	return 0;
}
