/* SPDX-License-Identifier: MIT */
/*
 * Power monitors that the lab host's kernel reads (INA2xx, INA3221, LTC2945 ...), by the files of
 * its hwmon class. Invariant: a device is named by what does not change over restarts, and where
 * two fit, neither is read.
 *
 * Source: Linux, Documentation/hwmon/sysfs-interface.rst (inN_input in mV, currN_input in mA,
 * powerN_input in uW), ina2xx.rst and ina3221.rst (shunt_resistor, shuntN_resistor in uOhm).
 */
#include "agents/measure/drivers.h"

#include "base/fs.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define DEVICES_MAX 256 /* that are looked at */
#define VALUE_BYTES 64

struct conf {
	const char *root;
};
struct place { /* settings of a rail, and where that is */
	const char *device;
	int64_t channel, shunt_uohm;
	const char *dir; /* found by open */
	double scale;    /* of current and power: what the kernel takes the shunt for, by ours */
};

static const struct param rows[] = {
	{"root", PARAM_PATH, offsetof(struct conf, root), .preset = "/sys/class/hwmon",
		.help = "folder of the hwmon class"},
	{0},
};
static const struct param rail_rows[] = {
	{"device", PARAM_STRING, offsetof(struct place, device), .required = true,
		.help = "the monitor: its bus address, as 'device' in its folder links to, or its "
			"label",
		.example = "1-0040"},
	{"channel", PARAM_INT, offsetof(struct place, channel), .preset = "1", .min = 1, .max = 64,
		.help = "number of its input: N of inN_input, currN_input, powerN_input"},
	{"shunt-uohm", PARAM_INT, offsetof(struct place, shunt_uohm), .min = 1, .max = 1000000000,
		.help = "the shunt that is there, where the kernel takes another for granted",
		.unit = "uOhm", .example = "10000"},
	{0},
};

/* A file of one line. 0; 1 it is not there; -1. */
static int read_line(const char *dir, const char *name, char out[VALUE_BYTES], struct err *e)
{
	AUTOFREE char *path = fs_join(dir, name);
	AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n;

	if (fd < 0 && errno == ENOENT)
		return 1;
	n = fd < 0 ? -1 : read(fd, out, VALUE_BYTES - 1);
	if (n < 0)
		return err_sys(e, BLAME_INFRA, errno, "read '%s'", path);
	out[n] = 0;
	return 0;
}

/* The number in a file such as "power1_input", times unit. */
static int read_number(const char *dir, const char *what, int64_t channel, const char *end,
	double unit, double *value, struct err *e)
{
	char name[48], text[VALUE_BYTES], seen[VALUE_BYTES];
	int64_t number;
	int r;

	snprintf(name, sizeof name, "%s%d_%s", what, (int)channel, end);
	r = read_line(dir, name, text, e);
	if (r)
		return r;
	if (str_i64(str_trim(str_of(text)), &number))
		return err_set(e, BLAME_INFRA, "'%s/%s' holds no number: '%s'", dir, name,
			str_printable(str_of(text), seen, sizeof seen));
	*value = (double)number * unit;
	return 0;
}

/* ---- the device ----------------------------------------------------------------------------- */

static bool is_device(const char *dir, const char *device)
{
	AUTOFREE char *link = fs_join(dir, "device");
	char target[PATH_MAX], text[VALUE_BYTES];
	ssize_t n = readlink(link, target, sizeof target - 1);

	if (n > 0) {
		target[n] = 0;
		if (!strcmp(fs_basename(target), device))
			return true;
	}
	return !read_line(dir, "label", text, NULL) && str_is(str_trim(str_of(text)), device);
}

/* The folder of a device: 0, or -1 where there is none, or are two. */
static int find(struct instrument *in, struct place *p, struct err *e)
{
	const struct conf *conf = in->conf;
	DIR *d = opendir(conf->root);
	struct dirent *entry;
	int found = 0;

	if (!d)
		return err_sys(e, BLAME_INFRA, errno, "open '%s'", conf->root);
	for (int i = 0; i < DEVICES_MAX && (entry = readdir(d)); i++) {
		AUTOFREE char *dir = fs_join(conf->root, entry->d_name);

		if (entry->d_name[0] == '.' || !is_device(dir, p->device))
			continue;
		found++;
		p->dir = arena_strdup(in->arena, dir);
	}
	closedir(d);
	if (!found)
		return err_set(e, BLAME_INFRA, "no monitor '%s' in '%s'", p->device, conf->root);
	if (found > 1)
		return err_set(e, BLAME_CONFIG, "%d monitors in '%s' are '%s'", found, conf->root,
			p->device);
	return 0;
}

/* Drivers of one input have shunt_resistor, those of several shuntN_resistor. */
static int find_scale(struct place *p, struct err *e)
{
	char text[VALUE_BYTES];
	double taken = NAN;
	int r;

	p->scale = 1;
	if (!p->shunt_uohm)
		return 0;
	r = read_number(p->dir, "shunt", p->channel, "resistor", 1, &taken, e);
	if (r > 0 && !(r = read_line(p->dir, "shunt_resistor", text, e)))
		r = str_double(str_trim(str_of(text)), &taken);
	if (r < 0 && err_is(e))
		return -1;
	if (r || !(taken > 0))
		return err_set(e, BLAME_CONFIG,
			"monitor '%s' does not tell its shunt: 'shunt-uohm' cannot be minded",
			p->device);
	p->scale = taken / (double)p->shunt_uohm;
	return 0;
}

/* ---- readings ------------------------------------------------------------------------------- */

static int read_rail(struct rail *r, struct err *e)
{
	const struct place *p = r->conf;
	double mw = NAN, v = NAN, ma = NAN;

	if (read_number(p->dir, "power", p->channel, "input", 1e-3, &mw, e) < 0 ||
		read_number(p->dir, "in", p->channel, "input", 1e-3, &v, e) < 0 ||
		read_number(p->dir, "curr", p->channel, "input", 1, &ma, e) < 0)
		return -1;
	if (!isfinite(mw) && !isfinite(v) && !isfinite(ma))
		return err_set(e, BLAME_INFRA, "monitor '%s' ('%s') has nothing of channel %d",
			p->device, p->dir, (int)p->channel);
	r->mw = mw * p->scale;
	r->v = v;
	r->ma = ma * p->scale;
	return 0;
}

static int hwmon_ask(struct instrument *in, struct err *e)
{
	for (size_t i = 0; i < in->n; i++)
		if (read_rail(&in->rails[i], e))
			return -1;
	return 1;
}

static int hwmon_open(struct instrument *in, struct err *e)
{
	for (size_t i = 0; i < in->n; i++)
		if (find(in, in->rails[i].conf, e) || find_scale(in->rails[i].conf, e))
			return -1;
	return hwmon_ask(in, e) < 0 ? -1 : 0; /* what cannot be read is told before the step */
}

const struct instrument_driver instrument_hwmon = {
	.d = {.name = "hwmon",
		.brief = "power monitors of the lab host's kernel: INA2xx, INA3221 and the like",
		.params = rows,
		.size = sizeof(struct conf),
		.proven = "a folder tree as the kernel's ABI has it"},
	.rail = rail_rows,
	.rail_size = sizeof(struct place),
	.open = hwmon_open,
	.ask = hwmon_ask,
};
