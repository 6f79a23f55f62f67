# SPDX-License-Identifier: GPL-2.0
#
# ktap.awk - what a guest said, as KTAP: a test a subject, with its own below.
#
# Lines of the guest: "subject NAME", "ok - NAME", "not ok - NAME", notes that
# begin with "#", "subject-end"; at last "machine-end CODE" from the host.
# want: the subjects that must be there.

function close_subject(ended) {
	if (subject == "")
		return
	if (!ended) {
		body = body "    # the guest went away here\n"
		bad = 1
	}
	if (!nr)
		bad = 1
	printf "    KTAP version 1\n    1..%d\n%s", nr, body
	printf "%s %d %s\n", (bad ? "not ok" : "ok"), ++count, subject
	done[subject] = 1
	subject = ""
}

BEGIN {
	total = split(want, wanted, " ")
	printf "KTAP version 1\n1..%d\n", total + 1
}

/^subject / {
	close_subject(0)
	subject = $2
	body = ""
	nr = bad = 0
	next
}

/^subject-end/ {
	close_subject(1)
	next
}

/^machine-end / {
	close_subject(0)
	for (i = 1; i <= total; i++)
		if (!(wanted[i] in done))
			printf "not ok %d %s\n", ++count, wanted[i]
	printf "%s %d log\n", ($2 > 1 ? "not ok" : "ok"), ++count
	next
}

/^ok - / {
	sub(/^ok - /, "")
	body = body sprintf("    ok %d %s\n", ++nr, $0)
	next
}

/^not ok - / {
	sub(/^not ok - /, "")
	body = body sprintf("    not ok %d %s\n", ++nr, $0)
	bad = 1
	next
}

subject == "" {
	print "# " $0
	next
}

{
	sub(/^# */, "")
	body = body "    # " $0 "\n"
}
