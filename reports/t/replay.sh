# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154 # dir and what lab.sh sets
# For tests that run jobs on the boards of tool-replay.c, on top of lab.sh, in $dir:
#
#	played_boards     the player in $dir/p with every board that the file `boards` names, a
#	                  build for each of their SoCs, and a shell for them that has the answers
#	run_boards        the job of each, several at a time; BOARD.status is how it ended, BOARD.log
#	                  what it printed

together=6

# A command of a job is known by its whole text; the n-th time that it is asked it has its n-th
# answer. What has none is run.
played_shell() {
	mkdir -p bin
	cat >bin/sh <<-'END'
		#!/bin/sh
		dir=${HILAB_BOARD-}/answers
		answers=
		if [ $# = 1 ] && [ "${1##*/}" = c ] && [ -f "$dir/find" ]; then
			command=$(cat "$1")
			# what the job needs is there
			case $command in 'for p in '*'; do command -v '*) exit 0 ;; esac
			. "$dir/find"
		fi
		[ -n "$answers" ] || exec /bin/sh "$@"
		set -- $answers
		count=$dir/$1.count
		asked=0
		[ ! -f "$count" ] || read -r asked <"$count"
		echo $((asked + 1)) >"$count"
		shift $((asked % $#))
		[ ! -f "$dir/$1.text" ] || exec cat "$dir/$1.text"
		. "$dir/$1.run"
	END
	chmod 755 bin/sh
}

# An image of a real-time board is one line: which loader or application it is.
played_builds() {
	played_images
	for soc in $(for args in p/*.args; do sed -n 1p "$args"; done | sort -u); do
		manifest "build-$soc.yaml" "$soc"
		for role in dtb tests modules $(cat p/"$soc"-*.roles | sort -u); do
			case $role in
			kernel | rootfs | tests | modules | dtb) echo "$role" ;;
			sbl) echo loader 1 ;;
			sysfw) echo loader 2 ;;
			*) echo "app $role" ;;
			esac >"$soc-$role"
			case $role in
			kernel | rootfs) ;;
			*) echo "  $role: {path: $soc-$role, sha256: $(sum "$soc-$role")}" ;;
			esac
		done | sort -u >>"build-$soc.yaml"
	done
	# the lab's hand: sends an image and waits for its ACK, as sx does
	cat >p/send <<-'END'
		cat "$1"
		ack=$(printf '\006')
		while b=$(dd bs=1 count=1 2>/dev/null) && [ "$b" != "$ack" ]; do :; done
	END
}

played_boards() {
	played_shell
	played_builds
	specs=
	while read -r board; do
		specs="$specs $board=$dir/p/$board.yaml"
		: >"p/$board.card"
	done <boards
	host_path=$PATH
	PATH=$dir/bin:$PATH
	# shellcheck disable=SC2086
	start_player $specs
	PATH=$host_path
}

run_board() { # BOARD
	board=$1
	set --
	while read -r word; do
		set -- "$@" "$word"
	done <"p/$board.args"
	soc=$1
	job=$HILAB_DATA/$2
	shift 2
	"$HILAB" run "$job" --lab p/lab.yaml --board "$board" --build "build-$soc.yaml" "$@" >"$board.log" 2>&1
	echo $? >"$board.status"
}

run_boards() {
	pids=
	started=0
	while read -r board; do
		run_board "$board" &
		pids="$pids $!"
		started=$((started + 1))
		[ $((started % together)) -gt 0 ] || {
			# shellcheck disable=SC2086
			wait $pids
			pids=
		}
	done <boards
	# shellcheck disable=SC2086
	wait $pids
}
