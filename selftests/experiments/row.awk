# SPDX-License-Identifier: GPL-2.0
#
# row.awk - one run's figures as one line of JSON, from what the guest left.
#
#	awk -f row.awk -v head='"experiment":"E1.1",...' -v bound=5 \
#		groups stats.1 stats.2 ... own.begin own.end io.begin io.end \
#		fsync commits latency files.begin files.end window
#
# DTF of a group = busy time of its region / busy time of the disk, per mille;
# with share=groups, of the regions of all groups; journal_of=g1: the journal is g1's;
# error = the largest |DTF - wanted|; piece_error = the same of the worst 5 s;
# transfer = per mille of the disk's time in which data moved, not the arm: what
# a scheduler can do about throughput, in whatever zone the data lies;
# bytes_error = by how much, in per cent, the most bytes by weight that a group had
# exceed the least;
# worker_kb_s = what each worker read and wrote, group1_worker_kb_s the first
# group's first one; spread = by how much, in per cent, one of them is off their mean;
# fsync_p99_ms, commit_p99_ms = of the fsyncs, and of the commits of the journal;
# iops, io_p50_ms ... of fio's I/Os, files_s = files made a second.
# bound, bytes_bound, rate_bound, alone and checks are what check.awk asks for.

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
	if (together)
		return 0
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
function sort(a, n,    i, j, v) {
	for (i = 2; i <= n; i++) {
		v = a[i]
		for (j = i - 1; j > 0 && a[j] > v; j--)
			a[j + 1] = a[j]
		a[j + 1] = v
	}
}
function percentile(a, n, p,    i) {
	i = int(p * n + 0.999999)
	return 1000 * a[i < 1 ? 1 : i]
}
function seconds_each(name, a, n) {
	sort(a, n)
	printf ",\"%s\":{\"n\":%d,\"p50_ms\":%.1f,\"p99_ms\":%.1f,\"max_ms\":%.1f}", name, n,
		percentile(a, n, 0.5), percentile(a, n, 0.99), percentile(a, n, 1)
	printf ",\"%s_p99_ms\":%.1f", name, percentile(a, n, 0.99)
}

function io_percentile(p,    i) {
	i = int(p * ios + 0.999999)
	return io[i < 1 ? 1 : i] / 1e6
}
function workers_rates(    i, s, sum, first) {
	for (i = 1; i <= workers; i++)
		sum += moved[worker[i]]
	for (i = 1; i <= workers; i++) {
		s = s (i > 1 ? "," : "") sprintf("%.1f", moved[worker[i]] / 1e3 / seconds)
		if (sum > 0 && abs(100 * (workers * moved[worker[i]] / sum - 1)) > spread)
			spread = abs(100 * (workers * moved[worker[i]] / sum - 1))
		if (worker[i] ~ /^g1 / && !first)
			first = moved[worker[i]] / 1e3 / seconds
	}
	printf ",\"worker_kb_s\":[%s],\"spread\":%.2f,\"group1_worker_kb_s\":%.1f", s, spread, first
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
file == "io.begin" { moved[$1 " " $2] = -($3 > $4 ? $3 : $4); next }
file == "io.end" { worker[++workers] = $1 " " $2; moved[$1 " " $2] += $3 > $4 ? $3 : $4; next }
file == "latency" { io[++ios] = $1; next }
file == "files.begin" { made -= $1; next }
file == "files.end" { made += $1; creators++; next }
file == "commits" { commit[++commits] = $1; next }
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
		seconds_each("fsync", wait, waits)
	if (commits)
		seconds_each("commit", commit, commits)
	workers_rates()
	if (ios)
		printf ",\"iops\":%.1f,\"io_p50_ms\":%.1f,\"io_p99_ms\":%.1f,\"io_p999_ms\":%.1f,\"io_max_ms\":%.1f",
			ios / seconds, io_percentile(0.5), io_percentile(0.99), io_percentile(0.999), io_percentile(1)
	if (creators)
		printf ",\"files_s\":%.2f", made / seconds
	printf ",\"bytes_error\":%.1f", bytes_error()
	asked("bound", bound)
	asked("bytes_bound", bytes_bound)
	asked("rate_bound", rate_bound)
	asked("alone", alone)
	if (checks != "")
		printf ",\"checks\":\"%s\"", checks
	print "}"
}
