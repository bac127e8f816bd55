# SPDX-License-Identifier: MIT
# Types lines and a tab into interactive zsh shells on terminals; prints what each line became.
# usage: zsh -f completion.zsh FOLDER-OF-_hilab FOLDER-TO-WORK-IN LINE...
# One shell a line: what is typed while a shell is not editing is edited by the terminal.
zmodload zsh/zpty || exit
scripts=$1 work=$2
shift 2
for line; do
	zpty shell zsh -f -i
	zpty -w shell "fpath=(${(q)scripts} \$fpath); autoload -Uz compinit && compinit -u -D
said() { zle -I; print -r -- \"NOW=\$BUFFER=\" }
zle -N said; bindkey '^G' said; bindkey '^I' complete-word; setopt no_beep
cd ${(q)work}; print RE''ADY"
	zpty -r -m shell out '*READY*' || exit
	zpty -w -n shell "$line"$'\t\a'
	zpty -r -m shell out '*NOW=*=*' || exit
	print -r -- "$line => ${${out##*NOW=}%%=*}"
	zpty -d shell
done
