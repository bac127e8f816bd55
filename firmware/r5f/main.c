/* SPDX-License-Identifier: MIT */
/*
 * The benchmark firmware of the real-time cores: a command line on the console (doc/r5f.md).
 * Invariant: each line gets the prompt again, and what a command found is in its frames when it
 * was asked for with `hil r`.
 */
#include "board.h"
#include "drivers/tests/hil.h"
#include "frames.h"
#include "image.h"
#include "suites.h"

#include <ctype.h>

#define LINE_BYTES 700
#define WORDS      24
#define PROMPT     "r5f> "
#define AWAKE_NS   1000000000u /* at rest: nothing typed for so long */

int main(void);
void main_1(void);
void fault(unsigned n, uint32_t at);

const struct suite suites[] = {
	{"boot", "the boot by stages", suite_boot},
	{"card", "raw speed of the SD card by size; sizes=KB,...", suite_card},
	{"interrupts", "latency of interrupts", suite_interrupts},
	{"ipc-notify", "latency of a notification; messages=N", suite_notify},
	{"ipc-round-trip", "message and answer by size; messages=N sizes=BYTES,...",
		suite_round_trip},
	{"ipc-rpmsg", "latency of a message by size; messages=N sizes=BYTES,...", suite_rpmsg},
	{"memory", "cycles of FIR and copy, cached and not", suite_memory},
	{"timer", "clock and timer", suite_timer},
	{NULL, NULL, NULL},
};

/* ---- what it is ------------------------------------------------------------------------------ */

/* The note of ld's --build-id: three words, "GNU", the id. */
static void build_id(char out[48])
{
	extern const uint32_t _build_id[];
	const uint8_t *id = (const uint8_t *)(_build_id + 4);

	out[0] = 0;
	for (uint32_t i = 0; i < _build_id[1] && i < 20; i++)
		sprintf(out + 2 * i, "%02x", id[i]);
}

static void identity(char *out, size_t n, char between)
{
	char id[48];

	build_id(id);
	snprintf(out, n, "hilab-r5f%c%s%c%s%c%s%c%s", between, VERSION, between, id, between, SOC,
		between, (const char *)BOARD_HANDOFF->medium);
}

static void hello(void)
{
	char fields[HIL_FIELD_BYTES];

	identity(fields, sizeof fields, '|');
	frames_begin("boot", 0);
	hil_send("hello", fields);
	frames_end();
}

/* ---- the line -------------------------------------------------------------------------------- */

static bool stopped;

bool stop_wanted(void)
{
	int c = board_get();

	stopped = stopped || c == 3;
	return stopped;
}

static void erase(size_t n)
{
	for (; n; n--)
		printf("\b \b");
}

/* One line of input with its echo; without its end. */
static void get_line(char *line)
{
	uint64_t since = board_ns();
	size_t n = 0;

	printf(PROMPT);
	for (;;) {
		int c = board_get();

		if (c < 0) {
			if (board_ns() - since > AWAKE_NS)
				board_sleep();
			continue;
		}
		since = board_ns();
		if (c == '\r' || c == '\n')
			break;
		if (c == 3) { /* ^C */
			printf("^C\n" PROMPT);
			n = 0;
		} else if (c == 0x15) { /* ^U */
			erase(n);
			n = 0;
		} else if (c == '\b' || c == 0x7f) {
			erase(n > 0);
			n -= n > 0;
		} else if (c >= ' ' && c < 0x7f && n + 1 < LINE_BYTES) {
			line[n++] = (char)c;
			board_put((uint8_t)c);
		}
	}
	printf("\n");
	line[n] = 0;
}

static size_t split(char *line, char **words)
{
	size_t n = 0;

	for (char *w = strtok(line, " "); w && n < WORDS; w = strtok(NULL, " "))
		words[n++] = w;
	return n;
}

/* ---- commands -------------------------------------------------------------------------------- */

static bool take_sizes(const char *list, struct suite_args *args)
{
	for (args->n_sizes = 0; *list && args->n_sizes < SIZES_MAX;) {
		char *end;

		args->sizes[args->n_sizes++] = strtoul(list, &end, 10);
		if (end == list || (*end && *end != ','))
			return false;
		list = end + (*end == ',');
	}
	return !*list && args->n_sizes;
}

static bool take_word(const char *word, struct suite_args *args)
{
	if (!strcmp(word, "figures"))
		args->tables = false;
	else if (!strcmp(word, "tables"))
		args->figures = false;
	else if (!strncmp(word, "messages=", 9))
		return (args->messages = strtoul(word + 9, NULL, 10)) > 0;
	else if (!strncmp(word, "sizes=", 6))
		return take_sizes(word + 6, args);
	else
		return false;
	return true;
}

static int run(char **words, size_t n)
{
	struct suite_args args = {.figures = true, .tables = true};

	for (size_t i = 1; i < n; i++)
		if (!take_word(words[i], &args)) {
			printf("no argument '%s'\n", words[i]);
			return 2;
		}
	for (const struct suite *s = suites; n && s->name; s++)
		if (!strcmp(s->name, words[0])) {
			stopped = false;
			return s->run(&args);
		}
	printf("no suite '%s': see 'list'\n", n ? words[0] : "");
	return 127;
}

static int command(char *line)
{
	char *words[WORDS], text[HIL_FIELD_BYTES];
	size_t n = split(line, words);

	if (!n)
		return 0;
	if (!strcmp(words[0], "run"))
		return run(words + 1, n - 1);
	if (!strcmp(words[0], "list")) {
		for (const struct suite *s = suites; s->name; s++)
			printf("%-16s %s\n", s->name, s->brief);
		return 0;
	}
	if (!strcmp(words[0], "version")) {
		identity(text, sizeof text, '\n');
		printf("%s\n", text);
		return 0;
	}
	printf("no command '%s': run NAME [ARGS], list, version\n", words[0]);
	return 127;
}

/* ---- for the worker -------------------------------------------------------------------------- */

/* "hil r RUN SEQ CRC MODE COMMAND" */
static void framed_run(char *rest)
{
	char *run_name = strtok(rest, " "), *seq = strtok(NULL, " "), *crc = strtok(NULL, " ");
	char *mode = strtok(NULL, " "), *text = strtok(NULL, ""), end[100];
	uint32_t sum = 0;
	size_t bytes = 0, left_out = 0;
	bool capture = mode && *mode == 'c';
	int status;

	if (!text || !seq)
		return;
	frames_begin(run_name, strtoul(seq, NULL, 10));
	if (hil_cksum(text, strlen(text)) != strtoul(crc, NULL, 10)) {
		hil_send("bad", "");
		frames_end();
		return;
	}
	hil_send("go", "");
	if (capture)
		output_begin();
	status = command(text);
	if (capture)
		output_end(&sum, &bytes, &left_out);
	if (capture)
		snprintf(end, sizeof end, "%d|p|%lu|%lu|%lu", status, (unsigned long)sum,
			(unsigned long)bytes, (unsigned long)left_out);
	else
		snprintf(end, sizeof end, "%d", status);
	hil_send("end", end);
	frames_end();
}

/* "hil a RUN [SEQ...]": with none the newest */
static void framed_again(char *rest)
{
	char *run_name = strtok(rest, " "), *seq = strtok(NULL, " ");

	if (!run_name)
		return;
	if (!seq && frames_next())
		frames_again(run_name, frames_next() - 1);
	for (; seq; seq = strtok(NULL, " "))
		frames_again(run_name, strtoul(seq, NULL, 10));
}

static void do_line(char *line)
{
	if (!strncmp(line, "hil r ", 6))
		framed_run(line + 6);
	else if (!strncmp(line, "hil a ", 6))
		framed_again(line + 6);
	else
		command(line);
}

/* ---- life ------------------------------------------------------------------------------------ */

void fault(unsigned n, uint32_t at)
{
	printf("\nr5f: exception %u near %08lx, stopped\n", n, (unsigned long)at);
	board_stop();
}

void main_1(void)
{
	ipc_main_1();
}

int main(void)
{
	static char line[LINE_BYTES];
	bool pair;

	profile_begin();
	setvbuf(stdout, NULL, _IONBF, 0);
	profile_stage("System_init");
	board_uart_init();
	board_caches(true);
	profile_stage("Board_init");
	(void)board_card_init();
	profile_stage("Drivers_open");
	pair = !ipc_start();
	profile_stage("R5FSS0_1 Image Load");
	ipc_stop();
	printf("\nhilab real-time benchmark %s for %s\n", VERSION, SOC);
	if (!pair)
		printf("core 1 does not answer\n");
	hello();
	for (;;) {
		get_line(line);
		do_line(line);
	}
}
