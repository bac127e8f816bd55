/* SPDX-License-Identifier: MIT */
/*
 * The helper that runs on the board: a POSIX sh script that needs no more than a small busybox.
 * It is typed into the board's shell, so it is kept short. Invariant: it prints to the console only
 * frames (frame.h), and every frame is also kept in the helper's folder until the next command, so
 * that a lost one can be asked for again.
 *
 * Its folder is DIR/hil.RUN, on PATH of every command:
 *	x            the script; hil_result and hil_metric are scripts that read it
 *	c            the command that the worker put there
 *	o, z, b      its output, packed, as text
 *	q            the next sequence number; nN: frame N
 *
 * hil_result NAME STATUS [WHY]           one result
 * hil_metric NAME VALUE UNIT [K=V...]    one metric
 * x r CRC MODE       checks that c is what was sent, runs it, tells its exit status; MODE c: keeps
 *                    the output from the console and sends it in frames
 * x a [N...]         prints frames again; with no N the newest
 * x v                tells the CRC of the script itself, where the board has no cksum that could
 *
 * Where forking costs the most (a small or an emulated board), it is spared: C is the CRC of cksum
 *in the shell's own arithmetic, for texts short enough that it is faster than a process; short
 *printable output goes as it is (packing p) unless it looks like a kernel's words, which would be
 *taken for such; what else there is goes through gzip and base64 (z) or od
 *(x).
 *
 * Frame kinds: v, go (command begins), bad (c is not what was sent), f (a piece of output), end
 *(exit status, packing, CRC and bytes of the output, bytes of it that were left out), result,
 *metric. stdout may be in a pipe or a file where hil_result is called: descriptor 9 stays the
 * console, which x makes it, whatever the board's shell was given there.
 */
#include "shell.h"

#include <stdio.h>

const char helper_text[] =
	"D=${0%/*};R=${D##*.};LC_ALL=C;PATH=$D:$PATH;export LC_ALL PATH\n"
	"c=${0##*/};[ $c != x ]&&{ true >&9;} 2>/dev/null||exec 9>&1\n"
	"h(){ command -v $1 >/dev/null;}\n"
	"K=cksum;h cksum||{ K=S;if h crc32;then S(){ echo $((0x$(crc32)));}\n"
	"else S(){ set -- $(gzip -c|tail -c 8|od -An -tu4);echo $1 $2;};fi;}\n"
	"T=' !\"#$%&'\"'\"'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`"
	"abcdefghijklmnopqrstuvwxyz{|}'\n"
	"P=79764919\n"
	"U(){ i=$((k>>24^$1));k=$(((k<<8&4294967295)^(i&1)*P^(i&2)*P^(i&4)*P^(i&8)*P^(i&16)*P"
	"^(i&32)*P^(i>>6&1)*881225847^(i>>7)*1762451694));}\n"
	"C(){ y=$1 k=0;[ ${#y} -lt 250 ]&&[ $((1<<32)) -gt 1 ]||return\n"
	"case $y in ''|*[!\\ -~]*)return 1;esac\n"
	"while [ \"$y\" ];do z=${y#?};v=${y%\"$z\"};v=${T%%\"$v\"*};U $((${#v}+32));y=$z;done\n"
	"U ${#1};k=$((k^4294967295));}\n"
	"F(){ for i in 1 2 3 4 5 6 7 8 9;do read -r n <$D/q&&break;done\n"
	"set -C;until { true >$D/n$n;} 2>/dev/null||[ ! -f $D/n$n ];do n=$((n+1));done;set +C\n"
	"echo $((n+1))>$D/q\n"
	"b=\"$R $n $*\";C \"$b\"||{ set -- $(printf %s \"$b\"|$K);k=$1;};b=\"@hil ${#b} $k $b@\"\n"
	"printf '%s\\n' \"$b\">$D/n$n;printf '%s\\n' \"$b\">&9;}\n"
	"E(){ printf '%s\\001' \"$@\"|tr '\\002-\\037\\177' '                               '"
	"|sed 's/%/%25/g;s/@/%40/g;s/|/%7C/g;s/.$//'|tr '\\001' '|';}\n"
	"L(){ p=;while IFS= read -r y;do w=$((w-${#y}-1));case $y in *[!\\ -~]*|*\\[*)return 1;esac\n"
	"while v=${y%%[%@|]*};[ \"$v\" != \"$y\" ];do y=${y#\"$v\"};p=$p$v\n"
	"case $y in %*)p=$p%25;;@*)p=$p%40;;*)p=$p%7C;esac;y=${y#?};done;p=\"$p$y|\";done;[ $w = 0 "
	"];}\n"
	"[ $c = x ]&&{ c=$1;shift;}\n"
	"case $c in\n"
	"hil_*)case \"$*\" in *[!A-Za-z0-9\\ ._/:=,+-]*)p=$(E \"$@\");;*)IFS='|';p=\"$*\";unset "
	"IFS;esac\n"
	"[ ${#p} -gt 1000 ]&&p=$(printf %s \"$p\"|cut -c1-1000)\n"
	"F ${c#hil_} \"$p\";;\n"
	"a)[ $1 ]||{ read -r n<$D/q;set -- $((n-1));}\n"
	"for n;do cat $D/n$n >&9;done;;\n"
	"v)set -- $($K<$D/x);F v $1;;\n"
	"r)read -r n <$D/q;case $n in ?*[0-2])rm -f $D/n*;;esac;trap : 2;W=$1 M=$2\n"
	"if [ $K = cksum ]&&! IFS= read -r b<$D/c&&C \"$b\";then set -- $k;else set -- "
	"$($K<$D/c);fi\n"
	"[ $1 = $W ]||{ F bad;exit;}\n"
	"F go\n"
	"if [ $M = c ];then sh $D/c >$D/o 2>&1 </dev/null;s=$?\n"
	"m=1048576;x=0;set -- $($K<$D/o);w=${2:-$(($(wc -c<$D/o)))}\n"
	"[ $w -gt $m ]&&{ x=$((w-m));w=$m;head -c $m $D/o>$D/b;mv $D/b $D/o;set -- $($K<$D/o);}\n"
	"W=$w;if [ $w -lt 250 ]&&L<$D/o;then t=p;[ $W = 0 ]||F f \"$p\"\n"
	"else t=z;gzip -c <$D/o|base64 -w 900 >$D/b&&[ -s $D/b ]||{ t=x;od -An -v -tx1 $D/o|tr -d "
	"' "
	"\\n'|fold -w 900 >$D/b;}\n"
	"while read -r l||[ \"$l\" ];do F f $l;done <$D/b;fi\n"
	"F end \"$s|$t|$1|$W|$x\"\n"
	"else sh $D/c </dev/null;F end $?;fi\n"
	"esac\n";

/* One byte as printf's format within single quotes has it. */
static size_t quote_byte(uint8_t c, bool first, char out[5])
{
	if (c == '\\' || c == '%') {
		out[0] = out[1] = (char)c;
		return 2;
	}
	if (c == '\n') {
		memcpy(out, "\\n", 2);
		return 2;
	}
	if (c < 0x20 || c >= 0x7f || c == '\'' || c == '!' || (first && c == '-'))
		return (size_t)snprintf(out, 5, "\\%03o", c);
	out[0] = (char)c;
	return 1;
}

void shell_put_line(struct str *rest, const char *file, bool first, size_t max, struct buf *line)
{
	size_t room = max - strlen(file) - sizeof "printf ''>>";
	bool begun = false; /* a leading "-" would be an option */
	char quoted[5];

	buf_reset(line);
	buf_puts(line, "printf '");
	while (rest->n) {
		size_t n = quote_byte((uint8_t)*rest->p, !begun, quoted);

		if (n > room)
			break;
		buf_add(line, quoted, n);
		begun = true;
		room -= n;
		*rest = str_make(rest->p + 1, rest->n - 1);
	}
	buf_printf(line, "'>%s%s", first ? "" : ">", file);
}
