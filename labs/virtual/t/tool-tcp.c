/* SPDX-License-Identifier: MIT */
/* Connects to a TCP port of this host and prints the first line that it is greeted with. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

int main(int argc, char **argv)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	char line[256];
	FILE *in;

	if (argc != 2)
		return 2;
	to.sin_port = htons((unsigned short)atoi(argv[1]));
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) < 0) {
		perror("# connect");
		return 1;
	}
	in = fdopen(fd, "r");
	if (!in || !fgets(line, sizeof line, in))
		return 1;
	fputs(line, stdout);
	return 0;
}
