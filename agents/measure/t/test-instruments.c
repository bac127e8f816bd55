/* SPDX-License-Identifier: MIT */
/*
 * Instruments that are files: folder trees as the kernel's hwmon class has them, a logger's file
 * that grows; and which rails of a lab file are read.
 */
#include "base/fs.h"
#include "bed.h"

#include <fcntl.h>
#include <sys/timerfd.h>
#include <unistd.h>

static char dir[] = "/tmp/hilab-instruments-XXXXXX";

static void write_file(const char *name, const char *content)
{
	AUTOFREE char *path = fs_join(dir, name), *folder = fs_dirname(path);

	if (fs_mkdirs(folder, 0755, NULL) || fs_write(path, content, strlen(content), 0644, NULL))
		printf("Bail out! cannot write %s\n", path);
}

/* ---- hwmon ---- */

static void monitor(
	const char *name, const char *device, const char *power, const char *in, const char *curr)
{
	AUTOFREE char *link = mem_printf("%s/hwmon/%s/device", dir, name);
	AUTOFREE char *target = mem_printf("../../%s", device);
	const char *const files[][2] = {{"power1_input", power}, {"in1_input", in},
		{"curr1_input", curr}, {"shunt_resistor", "10000\n"}};

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		AUTOFREE char *file = mem_printf("hwmon/%s/%s", name, files[i][0]);

		if (files[i][1])
			write_file(file, files[i][1]);
	}
	if (symlink(target, link))
		printf("# symlink: %m\n");
}

static void test_hwmon(void)
{
	static const char format[] =
		"ina: {driver: hwmon, root: %s/hwmon, interval: 10ms, rails: {core: {device: "
		"1-0040}, "
		"mpu: {device: 1-0041, shunt-uohm: 20000}, io: {device: 1-0042, total: no}}}";
	AUTOFREE char *lab = mem_printf(format, dir);
	AUTOFREE char *twice = mem_printf(
		"ina: {driver: hwmon, root: %s/hwmon, rails: {a: {device: 2-0040}}}", dir);
	AUTOFREE char *none = mem_printf(
		"ina: {driver: hwmon, root: %s/hwmon, rails: {a: {device: 9-0040}}}", dir);
	AUTOFREE char *label = mem_printf("ina: {driver: hwmon, root: %s/hwmon, interval: 10ms, "
					  "rails: {a: {device: vcc_mpu}}}",
		dir);
	AUTOFREE char *gone = mem_printf("%s/hwmon/hwmon0/power1_input", dir);

	monitor("hwmon0", "1-0040", "412500\n", "850\n", "485\n");
	monitor("hwmon1", "1-0041", NULL, "1100\n", "91\n");
	monitor("hwmon2", "1-0042", "1000\n", NULL, NULL);
	write_file("hwmon/hwmon1/label", "vcc_mpu\n");
	monitor("hwmon3", "2-0040", "1\n", NULL, NULL);
	monitor("hwmon4", "2-0040", "1\n", NULL, NULL);
	is_int(sample_for(lab, NULL, 300), 0, "three monitors are read %s", e.msg);
	has_str(buf_str(&text), " core 412.5 mW\n", "microwatts");
	has_str(buf_str(&text), " core 0.85 V\n", "millivolts");
	has_str(buf_str(&text), " core 485 mA\n", "milliamperes");
	has_str(buf_str(&text), " mpu 45.5 mA\n", "a shunt twice as large: half the current");
	has_str(buf_str(&text), " mpu 50.05 mW\n", "power of voltage and current");
	has_str(buf_str(&text), " total 462.55 mW\n", "and the sum, without what is no part of it");
	ok(count(" core 412.5 mW") >= 2 && count(" core 412.5 mW") <= 31, "every 10 ms");
	has_str(buf_str(&text), "\nend 300 ", "for 300 ms");
	is_int(sample_for(label, NULL, 0), 0, "by a label %s", e.msg);
	is_int(sample_for(none, NULL, 0), -1, "no such monitor");
	is_int(e.blame, BLAME_INFRA, "is the lab's: %s", e.msg);
	is_int(sample_for(twice, NULL, 0), -1, "two of one name");
	is_int(e.blame, BLAME_CONFIG, "are refused: %s", e.msg);
	write_file("hwmon/hwmon0/power1_input", "on fire\n");
	is_int(sample_for(lab, NULL, 0), -1, "no number");
	has_str(e.msg, "holds no number: 'on fire", "is told");
	is_int(e.blame, BLAME_INFRA, "as the lab's");
	unlink(gone);
	is_int(sample_for(lab, NULL, 0), 0, "without its power, voltage and current are left");
	has_str(buf_str(&text), " core 412.25 mW\n", "and make the power");
}

/* Another job's sampler beside, on the same monitor. */
static void test_two_on_one(void)
{
	struct sampler_window w = {.for_ms = 300};
	const char *all[] = {"all"};
	AUTOFREE char *lab = mem_printf(
		"i: {driver: hwmon, root: %s/hwmon, interval: 10ms, rails: {x: {device: 1-0041}}}",
		dir);
	const struct node *n = section(lab);
	struct sampler *s[2];
	bool skip;

	w.rails = (struct param_strings){all, 1};
	for (int i = 0; i < 2; i++) {
		s[i] = sampler_open(&b, n, &w, &skip, &e);
		sampler_start(s[i]);
	}
	while (!sampler_over(s[0]) || !sampler_over(s[1]))
		bench_wait_pump(&b, INT64_MAX, &e);
	for (int i = 0; i < 2; i++)
		is_int(sampler_stop(s[i], &text, &e), 0, "two measurements on one instrument");
}

/* ---- csv ---- */

struct logger {
	int fd, out;
	int n;
	const char *line; /* with %d */
	int stop;         /* after so many; 0: never */
};

static int logs(void *arg, short revents, struct err *unused)
{
	struct logger *l = arg;
	char line[128];
	uint64_t times;

	(void)revents, (void)unused;
	if (read(l->fd, &times, sizeof times) < 0 || (l->stop && l->n >= l->stop))
		return 0;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(line, sizeof line, l->line, l->n++);
#pragma GCC diagnostic pop
	return fs_write_all(l->out, line, strlen(line));
}

static int csv(const char *line, int stop, const char *rails, int64_t for_ms)
{
	const struct itimerspec every = {{0, 5000000}, {0, 5000000}};
	AUTOFREE char *file = fs_join(dir, "log.csv");
	AUTOFREE char *lab =
		mem_printf("log: {driver: csv, file: %s, interval: 20ms, answer: 150ms, "
			   "rails: %s}",
			file, rails);
	struct logger l = {.line = line, .stop = stop};
	int r;

	write_file("log.csv", "time,\"core power\",mpu\n0,1,1\n0,2");
	l.out = open(file, O_WRONLY | O_APPEND);
	l.fd = timerfd_create(CLOCK_MONOTONIC, 0);
	timerfd_settime(l.fd, 0, &every, NULL);
	bench_pump_add(&b, l.fd, logs, &l);
	r = sample_for(lab, NULL, for_ms);
	bench_pump_del(&b, l.fd);
	close(l.fd);
	close(l.out);
	return r;
}

static void test_csv(void)
{
	is_int(csv("%d,412.5,0.0931\n", 0,
		       "{core: {column: core power}, mpu: {column: mpu, unit: A, voltage-mv: "
		       "1000}}",
		       0),
		0, "a file that grows %s", e.msg);
	has_str(buf_str(&text), " core 412.5 mW\n", "milliwatts");
	has_str(buf_str(&text), " mpu 93.1 mA\n", "amperes");
	has_str(buf_str(&text), " mpu 93.1 mW\n", "at the rail's voltage");
	has_str(buf_str(&text), " total 505.6 mW\n", "and the sum");
	ok(!strstr(buf_str(&text), " core 1 mW"), "no line from before");
	ok(count(" core 412.5 mW") >= 2, "several readings");
	is_int(csv("%d,412.5,1\n", 3, "{core: {column: core power}}", 60000), -1,
		"a logger that ends");
	has_str(e.msg, "no answer in 150 ms", "is noticed");
	is_int(e.blame, BLAME_INFRA, "as the lab's");
	is_int(csv("%d,hot,1\n", 0, "{core: {column: core power}}", 60000), -1, "no number");
	has_str(e.msg, "no number in column 'core power'", "is told");
	is_int(csv("%d\n", 0, "{core: {column: core power}}", 60000), -1, "lines with fewer cells");
	is_int(csv("%d,1,1\n", 0, "{core: {column: vdd}}", 60000), -1, "no such column");
	is_int(e.blame, BLAME_CONFIG, "is the lab file's: %s", e.msg);
}

/* ---- what is wanted ---- */

static void test_wanted(void)
{
	static const char *const other[] = {"vdd_mpu"};
	static const char *const one[] = {"mpu"};
	AUTOFREE char *lab = mem_printf("i: {driver: hwmon, root: %s/hwmon, interval: 10ms, rails: "
					"{x: {device: 9-9999}, mpu: {device: 1-0041}}}",
		dir);

	is_int(sample_for("{}", NULL, 0), 2, "no instrument");
	has_str(e.msg, "no instrument at this board", "is no failure: %s", e.msg);
	is_int(sample_for(lab, other, 0), 2, "none for that rail");
	has_str(e.msg, "no instrument reads rail 'vdd_mpu'", "neither: %s", e.msg);
	is_int(sample_for(lab, one, 0), 0, "a rail by name: the others are not looked for %s",
		e.msg);
	ok(!strstr(buf_str(&text), " total "), "and there is no sum");
	is_int(sample_for("i: {driver: ina, rails: {x: {}}}", NULL, 0), -1, "no such driver");
	is_int(e.blame, BLAME_CONFIG, "is the lab file's: %s", e.msg);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	bed_begin();
	test_hwmon();
	test_two_on_one();
	test_csv();
	test_wanted();
	fs_remove_tree(dir, NULL);
	return bed_end();
}
