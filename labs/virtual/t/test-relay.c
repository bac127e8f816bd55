/* SPDX-License-Identifier: MIT */
/* Both relay protocols, byte for byte, and what each fault shows. */
#include "base/t/tap.h"
#include "labs/virtual/relay.h"

#include "base/mem.h"

static char moves[256];

static void moved(void *arg, unsigned channel, bool closed)
{
	size_t n = strlen(moves);

	(void)arg;
	snprintf(moves + n, sizeof moves - n, "%u%c ", channel, closed ? '+' : '-');
}

/* What the board answers to some bytes; static. */
static const char *says(struct relay *r, const char *bytes, size_t n)
{
	static char text[512];
	struct buf reply = BUF_INIT(sizeof text);

	relay_feed(r, str_make(bytes, n), &reply);
	memcpy(text, buf_str(&reply), reply.len + 1);
	buf_done(&reply);
	return text;
}
#define SAYS(r, lit) says(r, lit, sizeof(lit) - 1)

static const char *did(void)
{
	static char copy[sizeof moves];

	memcpy(copy, moves, sizeof copy);
	*moves = 0;
	return copy;
}

static void lcus(void)
{
	struct err e = {0};
	struct relay *r = relay_new(RELAY_LCUS, 2, moved, NULL, &e);

	is_str(SAYS(r, "\xff"), "CH1:OFF\r\nCH2:OFF\r\n", "status of open contacts");
	is_str(SAYS(r, "\xa0\x01\x01\xa2"), "", "closing answers nothing");
	is_str(did(), "0+ ", "channel 1 closes");
	is_str(SAYS(r, "\xff"), "CH1:ON \r\nCH2:OFF\r\n", "status says so");
	SAYS(r, "\xa0\x01\x01\xa2");
	is_str(did(), "", "closing a closed one moves nothing");
	SAYS(r, "\xa0\x02\x01\xa3\xa0\x01\x00\xa1");
	is_str(did(), "1+ 0- ", "two frames in one write");
	SAYS(r, "\xa0\x02\x00\xa3");
	SAYS(r, "\xa0\x03\x01\xa4");
	SAYS(r, "\xa0\x02\x07\xa9");
	is_str(did(), "", "wrong sum, channel or operation is ignored");
	SAYS(r, "xx\xa0\xa0\x02");
	SAYS(r, "\x00\xa2");
	is_str(did(), "1- ", "a frame is found behind rubbish, cut in two");
	SAYS(r, "\xa0\x01");
	is_str(SAYS(r, "\xff"), "CH1:OFF\r\nCH2:OFF\r\n", "a query in mid-frame is answered");
	relay_drop(r, 0);
	ok(!relay_closed(r, 0), "a contact opens by itself");
	ok(!relay_new(RELAY_LCUS, 9, moved, NULL, &e), "nine channels are refused");
	has_str(e.msg, "1 to 8 channels", "and why");
	relay_free(r);
}

static void numato(void)
{
	struct relay *r = relay_new(RELAY_NUMATO, 16, moved, NULL, NULL);

	is_str(SAYS(r, "relay read 0\r"), "relay read 0\n\roff\n\r>", "read of an open contact");
	is_str(SAYS(r, "relay on 0\r"), "relay on 0\n\r>", "on");
	is_str(SAYS(r, "relay on F\r"), "relay on F\n\r>", "on of channel 15");
	is_str(did(), "0+ 15+ ", "both close");
	is_str(SAYS(r, "relay read F\r"), "relay read F\n\ron\n\r>", "read of a closed one");
	is_str(SAYS(r, "relay readall\r"), "relay readall\n\r8001\n\r>", "readall");
	is_str(SAYS(r, "relay off 0\r"), "relay off 0\n\r>", "off");
	is_str(SAYS(r, "relay on G\r"), "relay on G\n\r>", "no channel 16: the prompt alone");
	is_str(did(), "0- ", "and nothing moves");
	is_str(SAYS(r, "relay writeall 0003\r"), "relay writeall 0003\n\r>", "writeall");
	is_str(did(), "0+ 1+ 15- ", "moves what differs");
	is_str(SAYS(r, "ver\r"), "ver\n\r00000008\n\r>", "ver");
	is_str(SAYS(r, "id get\r"), "id get\n\r00000000\n\r>", "id get");
	is_str(SAYS(r, "id set lab00001\r"), "id set lab00001\n\r>", "id set");
	is_str(SAYS(r, "id get\r"), "id get\n\rlab00001\n\r>", "id is kept");
	is_str(SAYS(r, "reset\r"), "reset\n\r>", "reset");
	is_str(did(), "0- 1- ", "opens all");
	is_str(SAYS(r, "rel"), "rel", "an unfinished line is echoed");
	is_str(SAYS(r, "ay on 2\r"), "ay on 2\n\r>", "and finished later");
	is_str(did(), "2+ ", "and then done");
	is_str(SAYS(r, "\r"), "\n\r>", "an empty line brings the prompt");
	relay_free(r);
}

static void faults(void)
{
	struct relay *r = relay_new(RELAY_LCUS, 2, moved, NULL, NULL);

	relay_break(r, 0, RELAY_DEAD);
	is_str(SAYS(r, "\xa0\x01\x01\xa2\xff"), "", "dead: no answer");
	is_str(did(), "", "dead: nothing moves");
	relay_break(r, 0, RELAY_GOOD);
	relay_break(r, 0, RELAY_LYING);
	is_str(SAYS(r, "\xa0\x01\x01\xa2\xff"), "CH1:OFF\r\nCH2:OFF\r\n", "lying: the old state");
	is_str(did(), "0+ ", "lying: the contact moves");
	relay_break(r, 0, RELAY_GOOD);
	is_str(SAYS(r, "\xff"), "CH1:ON \r\nCH2:OFF\r\n", "good again: the truth");
	relay_break(r, 0, RELAY_STUCK);
	is_str(SAYS(r, "\xa0\x01\x00\xa1\xff"), "CH1:OFF\r\nCH2:OFF\r\n", "stuck: what was asked");
	is_str(did(), "", "stuck: the contact stays");
	ok(relay_closed(r, 0), "stuck: closed as it was");
	SAYS(r, "\xa0\x02\x01\xa3");
	is_str(did(), "1+ ", "the other channel is not touched");
	relay_free(r);
}

int main(void)
{
	lcus();
	numato();
	faults();
	return tap_done();
}
