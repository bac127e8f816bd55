/* SPDX-License-Identifier: MIT */
/*
 * The host's side of a serial port, for shell tests: tool-host PORT WHAT..., in order, where WHAT
 * is `type TEXT` (with \r and \xNN), `until TEXT`, `gone` (until the port hangs up). Prints what
 * came; fails when something did not.
 */
#include "labs/virtual/t/host.h"

#include <stdlib.h>

static void type_escaped(struct host *h, const char *text)
{
	for (; *text; text++) {
		char c = *text, hex[3] = "";

		if (c == '\\' && text[1] == 'x') {
			memcpy(hex, text + 2, strnlen(text + 2, 2));
			c = (char)strtol(hex, NULL, 16);
			text += 3;
		} else if (c == '\\' && text[1] == 'r') {
			c = '\r';
			text++;
		}
		host_send(h, &c, 1);
	}
}

int main(int argc, char **argv)
{
	struct host h;
	int bad = 0;

	if (argc < 3)
		return 2;
	host_open_port(&h, NULL, argv[1]);
	if (h.fd < 0) {
		fprintf(stderr, "# %s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	for (int i = 2; i < argc && !bad; i++) {
		if (!strcmp(argv[i], "type") && i + 1 < argc) {
			type_escaped(&h, argv[++i]);
		} else if (!strcmp(argv[i], "until") && i + 1 < argc) {
			bad = !host_until(&h, argv[++i]);
			fwrite(buf_str(&h.got), 1, h.got.len, stdout);
			fflush(stdout);
		} else if (!strcmp(argv[i], "gone")) {
			bad = !host_gone(&h);
		} else {
			bad = 2;
		}
	}
	host_close_port(&h);
	return bad;
}
