# SPDX-License-Identifier: GPL-2.0
#
# table.awk - lines of JSON from row.awk, as a table to read.

function field(key,    v) {
	if (!match($0, "\"" key "\":(\"[^\"]*\"|\\[[^]]*\\]|[^,}]*)"))
		return "-"
	v = substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3)
	gsub(/["\[\]]/, "", v)
	return v
}
function rounded(l,    a, i, k, s) {
	k = split(l, a, ",")
	for (i = 1; i <= k; i++)
		s = s (i > 1 ? " " : "") sprintf("%.0f", a[i])
	return l == "-" ? "-" : s
}
NR == 1 {
	fmt = "%-16s %-5s %5s %-18s %4s %6s %6s %6s %5s %5s %6s %8s %5s  %s\n"
	printf fmt, "experiment", "fs", "depth", "scheduler", "seed", "error", "worst", "MB/s",
		"other", "idle", "own", "fsync99", "wall", "DTF"
}
{
	printf fmt, field("experiment"), field("fs"), field("depth"), field("scheduler"), field("seed"),
		field("error"), field("piece_error"), field("mb_s"), field("other"), field("idle"),
		field("own_error"), field("p99_ms"), field("wall"),
		/"failed"/ ? "FAILED: " field("failed") : rounded(field("dtf"))
}
