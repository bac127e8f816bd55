/* SPDX-License-Identifier: MIT */
/*
 * Stands in for QEMU in tests of the twin's daemon: keeps its arguments in the file `args`,
 * connects to uart.sock, says so unless there is a file `silent`, and echoes; `q` ends it as a
 * guest that powers off, `x` as a QEMU that fails.
 */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX, .sun_path = "uart.sock"};
	static const char hello[] = "stand-in loader\r\n";
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	FILE *args = fopen("args", "w");
	char c;

	for (int i = 1; args && i < argc; i++)
		fprintf(args, "%s\n", argv[i]);
	if (args)
		fclose(args);
	if (connect(fd, (struct sockaddr *)&to, sizeof to) < 0 ||
		(access("silent", F_OK) < 0 && write(fd, hello, sizeof hello - 1) < 0))
		return 1;
	while (read(fd, &c, 1) == 1) {
		if (c == 'q')
			return 0;
		if (c == 'x') {
			fprintf(stderr, "told to fail\n");
			return 3;
		}
		if (write(fd, &c, 1) < 0)
			return 1;
	}
	return 1;
}
