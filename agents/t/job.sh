# SPDX-License-Identifier: MIT
# For tests of whole workers on a played board: all of lab.sh, and jobs as job folders.
#
#	make_job NAME [FOLDER]    compiles $dir/NAME.yaml for a board of $dir/p into the job folder
#	                          $dir/FOLDER (j)
#	run NAME [worker|self SIGNAL TEXT]
#	                          the same and a worker for it (tool-job.c); how it ended in $last
. "$HILAB_DATA/labs/virtual/t/lab.sh"
tool=$HILAB_BUILD/agents/t/tool-job

make_job() {
	rm -rf "$dir/${2:-j}"
	"$tool" make "$dir/$1.yaml" "$dir/p/lab.yaml" "$dir/${2:-j}" >"$dir/out" 2>&1
}
run() {
	make_job "$1" || {
		last="not made"
		return
	}
	shift
	"$tool" run "$dir/j" "$@" >"$dir/out" 2>&1
	last=$(tail -n 1 "$dir/out")
}
