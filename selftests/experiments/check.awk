# SPDX-License-Identifier: GPL-2.0
#
# check.awk - KTAP from the runs asked for and the JSON that `run` wrote.
#
#	awk -f check.awk ROWS JSON
#
# An experiment's checks are words SUM>=SUM or SUM<=SUM without spaces; a sum is
# terms with + between them; a term is factors with * or / between them: numbers
# and figures. A figure is a key of the run's JSON, one of several as key[2], and
# before it, with a dot, whose it is if it is another run's: of another experiment
# or, the same, under another scheduler (E2-alone.iops, bfq.io_p99_ms). What was not
# run is not compared.

# A number that was cut out of a line is a string to awk until it is added to: as
# strings, 6.2 is more than 10.
function field(key,    v) {
	if (!match($0, "\"" key "\":(\"[^\"]*\"|[^,}]*)"))
		return ""
	v = substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3)
	gsub(/"/, "", v)
	return v
}
function value_of(line, key,    i, a, v) {
	i = match(key, /\[[0-9]+\]$/) ? substr(key, RSTART + 1, RLENGTH - 2) + 0 : 0
	if (i)
		key = substr(key, 1, RSTART - 1)
	if (!match(line, "\"" key "\":(\\[[^]]*\\]|[^,}]*)"))
		return ""
	v = substr(line, RSTART + length(key) + 3, RLENGTH - length(key) - 3)
	gsub(/[][]/, "", v)
	split(v, a, ",")
	return a[i ? i : 1]
}
# figure NAME of run k; sets unknown if that run was not asked for.
function figure(k, name,    f, at, other) {
	if (name ~ /^[0-9.]+$/)
		return name + 0
	split(k, f, " ")
	if ((at = index(name, ".")) > 0) {
		other = substr(name, 1, at - 1)
		name = substr(name, at + 1)
		if (other == "bfq" || other == "mq-deadline" || other == "none")
			f[4] = other
		else
			f[1] = other
		k = f[1] " " f[2] " " f[3] " " f[4] " " f[5]
		if (!(k in done))
			unknown = 1
	}
	f[1] = value_of(run[k], name)
	if (f[1] == "" && !unknown)
		missing = 1
	return f[1] + 0
}
function product(k, text,    v, f, n, i, g, m, j) {
	n = split(text, f, "/")
	for (i = 1; i <= n; i++) {
		m = split(f[i], g, "*")
		for (j = 1; j <= m; j++) {
			if (i == 1 && j == 1)
				v = figure(k, g[j])
			else if (j == 1)
				v = divide(v, figure(k, g[j]))
			else
				v *= figure(k, g[j])
		}
	}
	return v
}
function divide(a, b) {
	if (!b) {
		missing = missing || !unknown
		return 0
	}
	return a / b
}
function sum(k, text,    t, n, i, v) {
	n = split(text, t, "+")
	for (i = 1; i <= n; i++)
		v += product(k, t[i])
	return v
}
function check_word(k, word,    at, left, right, good) {
	at = match(word, /[<>]=/)
	unknown = missing = 0
	left = sum(k, substr(word, 1, at - 1))
	right = sum(k, substr(word, at + 2))
	if (unknown) {
		line[++lines] = "# " k ": " word " is not compared"
		return
	}
	good = at && !missing &&
		(substr(word, at, 1) == "<" ? left <= right : left >= right)
	result(good, k ": " word sprintf(": %.6g, %.6g", left, right))
}
function check_words(k,    w, n, i) {
	n = split(checks[k], w, " ")
	for (i = 1; i <= n; i++)
		check_word(k, w[i])
}
function result(good, what) {
	tests++
	if (!good)
		failed++
	line[++lines] = (good ? "ok " : "not ok ") tests " " what
}
function better(a, b) { return a + 0 > b + 0 ? a + 0 : b + 0 }

FNR == NR { row[++rows] = $0; next }
/"experiment"/ {
	k = field("experiment") " " field("fs") " " field("depth") " " field("scheduler") " " field("seed")
	done[k] = 1
	run[k] = $0
	checks[k] = field("checks")
	failure[k] = field("failed")
	bound[k] = field("bound")
	own[k] = field("own_error")
	error[k] = field("error") + 0
	rate[k] = field("mb_s") + 0
	transfer[k] = field("transfer") + 0
	p99[k] = field("p99_ms") + 0
	bytes[k] = field("bytes_error") + 0
	bytes_bound[k] = field("bytes_bound")
	rate_bound[k] = field("rate_bound")
	alone[k] = field("alone")
}
END {
	for (i = 1; i <= rows; i++)
		check(row[i])
	print "TAP version 13"
	print "1.." tests + 0
	for (i = 1; i <= lines; i++)
		print line[i]
	printf "# %d passed, %d failed\n", tests - failed, failed
	exit failed > 0 || !tests
}
function check(k,    f, peer, best) {
	if (!(k in done) || failure[k] != "") {
		result(0, k ": the run failed" (failure[k] == "" ? "" : ", code " failure[k]))
		return
	}
	split(k, f, " ")
	if (f[4] != "cfqx") {
		line[++lines] = "# " k ": error " error[k] ", " rate[k] " MB/s, moves data " transfer[k] " per mille"
		return
	}
	if (bound[k] != "")
		result(error[k] <= bound[k] + 0, k ": error " error[k] ", at most " bound[k])
	if (own[k] != "")
		result(own[k] + 0 <= 10, k ": own account off by " own[k] ", at most 10")
	if (bytes_bound[k] != "")
		result(bytes[k] <= bytes_bound[k] + 0,
			k ": bytes off by " bytes[k] " %, at most " bytes_bound[k])
	check_rate(k, f)
	check_alone(k, f)
	check_words(k)
}
# Where bfq or mq-deadline ran the same: data moves for no less of the time than
# under the better of them, or for what part of it the experiment asks (per cent).
# Megabytes are no measure: who gives a group in the slow zone its due moves fewer.
function check_rate(k, f,    peer, best, percent) {
	peer = f[1] " " f[2] " " f[3] " %s " f[5]
	best = better(transfer[sprintf(peer, "bfq")], transfer[sprintf(peer, "mq-deadline")])
	percent = rate_bound[k] == "" ? 100 : rate_bound[k]
	if (best && bound[k] != "")
		result(transfer[k] >= percent / 100 * best,
			k ": moves data " transfer[k] " per mille of the time, at least " \
			percent " % of " best)
}
# An fsync may take so many times what it takes the heavy group alone.
function check_alone(k, f,    own) {
	own = f[1] "-alone " f[2] " " f[3] " " f[4] " " f[5]
	if (alone[k] != "" && own in done)
		result(p99[k] <= alone[k] * p99[own],
			k ": 99 % of fsyncs within " p99[k] " ms, at most " alone[k] " times " p99[own])
}
