#!/bin/sh
# SPDX-License-Identifier: MIT
# A build of drivers on a real twin: modules that were compiled here are deployed, loaded, tested
# and unloaded, and each driver test either passes or says exactly what the twin lacks. No figure
# is judged by its size. Then a watchdog that is not fed resets the board.
. "$HILAB_DATA/labs/virtual/t/twin.sh"
show() { grep -E '^ +(blame|fail|error|miss) ' "$dir/text" | cut -c1-200 | head -n 12; }

start
"$HILAB" run "$HILAB_DATA/jobs/common/driver-tests.yaml" --lab "$dir/lab/lab.yaml" >"$dir/text" 2>&1
is $? 0 'the job of all driver tests passes'
sed -n '/^results/,/^figures/p' "$dir/text" >"$dir/results"
has() { # PATTERN NAME
	grep -qE -- "$1" "$dir/results"
	ok $? "$2"
}
for m in i2c_dev snd_aloop kvaser_pci ubifs dummy_hcd; do has "^ +pass +load/$m( |\$)" "$m is loaded"; done
for m in i2c_stub mtdram snd_dummy; do has "^ +pass +unload/$m( |\$)" "$m, compiled here, is unloaded"; done
for r in audio/playback-48000 audio-loop/capture-48000 can/loopback \
	can-controllers/bitrate-1000000 display/mmap ethernet/vlan gpio/input hid/events hid/id \
	i2c/write-word irq-latency-load/wake mtd/read-2048 ubi/read-102400 rtc/alarm mmc/read-1048576 \
	usb-storage/read-1048576 suspend/suspend-s2idle uart/loopback usb-gadget-mass_storage/read-102400 \
	usb-gadget-acm/serial usb-gadget-ecm/network watchdog/magic-close; do
	has "^ +pass +$r( |\$)" "$r"
done
has "^ +skip +cpufreq/governor +no cpufreq driver" 'cpufreq says that there is none'
has "^ +skip +cpuidle/states +no cpuidle driver" 'cpuidle says that there is none'
has "^ +skip +i2c/rdwr +the adapter has SMBus transfers only" 'the stub says what it cannot do'
grep -E '^ +skip ' "$dir/results" | grep -vqE '^ +skip +[^ ]+ +[^ ]'
is $? 1 'no skip is without its reason'
! grep -qE '^ +(fail|error|miss) ' "$dir/results"
ok $? 'nothing failed'
for m in storage.read.bw storage.write.cpu_load alsa.playback.cpu_load irq_latency.samples resume.latency can.frame_rate; do
	grep -qE "^ +[a-z][^ ]* +$m +[0-9.]+ " "$dir/text"
	ok $? "there are figures of $m"
done
"$HILAB" run "$HILAB_DATA/jobs/am62axx/watchdog.yaml" --lab "$dir/lab/lab.yaml" >"$dir/text" 2>&1
is $? 0 'the job of the watchdog passes'
sed -n '/^results/,/^figures/p' "$dir/text" >"$dir/results"
has '^ +pass +bites( |$)' 'the watchdog resets the board'

# ---- one boot in which all goes wrong: no such device, no room, a program that crashes, a program
# that is not there; then a board that restarts while a test runs: what was said stands, the rest is
# missing, not failed
sed -e '/# it must not outlive/,$d' -e 's/^job: .*/job: restarts/' \
	"$HILAB_DATA/jobs/am62axx/watchdog.yaml" >"$dir/restarts.yaml"
cat >>"$dir/restarts.yaml" <<-'EOT'
	  - run: {name: absent, command: /tmp/hil-test storage --device /dev/mmcblk7 --destroy yes}
	  - run:
	      name: full
	      exit: -1
	      command: >-
	        mkdir -p /tmp/small && mount -t tmpfs -o size=1m none /tmp/small &&
	        /tmp/hil-test storage --dir /tmp/small --size 4m --bs 64k; rc=$?; umount /tmp/small; (exit $rc)
	  - run: {name: crashed, exit: 139, command: "hil_result before pass; sh -c 'kill -SEGV $$'"}
	  - run: {name: lacking, needs: lmbench-all, command: lmbench-all, parse: lmbench}
	  # no room at all: not even for the next command
	  - run: {name: fill, command: "dd if=/dev/zero of=/tmp/fill bs=64k 2>&1 | tail -n 1; ls -l /tmp/fill; test -s /tmp/fill"}
	  - run: {name: roomless, exit: -1, command: "head -c 1m /dev/zero >/tmp/more; hil_result told pass"}
	  - run: {name: emptied, command: "rm -f /tmp/fill /tmp/more"}
	  - run:
	      name: bitten
	      timeout: 90s
	      command: /tmp/hil-test watchdog --timeout 5 --bite yes
	  - run: {name: after, command: "true"}
EOT
"$HILAB" run "$dir/restarts.yaml" --lab "$dir/lab/lab.yaml" >"$dir/text" 2>&1
is $? 3 'a board that restarts in the middle of a test: the run is incomplete'
sed -n '/^results/,$p' "$dir/text" >"$dir/results"
has '^ +skip +absent/[^ ]+ +.*/dev/mmcblk7' 'a device that is not there is a skip that names it'
has "^ +error +full/[^ ]+ +.*no space left" 'a full file system is an error of the test'
has '^ +pass +crashed/before( |$)' 'a program that crashes: what was said stands'
has '^ +pass +crashed( |$)' 'and the shell tells of its signal'
has "^ +skip +lacking +no program 'lmbench-all'" 'a program that the board lacks is a skip that names it'
has '^ +pass +fill( |$)' 'the board is filled'
has '^ +pass +roomless/told( |$)' 'and tells all the same'
has '^ +pass +emptied( |$)' 'and is emptied again'
has '^ +pass +bitten/armed( |$)' 'what the test had said stands'
has '^ +miss +bitten( |$)' 'the test itself is missing'
has '^ +miss +after( |$)' 'and so is what would have come after it'
! grep -qE '^ +fail ' "$dir/results"
ok $? 'nothing failed'
grep -qE '^ +blame +infra' "$dir/text"
ok $? 'it is the lab that has to be looked at'
finish
