#!/bin/sh
# SPDX-License-Identifier: MIT
# hilab builds: a build published in a folder of a real web server is added, fetched, pinned, pruned.
set -u
. "${HILAB_DATA:-.}/orchestrator/base/t/tap.sh"
hilab=${HILAB:-build/release/hilab}
serve=${HILAB_BUILD:-build/release}/orchestrator/builds/t/tool-serve
mkfifo "$dir/alive" "$dir/port"
mkdir -p "$dir/web/nightly"
export XDG_CONFIG_HOME="$dir/config" XDG_CACHE_HOME="$dir/cache"
unset HILAB_CACHE_MAX
cache=$dir/cache/hilab/builds

files() { ls "$cache" | wc -l; }
sum() { sha256sum "$1" | cut -d' ' -f1; }

# The server ends when the writing end of this pipe closes, with this script.
"$serve" "$dir/web" <"$dir/alive" >"$dir/port" &
server=$!
exec 7>"$dir/alive"
at_end() {
	exec 7>&-
	wait "$server"
}
read -r port <"$dir/port"
url=http://127.0.0.1:$port/nightly

seq 100000 >"$dir/card"
xz -k "$dir/card"
seq 100 >"$dir/web/nightly/Image"
mv "$dir/card.xz" "$dir/web/nightly/"
gzip -c "$dir/card" >"$dir/web/nightly/initrd.gz"
cat >"$dir/web/nightly/build.yaml" <<END
build: nightly
version: "2026-11-30"
soc: am62axx
images:
  kernel: {path: Image, sha256: $(sum "$dir/web/nightly/Image"), release: 6.1.0}
  card: {path: card.xz, sha256: $(sum "$dir/web/nightly/card.xz"), compression: xz,
         unpacked-sha256: $(sum "$dir/card")}
  initrd: {url: initrd.gz, sha256: $(sum "$dir/web/nightly/initrd.gz")}
END

check 'no builds' 0 'BUILD' "$hilab" builds
check 'added by URL' 0 'nightly: added' "$hilab" builds add "$url/build.yaml"
check 'paths became URLs' 0 "url: $url/Image" cat "$dir/config/hilab/builds/nightly.yaml"
check 'it checks' 0 'ok (build)' "$hilab" check "$dir/config/hilab/builds/nightly.yaml"
check 'the list' 0 ' 0/3 ' "$hilab" builds list
check 'one build' 0 "not here  $(sum "$dir/web/nightly/card.xz" | cut -c1-16)  $url/card.xz (xz)" \
	"$hilab" builds show nightly
check 'fetched' 0 "card $cache/$(sum "$dir/card")" "$hilab" builds fetch nightly
check 'what is packed was unpacked' 0 '' cmp "$cache/$(sum "$dir/card")" "$dir/card"
check 'what is only called so was not' 0 "initrd $cache/$(sum "$dir/web/nightly/initrd.gz")" \
	"$hilab" builds fetch nightly
check 'all is ready' 0 '"ready": 3' "$hilab" builds list --json
check 'as JSON' 0 '"compression": "xz"' "$hilab" builds show nightly --json
check 'the same once more' 0 'nightly: replaced version 2026-11-30' "$hilab" builds add "$url/build.yaml"

check 'pinned' 0 '' "$hilab" builds pin nightly
check 'which shows' 0 '"pinned": true' "$hilab" builds list --json
check 'a pinned build is not replaced' 2 'builds unpin nightly' "$hilab" builds add "$url/build.yaml"
check 'nor pruned, which is told' 0 'still over the limit: 4 pinned' "$hilab" builds prune --max 0
check 'unpinned' 0 '' "$hilab" builds unpin nightly
check 'a prune down to a size' 0 'left 3' "$hilab" builds prune --max $(($(find "$cache" -type f -exec cat {} + | wc -c) - 1))
check 'takes the longest not used' 1 '' test -e "$cache/$(sum "$dir/web/nightly/card.xz")"
check 'a prune of all' 0 'left 0' "$hilab" builds prune --max 0
check 'leaves nothing' 0 0 files
check 'a size without sense' 2 "not 'lots'" "$hilab" builds prune --max lots

check 'an image with other bytes' 0 '' sh -c "echo other >'$dir/web/nightly/Image'"
check 'is the build'"'"'s fault' 5 'does not have the sha256' "$hilab" builds fetch nightly
check 'no such page' 5 '404' "$hilab" builds add "$url/gone.yaml"
check 'no server' 3 'connect' "$hilab" builds add http://127.0.0.1:1/x.yaml
head -c 2000000 /dev/zero | tr '\0' 'x' >"$dir/web/big.yaml"
check 'an endless manifest' 3 'more than 1048576 bytes' "$hilab" builds add "$url/../big.yaml"
printf 'build: x\nversion: 1\nsoc: y\nimages: {k: {path: /etc/passwd, sha: 1}}\n' >"$dir/web/x.yaml"
check 'a wrong manifest' 2 "x.yaml:4:33: unknown key 'sha'" "$hilab" builds add "$url/../x.yaml"
printf 'build: x\nversion: 1\nsoc: y\nimages: {k: {path: /etc/passwd, sha256: %s}}\n' \
	"$(sum /etc/passwd)" >"$dir/web/x.yaml"
check 'one that came by URL' 0 'added' "$hilab" builds add "$url/../x.yaml"
check 'names no local file' 5 '404' "$hilab" builds fetch x
printf 'build: y\nversion: 1\nsoc: y\nimages: {k: {url: "file:///etc/passwd", sha256: %s}}\n' \
	"$(sum /etc/passwd)" >"$dir/web/y.yaml"
check 'nor by another protocol' 2 "must begin with http" "$hilab" builds add "$url/../y.yaml"
check 'a name that is not known' 5 "no build 'nihgtly'" "$hilab" builds show nihgtly
check 'a verb that is none' 2 "did you mean 'prune'" "$hilab" builds purne
check 'too little' 2 'add needs FILE|URL' "$hilab" builds add
check 'too much' 2 'list needs no operand' "$hilab" builds list x
echo 'build: [' >"$dir/config/hilab/builds/broken.yaml"
check 'a broken manifest is told' 0 'broken                   cannot be used' "$hilab" builds
check 'and does not hide the others' 0 '  2026-11-30' "$hilab" builds
check 'help' 0 'usage: hilab builds' "$hilab" builds -h

# A run on a played board: images come packed from the server, the board loads them unpacked.
web=$dir/web/nightly
printf 'x\0Linux version %s (a@b) #1\n' "$(uname -r)" >"$dir/kernel"
xz -c "$dir/kernel" >"$web/Image.xz"
seq 10 | gzip -c >"$web/rootfs.gz"
cat >"$web/played.yaml" <<EOF
build: played
version: "1"
soc: am62axx
images:
  kernel: {path: Image.xz, sha256: $(sum "$web/Image.xz"), compression: auto, release: "$(uname -r)"}
  rootfs: {path: rootfs.gz, sha256: $(sum "$web/rootfs.gz")}
EOF
printf '%s\n' 'job: packed' 'build: played' 'steps:' '  - power: off' \
	'  - deploy: {method: tftp, images: [kernel, rootfs]}' '  - boot: u-boot' '  - login' \
	'  - run: "true"' >"$dir/job.yaml"
mkdir "$dir/run"
export HILAB_RUN_DIR="$dir/run" XDG_STATE_HOME="$dir/state"
check 'a build of packed images' 0 'played: added' "$hilab" builds add "$url/played.yaml"
check 'runs on a played board' 0 ' pass' "$hilab" player b=am62axx-sk-twin -- \
	sh -c '"$0" run "$1" --lab "$HILAB_LAB"' "$hilab" "$dir/job.yaml"
check 'the plan has the digest of what was unpacked' 0 "$(sum "$dir/kernel")" \
	sh -c "cat '$dir'/state/hilab/runs/*/plan.json"
check 'and that of what was not' 0 "$(sum "$web/rootfs.gz")" sh -c "cat '$dir'/state/hilab/runs/*/plan.json"
finish
