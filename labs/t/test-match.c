/* SPDX-License-Identifier: MIT */
/* Which board qualifies, and what is said of those that do not. */
#include "labs/lab.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/t/tap.h"

static struct types types;

/* "" when b qualifies, else the reason. */
static const char *why(const struct match *m, const struct board *b)
{
	static char text[256];
	AUTOBUF out = BUF_INIT(256);
	bool fits = match_board(&types, m, b, &out);

	ok(fits == match_board(&types, m, b, NULL), "the answer is the same without a reason");
	ok(fits == !out.len, "a reason is given when it does not fit");
	snprintf(text, sizeof text, "%s", buf_str(&out));
	return text;
}

int main(void)
{
	AUTOFREE char *dir = fs_data_path("labs/t/types");
	const char *dirs[] = {dir, NULL}, *plugged[] = {"nand", "-usb"},
		   *tags[] = {"rev-b", "-old"}, *can[] = {"can"}, *many[] = {"mmc", "nand", "usb"},
		   *old[] = {"old"}, *rev[] = {"rev-b"};
	struct board b = {.name = "desk-1",
		.type_name = "evm-twin",
		.peripherals = {plugged, 2},
		.tags = {tags, 2}};
	const struct match anything = {0}, name = {.board = "desk-2"}, type = {.type = "evm"},
			   base = {.type = "base"}, other = {.type = "am62axx-sk"},
			   soc = {.soc = "am335x"}, wrong_soc = {.soc = "am62axx"},
			   peripheral = {.peripherals = {can, 1}},
			   taken = {.peripherals = {many, 3}}, tag = {.tags = {rev, 1}},
			   no_tag = {.tags = {old, 1}};

	ok(!types_load(&types, dirs, NULL), "types");
	b.type = type_find(&types, "evm-twin");
	is_str(why(&anything, &b), "", "nothing asked for");
	is_str(why(&name, &b), "is not board 'desk-2'", "another board");
	is_str(why(&type, &b), "", "a type that its type extends");
	is_str(why(&base, &b), "", "further up");
	is_str(why(&other, &b), "is of type 'evm-twin', not 'am62axx-sk'", "another type");
	is_str(why(&soc, &b), "", "soc");
	is_str(why(&wrong_soc, &b), "has soc 'am335x', not 'am62axx'", "another soc");
	is_str(why(&peripheral, &b), "", "a peripheral of the type");
	is_str(why(&taken, &b), "has no peripheral 'usb'", "one that was taken away");
	is_str(why(&tag, &b), "", "a tag of the board");
	is_str(why(&no_tag, &b), "does not bear the tag 'old'", "a tag that was taken away");
	ok(board_has(&b, "nand") && board_has(&b, "mmc") && !board_has(&b, "usb") &&
			!board_has(&b, "-usb"),
		"what a board has");
	b.type = NULL;
	is_str(why(&soc, &b), "has soc 'none', not 'am335x'", "a board without a type");
	types_done(&types);
	return tap_done();
}
