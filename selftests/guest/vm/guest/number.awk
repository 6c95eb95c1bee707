# SPDX-License-Identifier: GPL-2.0-only
# Numbers one test's TAP lines after `count` others. What is no TAP becomes a comment. A test that prints no result,
# fails after the last one, or breaks its own plan gets a line of its own. Status 4 is a skip, as in kselftest.

function emit(verdict, text) {
	printf "%s %d - %s\n", verdict, ++count, text
}

/^(not )?ok( |$)/ {
	verdict = $1 == "ok" ? "ok" : "not ok"
	text = $0
	sub(/^(not )?ok *[0-9]* *(- *)?/, "", text)
	emit(verdict, name ": " text)
	seen++
	bad += verdict == "not ok"
	next
}
/^1\.\.[0-9]+/	{ plan = substr($1, 4); planned = 1; next }
/^TAP version/	{ next }
/^Bail out!/	{ emit("not ok", name ": " $0); seen++; bad++; next }
/^#/ || /^[ \t]/ || /^$/ { print; next }
		{ print "# " $0 }

END {
	if (code == "timeout")
		emit("not ok", name ": ends within its time limit")
	else if (code == 4 && !seen)
		emit("ok", name " # SKIP")
	else if (code != 0 && code != 4 && !bad)
		emit("not ok", name ": exit status " code)
	else if (!seen && !(planned && plan == 0))
		emit("ok", name)
	if (planned && plan != seen)
		emit("not ok", name ": " seen " results of " plan " planned")
}
