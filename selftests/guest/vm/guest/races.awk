# SPDX-License-Identifier: GPL-2.0-only
# Reads a kernel's log; replaces each KCSAN report that `module` has no part in by one line, "KCSAN elsewhere: ...".
#
# A report runs from its headline to a line of equals signs. It is the module's when a function of it stands in one of
# the two stacks above the entry of an interrupt, an exception or a system call: below that is only what was interrupted.
# Without a module, or without an end, every report counts.
#
# One race is the kernel's, whoever calls it: schedule_hrtimeout_range() looks at the sleeper on its own stack while the
# timer's handler ends it.

function text(line) {
	sub(/\r$/, "", line)
	sub(/^\[ *[0-9]+\.[0-9]+\](\[ *[TC][0-9]+\])? ?/, "", line)
	return line
}

function flush() {
	printf "%s", report
	report = ""
}

{ line = text($0) }

function is_sleeper(headline) {
	return headline == "data-race in hrtimer_wakeup / schedule_hrtimeout_range_clock" ||
		headline == "data-race in schedule_hrtimeout_range_clock / hrtimer_wakeup"
}

report == "" && line ~ /^BUG: KCSAN: / {
	headline = line
	sub(/^BUG: KCSAN: /, "", headline)
	ours = module == ""
	theirs = module != "" && is_sleeper(headline)
	inside = 0
	report = $0 "\n"
	next
}

report == "" { print; next }

line ~ /^==========/ {
	if (ours && !theirs)
		flush()
	else
		print "KCSAN elsewhere: " headline
	report = ""
	print
	next
}

# "read to 0x... of 1 bytes by task 0 on cpu 0:" begins a stack, an empty line ends it.
line ~ /^(race at unknown origin, with )?(read|write|assert no).* (task|interrupt)/ { inside = 1 }
line == ""	{ inside = 0 }
line ~ /^ *(asm_|entry_|ret_from_fork)/	{ inside = 0 }
inside && module != "" && index(line, " [" module "]")	{ ours = 1 }
{ report = report $0 "\n" }

END { flush() }
