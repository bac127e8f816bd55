#!/bin/sh
# SPDX-License-Identifier: MIT
# Completion by the shells themselves: bash through its complete machinery, zsh at a terminal.
set -u
. "${HILAB_DATA:-.}/orchestrator/base/t/tap.sh"
hilab=${HILAB:-build/release/hilab}
here=$(dirname "$0")
mkdir -p "$dir/bin" "$dir/config/hilab/builds" "$dir/zsh" "$dir/work/folder"
ln -s "$(cd "$(dirname "$hilab")" && pwd)/hilab" "$dir/bin/hilab"
PATH=$dir/bin:$PATH
export PATH XDG_CONFIG_HOME="$dir/config" HILAB_DATA="$dir/zsh"
touch "$dir/work/job.yaml" "$dir/work/lab.yaml" "$dir/work/my file.yaml"
echo 'build: x' >"$dir/config/hilab/builds/nightly.yaml"

same() { # NAME WANT GOT
	is "$3" "$2" "$1"
}

# What bash offers for the words given, the last of them being typed.
offers()
{
	bash --norc -c '
		. <(hilab completion bash) && cd "$0" || exit
		[[ $(complete -p hilab) == *"-F _hilab hilab" ]] || exit
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_hilab hilab "${@: -1}" "${@: -2:1}"
		IFS=,
		echo "${COMPREPLY[*]}"' "$dir/work" "$@" 2>&1
}

same 'bash: commands' "$(hilab help | awk '/^  [a-z]/ { printf "%s%s", s, $1; s = "," }')" "$(offers hilab '')"
same 'bash: a command that is begun' 'run,report,reparse,reference,retry,reserve,release' "$(offers hilab r)"
same 'bash: options of the program' '--version' "$(offers hilab --v)"
for c in $(hilab help | awk '/^  [a-z]/ { print $1 }'); do
	same "bash: options of $c" "$(hilab help "$c" | sed -n 's/^  \(-.,\|   \) \(--[a-z-]*\).*/\2/p' | paste -sd,)" \
		"$(offers hilab "$c" --)"
done
for verb in guide run trend; do
	same "bash: options of report $verb" "$(hilab help report "$verb" | sed -n 's/^  \(-.,\|   \) \(--[a-z-]*\).*/\2/p' | paste -sd,)" \
		"$(offers hilab report "$verb" --)"
done
same 'bash: operands of a verb' 'am275x,am335x,am62axx' "$(offers hilab report guide am)"
same 'bash: a verb that is being typed' 'guide' "$(offers hilab report gui)"
same 'bash: files of an option' 'lab.yaml' "$(offers hilab run --lab l)"
same 'bash: its letter' 'lab.yaml' "$(offers hilab run -l l)"
same 'bash: words of an option' 'tap,text' "$(offers hilab report -f t)"
same 'bash: kinds of files, parsers among them' 'rst,rails,regex,resume,rtos-latency,rtos-storage' "$(offers hilab import --as r)"
same 'bash: an option that takes anything' '' "$(offers hilab run --param '')"
same 'bash: operands' 'job.yaml' "$(offers hilab run --quiet j)"
same 'bash: a name with a space' 'my file.yaml' "$(offers hilab check m)"
same 'bash: drivers' 'power/serial-relay' "$(offers hilab bench power/s)"
same 'bash: commands as operands' 'twin' "$(offers hilab help tw)"
same 'bash: verbs' 'pin,prune,push' "$(offers hilab builds p)"
same 'bash: builds by name' 'nightly' "$(offers hilab builds pin n)"
same 'bash: and as an option' 'nightly' "$(offers hilab run --build n)"
same 'bash: no operand, no file' '' "$(offers hilab agents '')"
same 'bash: a command that is none' '' "$(offers hilab rnu '')"

hilab completion zsh >"$dir/zsh/_hilab"
timeout 60 zsh -f "$here/completion.zsh" "$dir/zsh" "$dir/work" 'hilab ru' 'hilab run --la' 'hilab run --lab l' \
	'hilab report -f tap' 'hilab run --qui' 'hilab check j' 'hilab bench power/s' 'hilab builds pr' \
	'hilab builds pin n' 'hilab run --build n' 'hilab help compl' 'hilab log lat' 'hilab log fo' \
	'hilab report gui' 'hilab report guide j' 'hilab report guide --tw' \
	>"$dir/out" 2>&1 </dev/null
zsh_is() { same "zsh: $1" "$1 => $2" "$(grep -F "$1 => " "$dir/out" || tail -3 "$dir/out")"; }
zsh_is 'hilab ru' 'hilab run '
zsh_is 'hilab run --la' 'hilab run --lab '
zsh_is 'hilab run --lab l' 'hilab run --lab lab.yaml '
zsh_is 'hilab report -f tap' 'hilab report -f tap '
zsh_is 'hilab run --qui' 'hilab run --quiet '
zsh_is 'hilab check j' 'hilab check job.yaml '
zsh_is 'hilab bench power/s' 'hilab bench power/serial-relay '
zsh_is 'hilab builds pr' 'hilab builds prune '
zsh_is 'hilab builds pin n' 'hilab builds pin nightly '
zsh_is 'hilab run --build n' 'hilab run --build nightly '
zsh_is 'hilab help compl' 'hilab help completion '
zsh_is 'hilab log lat' 'hilab log latest '
zsh_is 'hilab log fo' 'hilab log folder/'
zsh_is 'hilab report gui' 'hilab report guide '
zsh_is 'hilab report guide j' 'hilab report guide j721e '
zsh_is 'hilab report guide --tw' 'hilab report guide --twin '

hilab completion fish >"$dir/out" 2>&1
same 'another shell' 2 $?
finish
