/* SPDX-License-Identifier: MIT */
/*
 * Images a played boot loader has loaded. Invariant: an address is in the list once, with the file
 * that was loaded there last.
 */
#include "labs/virtual/player/images.h"

#include "base/fs.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define HASH_BYTES 14280 /* one # of U-Boot's bar over Ethernet */
#define HASHES     65    /* in a line */

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

char *images_text(const struct images *im, uint64_t address, const char *mark)
{
	const char *path = path_at(im, address), *at, *end;
	AUTOBUF text = BUF_INIT(IMAGES_SCAN_BYTES);

	if (!path || fs_read(path, &text, NULL) < 0 || !text.len)
		return NULL;
	at = memmem(text.data, text.len, mark, strlen(mark));
	if (!at)
		return NULL;
	at += strlen(mark);
	for (end = at; end < text.data + text.len && (unsigned char)*end >= ' '; end++)
		;
	return mem_strndup(at, (size_t)(end - at));
}
