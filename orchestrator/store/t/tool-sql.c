/* SPDX-License-Identifier: MIT */
/* tool-sql STORE QUERY: prints the rows of a store, columns between '|', for shell tests. */
#include <sqlite3.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	sqlite3_stmt *st = NULL;
	sqlite3 *db = NULL;
	int rc = argc == 3 ? sqlite3_open_v2(argv[1], &db, SQLITE_OPEN_READONLY, NULL)
			   : SQLITE_MISUSE;

	if (!rc) {
		sqlite3_busy_timeout(db, 10000);
		rc = sqlite3_prepare_v2(db, argv[2], -1, &st, NULL);
	}
	while (!rc || rc == SQLITE_ROW) {
		rc = sqlite3_step(st);
		for (int i = 0; rc == SQLITE_ROW && i < sqlite3_column_count(st); i++) {
			const unsigned char *text = sqlite3_column_text(st, i);

			printf("%s%s", i ? "|" : "", text ? (const char *)text : "");
		}
		if (rc == SQLITE_ROW)
			putchar('\n');
	}
	if (rc != SQLITE_DONE)
		fprintf(stderr, "tool-sql: %s\n", db ? sqlite3_errmsg(db) : "STORE QUERY");
	sqlite3_finalize(st);
	sqlite3_close(db);
	return rc != SQLITE_DONE;
}
