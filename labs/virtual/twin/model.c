/* SPDX-License-Identifier: MIT */
/*
 * Twins as data, and QEMU's command line from it. Invariant: nothing of a command line goes through
 * a shell, and a file name with a comma in it stays one file name to QEMU.
 */
#include "labs/virtual/twin/model.h"

#include "base/fs.h"
#include "base/mem.h"
#include "io/yaml.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

const struct param model_network_params[] = {
	{"device", PARAM_STRING, offsetof(struct model_network, device),
		.help = "QEMU's network card and its settings; not given: none"},
	{"mac", PARAM_STRING, offsetof(struct model_network, mac), .help = "its address"},
	{"address", PARAM_STRING, offsetof(struct model_network, address), .preset = "10.0.2.15",
		.help = "the board's IP address"},
	{"server", PARAM_STRING, offsetof(struct model_network, server), .preset = "10.0.2.2",
		.help = "the lab host's IP address as the board sees it"},
	{"forward", PARAM_MAP, offsetof(struct model_network, forward),
		.help = "service to TCP port of the board, reached through a port of the lab host"},
	{"restrict", PARAM_BOOL, offsetof(struct model_network, restricted), .preset = "true",
		.help = "the board reaches nothing beyond the lab host's TFTP server"},
	{0}};

const struct param model_disk_params[] = {
	{"device", PARAM_STRING, offsetof(struct model_disk, device),
		.help = "QEMU's disk and its settings; or"},
	{"slot", PARAM_INT, offsetof(struct model_disk, slot), .preset = "-1", .min = -1, .max = 7,
		.help = "the machine's own card slot that it is in"},
	{"controller", PARAM_STRING, offsetof(struct model_disk, controller),
		.help = "a controller of its own"},
	{"file", PARAM_STRING, offsetof(struct model_disk, file),
		.help = "file in the twin's folder that keeps its contents"},
	{"image", PARAM_STRING, offsetof(struct model_disk, image),
		.help = "role of the build's image that it is"},
	{"same-as", PARAM_STRING, offsetof(struct model_disk, same_as),
		.help = "the disk whose file it is, seen a second time"},
	{"size", PARAM_SIZE, offsetof(struct model_disk, size_bytes), .preset = "256MiB",
		.help = "size of a file that is made", .min = 512},
	{"read-only", PARAM_BOOL, offsetof(struct model_disk, read_only), .preset = "false",
		.help = "the board cannot write it"},
	{0}};

const struct param model_beside_params[] = {
	{"model", PARAM_STRING, offsetof(struct model_beside, model),
		.help = "what it is; its boot modes have the same names"},
	{"console", PARAM_STRING, offsetof(struct model_beside, console), .preset = "second",
		.help = "the board's name for its console"},
	{0}};

const struct param model_params[] = {
	{"type", PARAM_STRING, offsetof(struct model, type), .required = true,
		.help = "board type in the lab file"},
	{"build", PARAM_STRING, offsetof(struct model, build), .required = true,
		.help = "build manifest that has its images"},
	{"qemu", PARAM_STRING, offsetof(struct model, qemu), .required = true,
		.help = "the QEMU program", .example = "qemu-system-aarch64"},
	{"machine", PARAM_STRING, offsetof(struct model, machine), .required = true,
		.help = "QEMU's machine and its settings"},
	{"cpu", PARAM_STRING, offsetof(struct model, cpu),
		.help = "QEMU's CPU; not given: the machine's own"},
	{"cpus", PARAM_INT, offsetof(struct model, cpus), .preset = "1", .min = 1, .max = 16,
		.help = "how many"},
	{"memory", PARAM_SIZE, offsetof(struct model, memory_bytes), .preset = "512MiB",
		.min = 1 << 20, .help = "RAM"},
	{"loader", PARAM_STRING, offsetof(struct model, loader),
		.help = "role of the image that runs from power-on; or"},
	{"rom", PARAM_STRING, offsetof(struct model, rom),
		.help = "role of the image that is in memory at power-on; 'devices' say who starts "
			"it"},
	{"network", PARAM_SECTION, offsetof(struct model, network), .rows = model_network_params,
		.help = "network card and user networking"},
	{"disks", PARAM_MAP, offsetof(struct model, disks), .help = "disks by name"},
	{"objects", PARAM_STRINGS, offsetof(struct model, objects),
		.help = "what devices refer to, as QEMU's -object takes them"},
	{"devices", PARAM_STRINGS, offsetof(struct model, devices),
		.help = "further devices, as QEMU's -device takes them"},
	{"globals", PARAM_STRINGS, offsetof(struct model, globals),
		.help = "settings of devices that the machine has itself, as QEMU's -global takes "
			"them"},
	{"beside", PARAM_SECTION, offsetof(struct model, beside), .rows = model_beside_params,
		.help = "a second QEMU of the same board, on the same relay"},
	{"rails", PARAM_MAP, offsetof(struct model, rails),
		.help = "power rail -> {mv, mw}: what the simulated instrument reads while there "
			"is "
			"power"},
	{"straps", PARAM_MAP, offsetof(struct model, straps),
		.help = "boot modes: preset, and modes with what each changes"},
	{0}};

/* The model with its boot mode laid over it. */
static const struct node *strapped(
	struct model *m, const struct node *doc, const char *mode, struct diag *diag)
{
	const struct node *straps = node_find(doc, "straps"), *over;

	if (!mode)
		mode = node_text(straps, "preset");
	if (!mode)
		return doc;
	over = node_find(node_find(straps, "modes"), mode);
	if (over)
		return node_overlay(&m->arena, doc, over);
	diag_add(diag, straps ? straps->at : doc->at, "no boot mode '%s'", mode);
	return NULL;
}

static int check_disks(struct model *m, struct diag *diag)
{
	int rc = 0;

	node_each (m->disks, kid) {
		struct model_disk disk = {0};

		if (schema_fill(&m->arena, model_disk_params, "disk", kid, &disk, diag) < 0)
			rc = -1;
		else if (!disk.device == (disk.slot < 0))
			rc = diag_add(
				diag, kid->at, "disk '%s': one of 'device', 'slot'", kid->key);
		else if (!disk.file + !disk.image + !disk.same_as != 2)
			rc = diag_add(diag, kid->at, "disk '%s': one of 'file', 'image', 'same-as'",
				kid->key);
		else if (disk.same_as && !node_text(node_find(m->disks, disk.same_as), "file"))
			rc = diag_add(diag, kid->at, "disk '%s': no file of a disk '%s'", kid->key,
				disk.same_as);
	}
	return rc;
}

int model_load(struct model *m, const char *name, const char *mode, struct diag *diag)
{
	AUTOFREE char *relative = mem_printf("labs/virtual/twin/%s.yaml", name);
	AUTOFREE char *path = strchr(name, '/') ? mem_strdup(name) : fs_data_path(relative);
	const char *file = arena_strdup(&m->arena, path);
	const struct node *doc = yaml_load(&m->arena, file, diag);

	doc = doc ? strapped(m, doc, mode, diag) : NULL;
	if (!doc || schema_fill(&m->arena, model_params, "twin", doc, m, diag) < 0)
		return -1;
	if (!m->loader == !m->rom)
		return diag_add(diag, doc->at, "one of 'loader', 'rom'");
	m->name = arena_strdup(&m->arena, name);
	return check_disks(m, diag);
}

void model_done(struct model *m)
{
	arena_done(&m->arena);
}

/* ---- images --------------------------------------------------------------------------------- */

/* The file of a role; NULL with e. */
static const char *image_path(
	const struct model_images *im, const char *role, struct arena *a, struct err *e)
{
	const char *path = node_text(node_find(im->images, role), "path");
	AUTOFREE char *full = NULL;

	if (!path) {
		err_set(e, BLAME_BUILD, "build '%s' has no image '%s'", im->path, role);
		return NULL;
	}
	full = fs_beside(im->path, path);
	if (!fs_exists(full)) {
		err_set(e, BLAME_BUILD, "image '%s' is not there: run 'make images'", full);
		return NULL;
	}
	return arena_strdup(a, full);
}

int model_images_load(struct model_images *im, const struct model *m, const char *dir,
	struct diag *diag, struct err *e)
{
	const struct node *doc;

	im->path = arena_printf(&im->arena, "%s/%s.yaml", dir, m->build);
	if (!fs_exists(im->path))
		return err_set(
			e, BLAME_BUILD, "no build '%s' in '%s': run 'make images'", m->build, dir);
	doc = yaml_load(&im->arena, im->path, diag);
	if (!doc)
		return -1;
	im->images = node_find(doc, "images");
	return image_path(im, m->loader ? m->loader : m->rom, &im->arena, e) ? 0 : -1;
}

void model_images_done(struct model_images *im)
{
	arena_done(&im->arena);
}

/* ---- the command line ----------------------------------------------------------------------- */

struct args {
	struct arena *a;
	const char **p;
	size_t n;
};

static void add(struct args *args, const char *option, const char *value)
{
	if (args->n + 3 > MODEL_ARGS_MAX)
		return;
	args->p[args->n++] = option;
	if (value)
		args->p[args->n++] = value;
}

/* QEMU ends a value at a comma; a doubled one is a comma of the value. */
static const char *escaped(struct arena *a, const char *path)
{
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);

	for (; *path; path++) {
		if (*path == ',')
			buf_putc(&out, ',');
		buf_putc(&out, *path);
	}
	return arena_strdup(a, buf_str(&out));
}

/* A sparse file that reads as zeroes, once. */
static int make_file(const char *path, int64_t size_bytes, struct err *e)
{
	AUTOCLOSE int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	if (fd < 0)
		return errno == EEXIST ? 0 : err_sys(e, BLAME_INFRA, errno, "make '%s'", path);
	if (ftruncate(fd, size_bytes) < 0)
		return err_sys(e, BLAME_INFRA, errno, "make '%s'", path);
	return 0;
}

/* The file of a disk, made where it is not there yet; NULL with e. */
static const char *disk_file(struct args *args, const struct model_images *im,
	const struct model_place *at, const struct model_disk *disk, struct err *e)
{
	const char *file;

	if (disk->image)
		return image_path(im, disk->image, args->a, e);
	file = arena_printf(args->a, "%s/%s", at->dir, disk->file);
	return make_file(file, disk->size_bytes, e) < 0 ? NULL : file;
}

static int add_disk(struct args *args, const struct model *m, const struct model_images *im,
	const struct model_place *at, const struct node *node, struct err *e)
{
	struct arena *a = args->a;
	struct model_disk disk = {0}, other = {0};
	const char *file;

	schema_fill(a, model_disk_params, "disk", node, &disk, NULL);
	if (disk.same_as)
		schema_fill(a, model_disk_params, "disk", node_find(m->disks, disk.same_as), &other,
			NULL);
	file = disk_file(args, im, at, disk.same_as ? &other : &disk, e);
	if (!file)
		return -1;
	/* QEMU locks what it opens; a second look at the same file must not ask for that */
	add(args, "-drive",
		arena_printf(a, "%s,id=%s,format=raw,readonly=%s%s,file=%s",
			disk.device ? "if=none"
				    : arena_printf(a, "if=sd,index=%lld", (long long)disk.slot),
			node->key, disk.read_only ? "on" : "off",
			disk.same_as ? ",file.locking=off" : "", escaped(a, file)));
	if (!disk.device)
		return 0;
	if (disk.controller)
		add(args, "-device", disk.controller);
	add(args, "-device", arena_printf(a, "%s,drive=%s", disk.device, node->key));
	return 0;
}

static void add_network(
	struct args *args, const struct model_network *net, const struct model_place *at)
{
	AUTOBUF user = BUF_INIT(BUF_CAP_BYTES);

	buf_printf(&user, "user,id=net,restrict=%s,tftp=%s", net->restricted ? "on" : "off",
		escaped(args->a, at->tftp));
	for (size_t i = 0; i < at->n_ports; i++)
		buf_printf(&user, ",hostfwd=tcp:127.0.0.1:%d-%s:%d", at->ports[i].host,
			net->address, at->ports[i].board);
	add(args, "-netdev", arena_strdup(args->a, buf_str(&user)));
	add(args, "-device",
		arena_printf(args->a, "%s,netdev=net%s%s", net->device, net->mac ? ",mac=" : "",
			net->mac ? net->mac : ""));
}

const char *const *model_argv(const struct model *m, const struct model_images *im,
	const struct model_place *at, struct arena *a, struct err *e)
{
	struct args args = {.a = a, .p = arena_alloc(a, MODEL_ARGS_MAX * sizeof *args.p)};
	const char *loader = image_path(im, m->loader ? m->loader : m->rom, a, e);

	if (!loader)
		return NULL;
	add(&args, at->qemu ? at->qemu : m->qemu, NULL);
	add(&args, "-nodefaults", NULL);
	add(&args, "-no-user-config", NULL);
	add(&args, "-display", "none");
	add(&args, "-machine", m->machine);
	add(&args, "-accel", "tcg,thread=multi");
	if (m->cpu)
		add(&args, "-cpu", m->cpu);
	add(&args, "-smp", arena_printf(a, "%lld", (long long)m->cpus));
	add(&args, "-m", arena_printf(a, "%lldM", (long long)(m->memory_bytes >> 20)));
	if (m->loader)
		add(&args, "-bios", loader);
	else
		add(&args, "-device", arena_printf(a, "loader,file=%s", escaped(a, loader)));
	add(&args, "-chardev", "socket,id=uart,path=uart.sock");
	add(&args, "-serial", "chardev:uart");
	add(&args, "-qmp", "unix:qmp.sock,server=on,wait=off");
	if (m->network.device)
		add_network(&args, &m->network, at);
	for (size_t i = 0; i < m->globals.n; i++)
		add(&args, "-global", m->globals.p[i]);
	node_each (m->disks, disk)
		if (add_disk(&args, m, im, at, disk, e) < 0)
			return NULL;
	for (size_t i = 0; i < m->objects.n; i++)
		add(&args, "-object", m->objects.p[i]);
	for (size_t i = 0; i < m->devices.n; i++)
		add(&args, "-device", m->devices.p[i]);
	args.p[args.n] = NULL;
	return args.p;
}
