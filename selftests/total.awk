# SPDX-License-Identifier: GPL-2.0
#
# Counts the results in KTAP files. A result that sums up sub-tests (the lines
# right above it are indented deeper) is not counted again, unless it fails
# where all of them passed. Exits 1 if any failed or none ran.

function depth(line) {
	match(line, /^[ \t]*/)
	return RLENGTH
}

FNR == 1 { last = 0; below = 0 }

/^[ \t]*(not )?ok[ \t]/ {
	d = depth($0)
	failed = /^[ \t]*not ok/
	if (d < last) {
		if (failed && !below)
			fail++
		last = d
		below = 0
		next
	}
	last = d
	if (/# (SKIP|XFAIL)/)
		skip++
	else if (failed) {
		fail++
		below++
		names = names "  " FILENAME ": " $0 "\n"
	} else
		pass++
}

END {
	if (names != "")
		printf "Failed:\n%s", names
	printf "%d passed, %d failed", pass, fail
	if (skip)
		printf ", %d skipped", skip
	printf "\n"
	exit fail > 0 || pass == 0
}
