#!/bin/sh
# SPDX-License-Identifier: MIT
# `hilab builds` about a controller's: pushed, listed, pinned, pruned, deleted.
set -u
. "$HILAB_DATA/labs/virtual/t/lab.sh"
cd "$dir" || exit 1
played_images
manifest build.yaml
sed 's/version: "1"/version: "2"/' build.yaml >second.yaml

check 'no controller' 2 'no controller' "$HILAB" builds push build.yaml
start_daemon server --listen 127.0.0.1:0
check 'nothing there' 0 'BUILD  VERSION' "$HILAB" builds --remote
check 'a build is pushed' 0 'played@1' "$HILAB" builds push ./build.yaml --quiet
check 'again' 0 'played@1' "$HILAB" builds push . --quiet
check 'and another version' 0 'played@2' "$HILAB" builds push second.yaml
is "$("$HILAB" builds list --remote --json | grep -c '"build": "played"')" 2 'both are listed'
check 'for people' 0 'played  2        am62axx' "$HILAB" builds list --remote
check 'its images are with the controller' 0 '' sh -c "find '$dir/state/hilab/server/blobs' -name '$(sum kernel)*' | grep -q ."
is "$("$HILAB" builds show played@2 --remote --json | grep -c '"version": "2"')" 1 'one is shown'
check 'which version' 2 'has 2 versions' "$HILAB" builds pin played --remote
check 'is pinned' 0 '' "$HILAB" builds pin played@1 --remote
check 'and is shown so' 0 'pinned' "$HILAB" builds show played@1 --remote
check 'a pinned one stays' 2 'pinned' "$HILAB" builds delete played@1
check 'and is not pruned' 0 'played@2 removed' "$HILAB" builds prune --remote --max 0
check 'the only version needs no name' 0 '' "$HILAB" builds unpin played --remote
check 'nor to be deleted' 0 '' "$HILAB" builds delete played
check 'it is gone' 0 '[]' "$HILAB" builds list --remote --json
check 'one that is none' 2 "no build 'played'" "$HILAB" builds show played --remote
check 'a size that is none' 2 'must be a size' "$HILAB" builds prune --remote --max much
check 'a name that is no build here' 2 "no build 'gone' here" "$HILAB" builds push gone
check 'a manifest that is wrong' 5 'missing key' sh -c 'echo "build: x" >wrong.yaml; "$HILAB" builds push ./wrong.yaml'
check 'what only this host has' 2 "for this host's builds" "$HILAB" builds fetch played --remote
check 'by a server that is none' 2 'no server' "$HILAB" builds list --server nowhere
finish
