# SPDX-License-Identifier: MIT
# For shell tests: TAP on standard output and a folder of the test's own, gone when it ends. Source
# it first, by a path that holds whatever the current folder is:
#
#	. "$HILAB_DATA/orchestrator/base/t/tap.sh"
#
#	$dir                      the folder; what is under test prints into $dir/out and $dir/err
#	pass NAME                 a test that passed
#	fail NAME [WHY]           one that failed, and the text that explains it
#	ok STATUS NAME            by an exit status: `grep -q x file; ok $? 'it has x'`
#	is GOT WANT NAME          by equal text
#	like GOT PATTERN NAME     by a shell pattern
#	check NAME STATUS PART COMMAND...
#	                          runs it into $dir/out; by its status and, unless PART is empty, by
#	                          that text in its output
#	finish                    the plan, then exits: the last line of a test
#
# A test may define after that: show, which prints what explains a failed `ok`; at_end, which runs
# before the folder goes, however the test ends.

dir=$(mktemp -d) || exit 1
n=0 bad=0

pass() {
	n=$((n + 1))
	echo "ok $n - $1"
}
fail() {
	n=$((n + 1)) bad=1
	echo "not ok $n - $1"
	[ -z "${2:-}" ] || printf '%s\n' "$2" | sed 's/^/# /'
}
ok() {
	if [ "$1" -eq 0 ]; then pass "$2"; else fail "$2" "$(show)"; fi
}
is() {
	if [ "$1" = "$2" ]; then pass "$3"; else fail "$3" "got '$1', want '$2'"; fi
}
like() {
	case $1 in
	$2) pass "$3" ;;
	*) fail "$3" "got '$1', want $2" ;;
	esac
}
check() {
	name=$1 want=$2 part=$3
	shift 3
	"$@" >"$dir/out" 2>&1
	got=$?
	if [ $got -eq "$want" ] && { [ -z "$part" ] || grep -qF -e "$part" "$dir/out"; }; then
		pass "$name"
	else
		fail "$name" "exit $got, want $want, and in it '$part': $(head -n 40 "$dir/out")"
	fi
}
finish() {
	echo "1..$n"
	exit $bad
}
show() {
	for said in "$dir/out" "$dir/err"; do
		[ ! -s "$said" ] || tail -n 12 "$said"
	done
}
at_end() { :; }

trap 'at_end; rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
