#!/bin/sh
# The commands that talk to a controller, against a real one with a real agent and played boards.
. "$HILAB_DATA/labs/virtual/t/lab.sh"
export HILAB_LOG=error
unset HILAB_SERVER HILAB_TOKEN

hilab() {
	"$HILAB" "$@" >"$dir/out" 2>"$dir/err"
}
# judged WANT NAME COMMAND...: by its exit status.
judged() {
	want=$1 name=$2
	shift 2
	hilab "$@"
	is $? "$want" "$name"
}
out() { grep -q -- "$1" "$dir/out"; ok $? "${2:-it prints '$1'}"; }
err() { grep -q -- "$1" "$dir/err"; ok $? "${2:-it tells '$1'}"; }

job() {
	cat >"$dir/$1.yaml" <<-J
	job: $1
	board: {type: am62axx-sk-twin}
	params: {word: {default: hi}}
	steps:
	  - power: on
	  - login
	  - run: {name: say, command: "$2"}
	J
}
job good 'echo ${word}'
job bad 'echo no; false'
job slow 'sleep 30'
sed -i 's/^board:.*/board: {tags: [gold]}/' "$dir/slow.yaml" && cp "$dir/slow.yaml" "$dir/wants.yaml"
sed -i 's/^board:.*/board: {type: am62axx-sk-twin}/' "$dir/slow.yaml"

# ---- nobody is there ----
judged 2 'no controller' jobs
err 'hilab server'
judged 2 'a controller that is none' jobs --server nowhere
err "no server 'nowhere'"
judged 3 'one that does not answer' jobs --server http://127.0.0.1:1

start_player a=instant b=instant
start_daemon server --listen 127.0.0.1:0
server=$daemon url=${ready#ready }
judged 0 'no jobs yet' jobs
judged 0 'no boards yet' boards
judged 0 'a job that no board can take yet' submit "$dir/good.yaml"
first=$(cat "$dir/out")
judged 0 'it waits' jobs
out 'queued' 'and is listed'
out 'no board' 'with what it waits for'
start_daemon agent --lab "$dir/p/lab.yaml" --name host
agent=$daemon
judged 0 'it runs when the agent comes' show "$first" --follow
judged 0 'agents' agents
out 'host.*player.*online.* 2  *0 ' 'with boards and runs'
judged 0 'boards' boards
out '^a .*idle.*good'
judged 0 'one board' boards show a
out '"board": "a"'

# ---- jobs ----
judged 0 'a job that passes' submit "$dir/good.yaml" --param word=ho --follow
out 'pass  say'
err 'say .*ok' 'its steps were shown'
judged 1 'one that fails' submit "$dir/bad.yaml" --wait --quiet
judged 0 'only asked' submit "$dir/good.yaml" --check
judged 2 'a param that is none' submit "$dir/good.yaml" --param wrod=x
err 'wrod'
judged 2 'a format that is none' submit "$dir/good.yaml" --wait --format xml
err "report format"
judged 2 'a type that is none' submit "$dir/good.yaml" --type am62axx-sk-twn
err "did you mean 'am62axx-sk-twin'"
judged 0 'one that nobody can take' submit "$dir/wants.yaml"
gold=$(cat "$dir/out")
judged 0 'what it waits for' jobs --json
out 'waits'
judged 0 'it is canceled' cancel "$gold" --wait
judged 130 'and shown so' show "$gold"
judged 2 'only once' cancel "$gold"
judged 0 'a slow one' submit "$dir/slow.yaml" --board b
slow=$(cat "$dir/out")
"$HILAB" show "$slow" --follow >"$dir/slow.out" 2>&1 &
watcher=$!
judged 0 'it is canceled while it runs' cancel "$slow" --wait
wait "$watcher"
is $? 130 'who watches it is told'
is "$(power b | cut -d' ' -f1,2)" 'b off' 'its board is off'
judged 0 'a job once more' retry "$first" --wait
judged 2 'a job that is none' show 999
judged 2 'no number' show latest
judged 0 'the list of all' jobs --all --json
out '"verdict": "canceled"'

# ---- a board for a person ----
judged 0 'a board is reserved' reserve a --for 1h --why 'an hour of peace'
out 'reserved until'
judged 2 'not twice' reserve a
err 'leased by local'
judged 0 'switched on' power a on
out 'a: on'
is "$(power a | cut -d' ' -f1,2)" 'a on' 'really'
mkfifo "$dir/keys"
"$HILAB" console a <"$dir/keys" >"$dir/console" 2>&1 &
console=$!
exec 4>"$dir/keys"
printf 'echo six times seven is $((6*7))\n' >&4
tries=0
until grep -q 'seven is 42' "$dir/console" || [ $tries -gt 200 ]; do
	tries=$((tries + 1))
	sleep 0.05
done
grep -q 'seven is 42' "$dir/console"
ok $? 'what is typed is answered'
kill "$console"
wait "$console" 2>/dev/null
exec 4>&-
"$HILAB" console a <"$dir/keys" >"$dir/console2" 2>&1 &
console=$!
exec 4>"$dir/keys"
printf 'echo eight times nine is $((8*9))\n' >&4
tries=0
until grep -q 'nine is 72' "$dir/console2" || [ $tries -gt 200 ]; do
	tries=$((tries + 1))
	sleep 0.05
done
grep -q 'nine is 72' "$dir/console2"
ok $? 'another window types when the first one is closed'
judged 0 'cycled' power a cycle
judged 0 'renewed' reserve a --renew --for 2h
judged 0 'others are told' boards
out 'lease of local'
judged 0 'it is given back' release a
wait "$console"
is $? 0 'the console ends with the lease'
exec 4>&-
is "$(power a | cut -d' ' -f1,2)" 'a off' 'the board is off'
judged 2 'it is not reserved any more' power a on
err 'not reserved'

# ---- a copy of the store, while it is in use ----
judged 0 'a copy of the store' backup "$dir/copy.db"
"$HILAB" report --store "$dir/copy.db" >"$dir/copied" 2>&1
is "$(grep -c 'good' "$dir/copied")" "$("$HILAB" report --store "$HILAB_STORE" | grep -c 'good')" 'it has the runs'
judged 2 'it is not overwritten' backup "$dir/copy.db"

# ---- health ----
judged 0 'maintenance' boards health a maintenance --reason 'new card'
judged 0 'is shown' boards
out 'maintenance.*new card (local)'
judged 2 'a health that is none' boards health a ill --reason x
judged 0 'good again' boards health a good

# ---- who did what ----
judged 0 'the audit' audit --subject 'board a'
sed 1d "$dir/out" | head -n 1 | grep -q 'health  *board a  *good'
ok $? 'the newest stands first'
out 'local .*health  *board a  *maintenance: new card' 'with who, what, to what and why'
judged 0 'a page of it' audit --limit 2 --json
grep -o '"id": [0-9]*' "$dir/out" | cut -d' ' -f2 >"$dir/ids"
is "$(grep -c . "$dir/ids")" 2 'has as many entries as asked for'
last=$(tail -n 1 "$dir/ids")
judged 0 'the next page' audit --limit 1 --before "$last" --json
grep -q "\"id\": $((last - 1))" "$dir/out"
ok $? 'goes on where that one ended'
judged 2 'a number that is none' audit --before none

# ---- tokens ----
judged 0 'a token' token add ada --rights viewer
token=$(cat "$dir/out")
HILAB_TOKEN=$token HILAB_SERVER=$url
export HILAB_TOKEN HILAB_SERVER
judged 0 'a viewer looks' boards
judged 2 'and does no more' submit "$dir/good.yaml"
err "rights of a viewer"
judged 2 'nor sees the audit' audit
err 'operator'
unset HILAB_TOKEN HILAB_SERVER
mkdir -p "$dir/config/hilab"
printf '%s\n' "$token" >"$dir/config/hilab/token"
cat >"$dir/config/hilab/hilab.yaml" <<C
default: lab
servers:
  lab: {url: "$url", token-file: token}
C
judged 2 'a token that others can read' boards
err 'chmod 600'
chmod 600 "$dir/config/hilab/token"
judged 0 'by the configuration' boards --server lab
judged 2 'still a viewer' cancel 1
rm -r "$dir/config/hilab"
judged 0 'the list of tokens' token list
out 'ada .*viewer'
stop_daemon "$agent"
stop_daemon "$server"
is $? 0 'the server ends well'
finish
