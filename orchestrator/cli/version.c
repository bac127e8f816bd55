/* SPDX-License-Identifier: MIT */
/* `hilab version`: this program's version and that of every library it stands on. */
#include "cli/commands.h"

#include "builds/download.h"
#include "io/digest.h"

#include <jansson.h>
#include <libserialport.h>
#include <lzma.h>
#include <pcre2.h>
#include <sqlite3.h>
#include <stdio.h>
#include <yaml.h>
#include <zlib.h>
#include <zstd.h>

struct args {
	bool json;
};

static const struct cli_opt opts[] = {
	{"json", 0, CLI_FLAG, offsetof(struct args, json), NULL, "as a JSON object"},
	{0},
};

static int run(int argc, char **argv)
{
	struct args a = {0};
	char **operands, pcre[64] = "";
	int status;
	AUTOBUF out = BUF_INIT(4096);

	if (cli_parse(&version_command, argc, argv, &a, &operands, &status) < 0)
		return status;
	pcre2_config(PCRE2_CONFIG_VERSION, pcre);
	const struct {
		const char *name, *version;
	} parts[] = {
		{"hilab", HILAB_VERSION},
		{"libserialport", sp_get_package_version_string()},
		{"libcurl", download_version() ?: "absent"},
		{"libyaml", yaml_get_version_string()},
		{"jansson", jansson_version_str()},
		{"sqlite", sqlite3_libversion()},
		{"pcre2", pcre},
		{"openssl", digest_version() ?: "absent"},
		{"zlib", zlibVersion()},
		{"liblzma", lzma_version_string()},
		{"libzstd", ZSTD_versionString()},
	};
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		const char *end = i + 1 < ARRAY_LEN(parts) ? ", " : "}\n";

		if (a.json)
			buf_printf(&out, "%s\"%s\": \"%s\"%s", i ? "" : "{", parts[i].name,
				parts[i].version, end);
		else
			buf_printf(&out, "%s %s\n", parts[i].name, parts[i].version);
	}
	return cli_out(&out) ? EXIT_INCOMPLETE : EXIT_PASS;
}

const struct cli_command version_command = {
	.name = "version",
	.brief = "print the version of hilab and of its libraries",
	.usage = "",
	.opts = opts,
	.run = run,
};
