#!/bin/sh
# SPDX-License-Identifier: MIT
# Print, as deb822 stanzas, the host's own sources of its own Debian release, without what ties
# them to the host's architecture. The mirror is the host's choice and stands nowhere else.
# WITHOUT leaves one suite out: -security or -updates.
# usage: sources.sh [FILE...]
set -eu

[ $# -gt 0 ] || set -- /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list \
	/etc/apt/sources.list
# shellcheck disable=SC1091
codename=${CODENAME:-$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")}
[ -n "$codename" ] || { echo "rootfs: the host does not tell its Debian release" >&2; exit 1; }

for f; do
	[ -f "$f" ] || continue
	case $f in
	*.sources) ;;
	*)	# "deb [key=value ...] URI SUITE COMPONENT..." becomes a stanza
		awk '$1 == "deb" {
			sub(/#.*/, ""); i = 2; signed = ""
			if ($2 ~ /^\[/)
				for (; i <= NF; i++) {
					o = $i; gsub(/[][]/, "", o)
					if (o ~ /^signed-by=/) signed = substr(o, 11)
					if ($i ~ /\]$/) { i++; break }
				}
			print "\nTypes: deb\nURIs: " $i "\nSuites: " $(i + 1)
			printf "Components:"
			for (i += 2; i <= NF; i++) printf " %s", $i
			print ""
			if (signed != "") print "Signed-By: " signed
		}' "$f"
		continue ;;
	esac
	echo
	cat "$f"
done | sed '/^#/d' | awk -v code="$codename" -v without="${WITHOUT:-}" -v RS= -v FS='\n' '
	BEGIN {
		ours[code]; ours[code "-updates"]; ours[code "-security"]
		if (without != "") delete ours[code without]
	}
	function value(line) { sub(/^[^:]*:[ \t]*/, "", line); return line }
	{
		keep = ""; on = 1; deb = suites = main = 0; drop = 0
		for (i = 1; i <= NF; i++) {
			key = tolower($i); sub(/:.*/, "", key)
			if ($i ~ /^[ \t]/) { if (!drop) keep = keep $i "\n"; continue }
			drop = key ~ /^(architectures|languages|targets|pdiffs|by-hash)$/
			if (drop) continue
			if (key == "enabled" && value($i) ~ /^(no|false)/) on = 0
			if (key == "types") { if ((" " value($i) " ") ~ / deb /) deb = 1; continue }
			if (key == "uris" && value($i) ~ /^cdrom:/) on = 0
			if (key == "components" && (" " value($i) " ") ~ / main /) main = 1
			if (key == "components") continue
			if (key == "suites") {
				n = split(value($i), s, /[ \t]+/); want = ""
				for (j = 1; j <= n; j++)
					if (s[j] in ours) want = want " " s[j]
				suites = want != ""
				keep = keep "Suites:" want "\n"
				continue
			}
			keep = keep $i "\n"
		}
		if (on && deb && suites && main)
			printf "Types: deb\n%sComponents: main\n\n", keep
	}'
