# SPDX-License-Identifier: GPL-2.0-only
# What `matrix` has collected -> a row for each kernel

# "# ran: 6.1: Linux 6.1.0-56-amd64, gcc ..." -> 6.1
function named(line)
{
	sub(/^# [a-z]+: /, "", line)
	return substr(line, 1, index(line, ": ") - 1)
}

# "ok 3 - 6.1: abi: opens" -> 6.1
function tested(line)
{
	sub(/^(not )?ok [0-9]+ - /, "", line)
	return substr(line, 1, index(line, ": ") - 1)
}

/^# warnings: / {
	kernel[++kernels] = named($0)
	warnings[named($0)] = $NF
}

# It stands for the kernel, and is no test of it.
/^(not )?ok [0-9]+ - [^ ]+: module builds/ {
	builds[tested($0)] = /^not/ ? "no" : / # skip/ ? "skipped" : "yes"
	next
}

/^ok [0-9]+ - [^ ]+: the run passes$/ { next }

/^(not )?ok [0-9]/ { count[tested($0), /^not/ ? "failed" : / # [sS][kK][iI][pP]/ ? "skipped" : "passed"]++ }

/^# ran: / {
	if (match($0, /Linux [^ ,]+/))
		release[named($0)] = substr($0, RSTART + 6, RLENGTH - 6)
	if ($NF == "s")
		seconds[named($0)] = $(NF - 1)
}

function row(a, b, c, d, e, f, g, h)
{
	printf "%-14s %-24s %-8s %8s %7s %7s %8s %8s\n", a, b, c, d, e, f, g, h
}

END {
	row("kernel", "version", "builds", "warnings", "passed", "failed", "skipped", "seconds")
	for (i = 1; i <= kernels; i++) {
		k = kernel[i]
		row(k, k in release ? release[k] : "-", k in builds ? builds[k] : "-", warnings[k],
		    count[k, "passed"] + 0, count[k, "failed"] + 0, count[k, "skipped"] + 0,
		    k in seconds ? seconds[k] : "-")
	}
}
