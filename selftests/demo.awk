# SPDX-License-Identifier: GPL-2.0
#
# Shows the runs of an experiment (JSON of selftests/experiments/run, an object
# a line) as a person wants to see them: what each group was to get and got.

function field(name,	s) {
	if (!match($0, "\"" name "\":(\\[[^]]*\\]|\"[^\"]*\"|[^,}]*)"))
		return ""
	s = substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
	gsub(/["\[\]]/, "", s)
	return s
}

function bar(permille,	s, i) {
	for (i = 20; i <= permille; i += 25)
		s = s "#"
	return s
}

/"scheduler"/ {
	n = split(field("dtf"), got, ",")
	split(field("wanted"), wanted, ",")
	split(field("weights"), weight, ",")
	printf "\n%-12s %s MB/s in all, error %s per mille\n",
		field("scheduler"), field("mb_s"), field("error")
	for (i = 1; i <= n; i++)
		printf "   weight %3d  wanted %3d, got %3d per mille of the disk's time  |%-40s|\n",
			weight[i], wanted[i], got[i] + 0.5, bar(got[i])
	if (field("own") != "")
		printf "   its own account (io.cfqx.stat) is off by %s per mille\n",
			field("own_error")
	kernel = field("kernel")
	seconds = field("seconds")
}

END {
	if (kernel == "") {
		print "no run to show"
		exit 1
	}
	printf "\nLinux %s, ext4 on a modelled 7200 rpm disk, %d s; \"got\" is the disk's own account.\n",
		kernel, seconds
}
