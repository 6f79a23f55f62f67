# SPDX-License-Identifier: GPL-2.0
#
# row.awk - one run's figures as one line of JSON, from what the guest left.
#
#	awk -f row.awk -v head='"experiment":"E1.1",...' -v bound=5 \
#		groups stats.1 stats.2 ... own.begin own.end fsync window
#
# DTF of a group = busy time of its region / busy time of the disk, per mille;
# with share=groups, of the regions of all groups; journal_of=g1: the journal is g1's;
# error = the largest |DTF - wanted|; piece_error = the same of the worst 5 s;
# transfer = per mille of the disk's time in which data moved, not the arm: what
# a scheduler can do about throughput, in whatever zone the data lies;
# bytes_error = by how much, in per cent, the most bytes by weight that a group had
# exceed the least.
# bound, bytes_bound, rate_bound and alone are what check.awk asks for.

function name_of(path) { sub(/.*\//, "", path); return path }
function abs(x) { return x < 0 ? -x : x }
function list(a, fmt,    i, s) {
	for (i = 1; i <= n; i++)
		s = s (i > 1 ? "," : "") sprintf(fmt, a[i])
	return "[" s "]"
}
function error_of(kind,    i, e, sum) {
	if (!((kind, "total") in busy) || busy[kind, "total"] <= 0)
		return -1
	sum = busy[kind, "total"]
	if (share == "groups")
		for (i = sum = 0; ++i <= n; )
			sum += busy[kind, group[i]]
	for (i = 1; i <= n && sum > 0; i++) {
		dtf[i] = 1000 * busy[kind, group[i]] / sum
		if (abs(dtf[i] - want[i]) > e)
			e = abs(dtf[i] - want[i])
	}
	return e
}
# A stats file is cumulative: the piece is what was added since the last one.
function end_of_piece(    k, e) {
	if (journal_of != "")
		now[journal_of] += now["journal"]
	for (k in now) {
		busy["piece", k] = now[k] - last[k]
		last[k] = now[k]
	}
	e = error_of("piece")
	if (e > worst)
		worst = e
}
function own_value(    i) {
	for (i = 4; i <= NF; i++)
		if ($i ~ /^time=/)
			return substr($i, 6)
	return $4
}
function own_shares(    i, sum, grouped) {
	for (i = 1; i <= n; i++) {
		sum += own["own.end", group[i]] - own["own.begin", group[i]]
		grouped += now[group[i]]
	}
	if (sum <= 0 || grouped <= 0)
		return 0
	for (i = 1; i <= n; i++) {
		mine[i] = 1000 * (own["own.end", group[i]] - own["own.begin", group[i]]) / sum
		truth[i] = 1000 * now[group[i]] / grouped
		if (abs(mine[i] - truth[i]) > own_error)
			own_error = abs(mine[i] - truth[i])
	}
	return 1
}
function bytes_error(    i, each, least, most) {
	for (i = 1; i <= n; i++) {
		each = bytes[group[i]] / weight[i]
		if (i == 1 || each < least)
			least = each
		if (i == 1 || each > most)
			most = each
	}
	return least > 0 ? 100 * (most / least - 1) : 999
}
function asked(name, value) {
	if (value != "")
		printf ",\"%s\":%s", name, value
}
# Insertion sort: a few hundred values, and any awk will do.
function percentile(p,    i, j, v) {
	if (!sorted++)
		for (i = 2; i <= waits; i++) {
			v = wait[i]
			for (j = i - 1; j > 0 && wait[j] > v; j--)
				wait[j + 1] = wait[j]
			wait[j + 1] = v
		}
	i = int(p * waits + 0.999999)
	return 1000 * wait[i < 1 ? 1 : i]
}

FNR == 1 { file = name_of(FILENAME) }
FNR == 1 && file ~ /^stats\./ { if (in_stats) end_of_piece(); in_stats = 1 }
FNR == 1 && file !~ /^stats\./ && in_stats { end_of_piece(); in_stats = 0 }
file == "groups" { group[++n] = $1; weight[n] = $2; want[n] = $3; next }
file ~ /^stats\./ && NF == 8 && $1 != "region" {
	now[$1] = $2; bytes[$1] = $5 + $6; reqs[$1] = $7 + $8; next
}
file ~ /^stats\./ && NF == 2 { total[$1] = $2; next }
file ~ /^own/ && (!((file, $1) in own) || $2 == "io.cfqx.stat") { own[file, $1] = own_value(); next }
file == "fsync" { wait[++waits] = $1; next }

END {
	if (in_stats)
		end_of_piece()
	seconds = total["clock_ns"] / 1e9
	for (k in now)
		busy["all", k] = now[k]
	error = error_of("all")
	for (i = 1; i <= n; i++)
		rate[i] = bytes[group[i]] / 1e6 / seconds
	printf "{%s,\"error\":%.1f,\"piece_error\":%.1f,\"mb_s\":%.1f", head, error, worst,
		bytes["total"] / 1e6 / seconds
	printf ",\"dtf\":%s,\"wanted\":%s,\"weights\":%s", list(dtf, "%.1f"), list(want, "%.1f"), list(weight, "%d")
	printf ",\"group_mb_s\":%s,\"other\":%.1f", list(rate, "%.2f"), 1000 * now["other"] / now["total"]
	printf ",\"transfer\":%.1f", 1000 * total["transfer_ns"] / total["clock_ns"]
	if ("journal" in now)
		printf ",\"journal\":%.1f", 1000 * now["journal"] / now["total"]
	printf ",\"idle\":%.1f,\"requests\":%d,\"seconds\":%.1f", 1000 * total["idle_ns"] / total["clock_ns"], reqs["total"], seconds
	if (own_shares())
		printf ",\"own\":%s,\"own_error\":%.1f", list(mine, "%.1f"), own_error
	if (waits)
		printf ",\"fsync\":{\"n\":%d,\"p50_ms\":%.1f,\"p99_ms\":%.1f,\"max_ms\":%.1f}", waits, percentile(0.5), percentile(0.99), percentile(1)
	printf ",\"bytes_error\":%.1f", bytes_error()
	asked("bound", bound)
	asked("bytes_bound", bytes_bound)
	asked("rate_bound", rate_bound)
	asked("alone", alone)
	print "}"
}
