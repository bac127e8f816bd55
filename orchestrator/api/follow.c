/* SPDX-License-Identifier: MIT */
/* Who follows what, and waking them. Invariant: a follower is in the list while its stream lives.
 */
#include "api/follow.h"

#include "base/mem.h"

#include <string.h>

static void over(void *arg)
{
	struct follow *f = arg;
	struct server *s = f->server;

	for (size_t i = 0; i < s->follows.n; i++)
		if (s->follows.p[i] == f) {
			s->follows.p[i] = s->follows.p[--s->follows.n];
			break;
		}
	f->free(f);
}

void follow_start(struct follow *f, struct call *c, const char *type, http_pull_fn *pull)
{
	f->server = c->server;
	f->token = c->who.token;
	vec_push(&c->server->follows, f);
	call_stream(c, type, pull, over, f, &f->stream);
}

static void wake(struct follow *f)
{
	if (f->woken)
		f->woken(f);
	http_stream_wake(f->stream);
}

void follow_wake_run(struct server *s, int64_t run)
{
	vec_each (&s->follows, f) {
		if ((*f)->run == run)
			wake(*f);
	}
}

void follow_wake_job(struct server *s, int64_t job)
{
	vec_each (&s->follows, f) {
		if ((*f)->job == job)
			wake(*f);
	}
}

void follow_wake_board(struct server *s, const char *board)
{
	vec_each (&s->follows, f) {
		if ((*f)->board && !strcmp((*f)->board, board))
			wake(*f);
	}
}

void follow_cut_token(struct server *s, int64_t token)
{
	vec_each (&s->follows, f) {
		if ((*f)->token == token) {
			(*f)->cut = true;
			wake(*f);
		}
	}
}

void follows_free(struct server *s)
{
	vec_done(&s->follows); /* each went with its stream */
}

bool follow_may_look(struct follow *f)
{
	f->held = store_turn_open(f->server->store) || f->server->spoiled;
	return !f->held;
}

void follows_commit(struct server *s)
{
	vec_each (&s->follows, f) {
		if (!(*f)->held)
			continue;
		(*f)->held = false;
		http_stream_wake((*f)->stream);
	}
}
