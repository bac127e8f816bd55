/* SPDX-License-Identifier: MIT */
/*
 * Images a played boot loader has loaded. Invariant: an address is in the list once, with the file
 * that was loaded there last.
 */
#include "labs/virtual/player/images.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#define HASH_BYTES 14280 /* one # of U-Boot's bar over Ethernet */
/* cpio "newc": six bytes of magic, 13 fields of eight; the size is field 6, the name size 11. */
#define CPIO_HEADER 110
#define CPIO_SIZE   (6 + 6 * 8)
#define CPIO_NAMED  (6 + 11 * 8)
#define HASHES      65 /* in a line */

void images_done(struct images *im)
{
	for (unsigned i = 0; i < im->n; i++)
		free(im->loaded[i].path);
	im->n = 0;
}

int images_address(struct str text, uint64_t *out)
{
	ptrdiff_t colon = str_chr(text, ':');
	char digits[20] = "", *end;

	if (colon >= 0)
		text.n = (size_t)colon;
	if (!text.n || text.n >= sizeof digits)
		return -1;
	memcpy(digits, text.p, text.n);
	*out = strtoull(digits, &end, 16);
	return *end ? -1 : 0;
}

static void forget(struct images *im, unsigned i)
{
	free(im->loaded[i].path);
	memmove(&im->loaded[i], &im->loaded[i + 1], (im->n - i - 1) * sizeof im->loaded[0]);
	im->n--;
}

static void print_bar(int64_t bytes, struct buf *out)
{
	for (int64_t i = 0; i * HASH_BYTES < bytes; i++)
		buf_puts(out, i && i % HASHES == 0 ? "\n\t #" : "#");
}

int images_load(
	struct images *im, const char *root, const char *file, uint64_t address, struct buf *out)
{
	AUTOFREE char *path = mem_printf("%s/%s", root, file);
	struct stat st;

	buf_printf(out,
		"Using virtio-net#32 device\n"
		"TFTP from server 10.0.2.2; our IP address is 10.0.2.15\n"
		"Filename '%s'.\nLoad address: 0x%llx\nLoading: *\b",
		file, (unsigned long long)address);
	if (strstr(file, "..") || stat(path, &st) < 0 || !S_ISREG(st.st_mode)) {
		buf_puts(out, "\nTFTP error: 'File not found' (1)\nNot retrying...\n");
		return -1;
	}
	print_bar(st.st_size, out);
	buf_printf(out, "\n\t 24 MiB/s\ndone\nBytes transferred = %lld (%llx hex)\n",
		(long long)st.st_size, (unsigned long long)st.st_size);
	for (unsigned i = 0; i < im->n; i++)
		if (im->loaded[i].address == address)
			forget(im, i--);
	if (im->n == IMAGES_MAX)
		forget(im, 0);
	im->loaded[im->n].address = address;
	im->loaded[im->n].path = mem_strdup(path);
	im->loaded[im->n++].bytes = st.st_size;
	return 0;
}

static const char *path_at(const struct images *im, uint64_t address)
{
	for (unsigned i = 0; i < im->n; i++)
		if (im->loaded[i].address == address)
			return im->loaded[i].path;
	return NULL;
}

int64_t images_at(const struct images *im, uint64_t address)
{
	for (unsigned i = 0; i < im->n; i++)
		if (im->loaded[i].address == address)
			return im->loaded[i].bytes;
	return -1;
}

/* The image at an address, unpacked, as far as it is looked at. */
static bool read_image(const struct images *im, uint64_t address, struct buf *out)
{
	const char *path = path_at(im, address);
	gzFile in = path ? gzopen(path, "rbe") : NULL;
	char block[65536];
	int n;

	if (!in)
		return false;
	while ((n = gzread(in, block, sizeof block)) > 0)
		if (buf_add(out, block, (size_t)n) < 0)
			break;
	gzclose(in);
	return out->len > 0;
}

/* Up to the next control byte. */
static char *line_at(const struct buf *b, size_t at, size_t limit)
{
	size_t end = at;

	while (end < b->len && end < limit && (unsigned char)b->data[end] >= ' ')
		end++;
	return mem_strndup(b->data + at, end - at);
}

char *images_text(const struct images *im, uint64_t address, const char *mark)
{
	AUTOBUF image = BUF_INIT(IMAGES_SCAN_BYTES);
	const char *at, *found = NULL;
	size_t n = strlen(mark);

	if (!read_image(im, address, &image))
		return NULL;
	for (at = image.data; (at = memmem(at, (size_t)(image.data + image.len - at), mark, n));)
		found = at += n;
	return found ? line_at(&image, (size_t)(found - image.data), SIZE_MAX) : NULL;
}

/* A field of a header: eight hex digits. */
static size_t cpio_field(const char *header, int offset)
{
	char digits[9] = "";

	memcpy(digits, header + offset, 8);
	return strtoul(digits, NULL, 16);
}

char *images_file(const struct images *im, uint64_t address, const char *name)
{
	AUTOBUF image = BUF_INIT(IMAGES_SCAN_BYTES);
	size_t at = 0;

	if (!read_image(im, address, &image))
		return NULL;
	while (at + CPIO_HEADER < image.len && !memcmp(image.data + at, "070701", 6)) {
		const char *header = image.data + at, *its = header + CPIO_HEADER;
		size_t bytes = cpio_field(header, CPIO_SIZE),
		       named = cpio_field(header, CPIO_NAMED);
		size_t data = at + (CPIO_HEADER + named + 3) / 4 * 4;

		if (named > image.len - at || data > image.len || bytes > image.len - data)
			return NULL;
		if (named == strlen(name) + 1 && !memcmp(its, name, named))
			return line_at(&image, data, data + bytes);
		at = data + (bytes + 3) / 4 * 4;
	}
	return NULL;
}
