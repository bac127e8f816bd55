#!/bin/sh
# SPDX-License-Identifier: MIT
# TLS from end to end: a controller with a certificate of its own, commands and an agent that know
# who signed it, and others that do not. Without one nothing but loopback is served, unless the
# configuration says so.
. "$HILAB_DATA/labs/virtual/t/lab.sh"
unset HILAB_SERVER HILAB_TOKEN
cd "$dir" || exit 1

# A certificate of 127.0.0.1 and localhost: NAME.pem, NAME.key.
certificate() {
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
		-subj "/CN=$1" -addext 'subjectAltName=IP:127.0.0.1,DNS:localhost' \
		-keyout "$1.key" -out "$1.pem" 2>openssl.log || {
		fail "openssl makes the certificate '$1'" "$(cat openssl.log)"
		finish
	}
}
# Starts a controller that is to give up.
refused() { # NAME PART ARGS...
	name=$1 part=$2
	shift 2
	check "$name" 2 "$part" timeout 60 "$HILAB" server --dir refused "$@"
}

certificate server
certificate other
mkdir -p config/hilab

refused 'plain HTTP for other hosts is refused' "say 'plain: yes'" --listen 0.0.0.0:0
refused 'on every address' 'would show tokens' --listen :0
echo 'cert: server.pem' >half.yaml
refused 'a certificate without a key is refused' 'needed together' --config half.yaml
printf 'cert: server.pem\nkey: other.key\n' >mixed.yaml
refused 'so is one with the key of another' '' --config mixed.yaml --listen 127.0.0.1:0
printf 'cert: nowhere.pem\nkey: other.key\n' >absent.yaml
refused 'and one that is not there' 'nowhere.pem' --config absent.yaml --listen 127.0.0.1:0
echo 'plain: yes' >plain.yaml
start_daemon server --dir plain --config plain.yaml --listen 0.0.0.0:0
like "$ready" 'ready http://*' 'with plain: yes it is served'
stop_daemon "$daemon"

printf 'cert: server.pem\nkey: server.key\n' >config/hilab/server.yaml
cp server.pem server.key config/hilab
start_daemon server --listen 127.0.0.1:0
url=${ready#ready }
like "$url" 'https://127.0.0.1:*' 'with a certificate it is TLS'
token=$(sed -n 's/.*"token": "\([^"]*\)".*/\1/p' state/hilab/server/endpoint.json)
ok "$([ -n "$token" ]; echo $?)" 'the local token is there'
check 'the same user needs no configuration' 0 '' "$HILAB" jobs

echo "$token" >token.lab && chmod 600 token.lab
cp token.lab server.pem other.pem config/hilab
cat >config/hilab/hilab.yaml <<-END
	servers:
	  good: {url: "$url", token-file: token.lab, ca: server.pem}
	  wrong: {url: "$url", token-file: token.lab, ca: other.pem}
	  unknown: {url: "$url", token-file: token.lab}
	  plain: {url: "http${url#https}", token-file: token.lab}
END
check 'a command that knows who signed it' 0 '' "$HILAB" boards --server good
check 'one that knows another is refused' 3 'certificate' "$HILAB" boards --server wrong
check 'and one that knows nobody' 3 'certificate' "$HILAB" boards --server unknown
for server in wrong unknown; do
	check "to '$server' no token is told" 1 '' grep -q "$token" out
done
check 'plain HTTP at its port is no answer' 3 '' "$HILAB" boards --server plain

start_player a=instant
"$HILAB" token add host --rights agent --server good >token.host 2>err && chmod 600 token.host
start_daemon agent --lab p/lab.yaml --name host --server "$url" --token-file token.host --ca other.pem
agent=$daemon
tries=0
until grep -q certificate agent.log || [ $((tries += 1)) -gt 300 ]; do sleep 0.1; done
grep -q 'certificate' agent.log
ok $? 'an agent that knows another says why it cannot come'
check 'it is not there' 1 '' sh -c '"$HILAB" agents --server good | grep -q host'
stop_daemon "$agent"
start_daemon agent --lab p/lab.yaml --name host --server "$url" --token-file token.host --ca server.pem
tries=0
until "$HILAB" agents --server good | grep -q 'host.*online' || [ $((tries += 1)) -gt 300 ]; do
	sleep 0.1
done
check 'one that knows who signed it is' 0 'online' "$HILAB" agents --server good
cat >job.yaml <<-'END'
	job: hello
	board: {name: a}
	steps:
	  - power: on
	  - login
	  - run: {name: say, command: "echo hi"}
END
check 'its job comes back by TLS' 0 '' "$HILAB" submit job.yaml --follow --server good
finish
