/* SPDX-License-Identifier: MIT */
/*
 * tool-stall PORT TOKEN COUNT PATH...: readers that stop reading. COUNT connections to PORT of this
 * host ask for each PATH, read its first line and nothing more. Prints "stalled" when
 * all of them do, and stays until it is killed.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int ask(unsigned short port, const char *token, const char *path)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), small = 4096;
	char text[2048];
	int n = snprintf(text, sizeof text,
		"GET %s HTTP/1.1\r\nHost: lab\r\nAuthorization: Bearer %s\r\n\r\n", path, token);

	to.sin_port = htons(port);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
	if (fd < 0 || connect(fd, (void *)&to, sizeof to) || write(fd, text, (size_t)n) != n ||
		read(fd, text, 13) < 13 || strncmp(text, "HTTP/1.1 200", 12) != 0) {
		fprintf(stderr, "tool-stall: '%s' is not answered\n", path);
		return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 5)
		return 2;
	for (int n = atoi(argv[3]); n > 0; n--)
		for (int i = 4; i < argc; i++)
			if (ask((unsigned short)atoi(argv[1]), argv[2], argv[i]))
				return 1;
	puts("stalled");
	fflush(stdout);
	for (;;)
		pause();
}
