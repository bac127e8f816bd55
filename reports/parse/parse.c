/* SPDX-License-Identifier: MIT */
/* The table of parsers. Invariant: the table is sorted by name. */
#include "parse.h"

#include "parsers.h"

#include <stdio.h>

const struct driver *const *parse_drivers(void)
{
	static const struct driver *const table[] = {
		&alsa_parser.d,
		&boot_log_parser.d,
		&coremark_parser.d,
		&coremark_pro_parser.d,
		&cyclictest_parser.d,
		&dd_parser.d,
		&dhrystone_parser.d,
		&fio_parser.d,
		&frames_parser.d,
		&hackbench_parser.d,
		&ipc_parser.d,
		&iperf2_parser.d,
		&iperf3_parser.d,
		&irq_latency_parser.d,
		&junit_parser.d,
		&kselftest_parser.d,
		&ktap_parser.d,
		&lava_parser.d,
		&linpack_parser.d,
		&lmbench_parser.d,
		&ltp_parser.d,
		&ltp_test_parser.d,
		&lwip_parser.d,
		&mcusdk_parser.d,
		&mtd_speed_parser.d,
		&multibench_parser.d,
		&netperf_parser.d,
		&openssl_parser.d,
		&pdk_parser.d,
		&power_parser.d,
		&printk_parser.d,
		&rails_parser.d,
		&regex_parser.d,
		&resume_parser.d,
		&rtos_latency_parser.d,
		&rtos_storage_parser.d,
		&sbl_parser.d,
		&storage_guide_parser.d,
		&stream_parser.d,
		&stress_ng_parser.d,
		&tap_parser.d,
		&time_v_parser.d,
		&uboot_parser.d,
		&udma_parser.d,
		&whetstone_parser.d,
		NULL,
	};

	return table;
}

static int as_error(const struct parser *p, const struct diag *diag, struct err *e)
{
	return err_set(e, BLAME_JOB, "settings of parser '%s': %s", p->d.name,
		diag->entries.n ? diag->entries.p[0].text : "damaged");
}

int parser_run(const struct parser *p, const struct node *settings, struct str text,
	const struct sink *sink, struct err *e)
{
	static const struct param none[] = {{0}};
	struct arena a = {0};
	struct diag diag = {0};
	void *set = arena_alloc(&a, p->d.size + 1);
	int failed;

	if (schema_fill(&a, p->d.params ? p->d.params : none, p->d.name, settings, set, &diag))
		failed = as_error(p, &diag, e);
	else
		failed = p->parse_set ? p->parse_set(set, text, sink, e) : p->parse(text, sink, e);
	diag_done(&diag);
	arena_done(&a);
	return failed;
}

int parser_check(
	const struct parser *p, const struct node *settings, struct loc at, struct diag *diag)
{
	static const struct param none[] = {{0}};
	const struct node empty = {.type = NODE_MAP, .at = at};
	char what[120];

	snprintf(what, sizeof what, "parser '%s'", p->d.name);
	if (schema_check(
		    p->d.params ? p->d.params : none, what, settings ? settings : &empty, diag))
		return -1;
	return p->check && settings ? p->check(settings, diag) : 0;
}
