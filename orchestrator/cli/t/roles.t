#!/bin/sh
# Jobs of several boards, from submit to report, with a real server, real agents and played boards:
# barriers, messages, ends, restarts.
. "$HILAB_DATA/labs/virtual/t/lab.sh"
export HILAB_LOG=error
unset HILAB_SERVER HILAB_TOKEN
HILAB_STORE= # the logs are asked of the controller
runs="$XDG_STATE_HOME/hilab/server/runs"

hilab() {
	"$HILAB" "$@" >"$dir/out" 2>"$dir/err"
}
judged() {
	want=$1 name=$2
	shift 2
	hilab "$@"
	is $? "$want" "$name"
}
out() { grep -q -- "$1" "$dir/out"; ok $? "${2:-it prints '$1'}"; }
get() { curl -sf -H "Authorization: Bearer $token" "$url/api/v1$1" >"$dir/got"; }
# till SECONDS COMMAND...: until it is so; a bound, not a pace
till() {
	tries=$(($1 * 20))
	shift
	until "$@" >/dev/null 2>&1; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.05
	done
}
# said RUN/ROLE TEXT: is that in the part's journal, at the server
said() { grep -qF -- "$2" "$runs/$1/events.jsonl"; }
serve() {
	start_daemon server --listen "$1"
	server=$daemon url=${ready#ready }
	token=$(sed -n 's/.*"token": *"\([^"]*\)".*/\1/p' "$XDG_STATE_HOME/hilab/server/endpoint.json")
}
# role NAME BOARD [COUNT]: the head of a role, whose further steps follow
role() {
	printf '  %s:\n    board: {%s}\n%s    steps:\n      - power: on\n      - login\n' \
		"$1" "$2" "${3:+    count: $3
}"
}

{
	echo 'job: pair'
	echo 'roles:'
	role server 'tags: [near]'
	cat <<-'J'
	      - run: {name: begin, command: 'printf "a\000b=c \n\n" >/tmp/hilab-blob.${run.id}; printf started'}
	      - tell: {key: address, value: '  a = b=c  $HOME "q"  '}
	      - tell: {key: nothing, value: ''}
	      - fetch: {from: '/tmp/hilab-blob.${run.id}', as: blob}
	      - tell: {key: blob, artifact: blob, to: client}
	      - run: 'rm /tmp/hilab-blob.${run.id}'
	      - barrier: ready
	      - barrier: ready
	      - hear: {key: enough, from: client}
	      - barrier: done
	J
	role client 'tags: [far]'
	cat <<-'J'
	      - barrier: ready
	      - hear: address
	      - hear: {name: none, key: nothing}
	      - hear: {name: blob, key: blob, from: server}
	      - run: {name: see, command: "printf '[%s][%s]' '${msg.address}' '${msg.nothing}'"}
	      - barrier: ready
	      - tell: {key: enough, value: '1'}
	      - barrier: done
	J
} >"$dir/pair.yaml"
{
	echo 'job: three'
	echo 'roles:'
	role server 'tags: [near]'
	printf '      - barrier: up\n      - hear: {name: h1, key: who, from: load-1}\n'
	printf '      - hear: {name: h2, key: who, from: load-2}\n'
	# shellcheck disable=SC2016 # for hilab
	printf '      - run: {name: both, command: "echo ${msg.who}"}\n      - barrier: down\n'
	role load 'type: am62axx-sk-twin' 2
	# shellcheck disable=SC2016
	printf '      - barrier: up\n      - tell: {key: who, value: "${run.role}"}\n      - barrier: down\n'
} >"$dir/three.yaml"
# two NAME SERVER-STEP CLIENT-STEP
two() {
	{
		printf 'job: %s\nroles:\n' "$1"
		role server 'tags: [near]'
		printf '      - %s\n      - barrier: ready\n' "$2"
		role client 'tags: [far]'
		printf '      - %s\n      - barrier: ready\n' "$3"
	} >"$dir/$1.yaml"
}
two fails "expect: {pattern: 'never said', timeout: 300ms}" 'run: true'
two waits 'run: sleep 30' 'run: true'
two gate "run: while [ ! -e $dir/gate ]; do sleep 0.05; done" 'run: true'

start_player --channels 1 a=instant b=instant c=instant d=instant
# Two labs of two hosts: a and c near, b and d far.
awk -v dir="$dir" '
	/^boards:/ { head = 0; print > (dir "/p/near.yaml"); print > (dir "/p/far.yaml"); boards = 1; next }
	!boards { print > (dir "/p/near.yaml"); print > (dir "/p/far.yaml"); next }
	/^  [a-d]:/ { board = substr($1, 1, 1); near = board ~ /[ac]/ }
	{ print > (dir (near ? "/p/near.yaml" : "/p/far.yaml")) }
	/^  [a-d]:/ { print "    tags: [" (near ? "near" : "far") "]" > (dir (near ? "/p/near.yaml" : "/p/far.yaml")) }
' "$dir/p/lab.yaml"
sed -i 's/^lab: .*/lab: far-lab/' "$dir/p/far.yaml"
cp "$dir/p/lab.yaml" "$dir/p/both.yaml"
sed -i 's/^  \([ac]\):.*/&\n    tags: [near]/; s/^  \([bd]\):.*/&\n    tags: [far]/' "$dir/p/both.yaml"

# ---- one agent ----
serve 127.0.0.1:0
port=${url##*:}
start_daemon agent --lab "$dir/p/both.yaml" --name near --dir "$dir/near"
agent=$daemon
judged 0 'two boards of one agent' submit "$dir/pair.yaml" --follow
out 'pair/server' 'results by role'
out 'pair/client'
grep -q 'server: ' "$dir/err"
ok $? 'who did what is told while it runs'
judged 0 'three parts, two of one role' submit "$dir/three.yaml" --wait
stop_daemon "$agent"

# ---- two agents ----
start_daemon agent --lab "$dir/p/near.yaml" --name near --dir "$dir/near"
near=$daemon
start_daemon agent --lab "$dir/p/far.yaml" --name far --dir "$dir/far"
far=$daemon
judged 0 'two boards of two labs' submit "$dir/pair.yaml" --follow
till 10 test -e "$runs/3/client/artifacts/blob.msg"
printf 'a\0b=c \n\n' | cmp -s - "$runs/3/client/artifacts/blob.msg"
ok $? 'any bytes arrive as they were'
# shellcheck disable=SC2016
is "$(cat "$runs/3/client/artifacts/hear.msg")" '  a = b=c  $HOME "q"  ' 'so does a text'
ok "$([ -f "$runs/3/client/artifacts/none.msg" ] && [ ! -s "$runs/3/client/artifacts/none.msg" ]; echo $?)" \
	'nothing is told as nothing'
# shellcheck disable=SC2016
grep -qaF '[  a = b=c  $HOME "q"  ][]' "$runs/3/client/console-main.log"
ok $? 'and used'
judged 0 'three parts over two labs' submit "$dir/three.yaml" --wait
judged 0 'who did what' show 4
out '^server .*near .*pass'
out '^load-2 .*pass'
out 'three/load-1'
judged 0 'the log of one' log 3 --role client --raw
out 'printf' 'is its console'
judged 0 'also from the store' log 3 --role server --raw --store "$XDG_STATE_HOME/hilab/hilab.db"
out 'started'
judged 2 'of a run of several boards, which?' log 3 --store "$XDG_STATE_HOME/hilab/hilab.db"
get '/runs/3/log?role=client' && grep -qa printf "$dir/got"
ok $? 'by the API'
! get '/runs/3/log?role=other'
ok $? 'not of a role that there is not'
get /runs/3/files && grep -q '"client/artifacts/blob.msg"' "$dir/got" && grep -q '"server/status"' "$dir/got"
ok $? 'files are listed by role'
get /runs/3/files/client/artifacts/blob.msg && printf 'a\0b=c \n\n' | cmp -s - "$dir/got"
ok $? 'and read'

# ---- ends ----
judged 3 'one fails before they meet' submit "$dir/fails.yaml" --wait
judged 3 'the other ends with it' show 5
out '^client .*incomplete.*test.*has ended'
out '^verdict *incomplete'
out '^message *server: ' 'the first one says why'
judged 0 'one that waits' submit "$dir/waits.yaml"
till 20 said 6/client '"kind":"barrier"'
ok $? 'at its barrier'
judged 0 'is canceled' cancel 6 --wait
judged 130 'all of it' show 6
out '^server .*canceled'
out '^client .*canceled'
is "$(power a | cut -d' ' -f2)$(power b | cut -d' ' -f2)$(power c | cut -d' ' -f2)$(power d | cut -d' ' -f2)" \
	offoffoffoff 'and all boards are off'

# ---- all or none ----
ctl "relay a dead"
judged 0 "one relay is dead: both once more, on other boards" submit "$dir/three.yaml" --wait
hilab show 7 --json
is "$(grep -c '"attempt"' "$dir/out")" 2 "with each try on record"
ctl "relay a ok"
for board in a c; do
	judged 0 "$board is good again" boards health $board good
done

# ---- restarts ----
judged 0 'one that waits again' submit "$dir/gate.yaml"
gate=$(cat "$dir/out")
till 20 grep -qs '"kind":"barrier"' "$runs"/*/client/events.jsonl
run=$("$HILAB" show "$gate" --json | sed -n 's/^ *"run": *\([0-9]*\),.*/\1/p' | head -n 1)
till 20 said "$run/client" '"kind":"barrier"'
ok $? 'at its barrier, while the other works'
kill_daemon "$server"
kill_daemon "$near"
kill_daemon "$far"
: >"$dir/gate"
serve "127.0.0.1:$port"
start_daemon agent --lab "$dir/p/near.yaml" --name near --dir "$dir/near"
start_daemon agent --lab "$dir/p/far.yaml" --name far --dir "$dir/far"
judged 0 'server and agents are killed: it goes on' show "$gate" --follow
is "$(find "$dir/far" -path "*/$run-1/inbox.jsonl" -exec grep -c '"kind":"go"' {} +)" 1 \
	'and is told so once'
finish
