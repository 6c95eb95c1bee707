# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=dash
# Sourced by tests in shell, in the guest too: TAP lines. What comes last is the plan, and the exit status: tap_done.

tap_count=0 tap_failed=0

# ok STATUS NAME [FILE...]: FILEs explain a failure
ok() {
	tap_status=$1 tap_name=$2
	shift 2
	tap_count=$((tap_count + 1))
	if [ "$tap_status" = 0 ]; then
		echo "ok $tap_count - $tap_name"
		return
	fi
	echo "not ok $tap_count - $tap_name"
	[ $# = 0 ] || head -q -n 20 "$@" 2>/dev/null | sed 's/^/# /'
	tap_failed=1
}

# is NAME GOT WANT
is() {
	[ "$2" = "$3" ]
	ok $? "$1"
	[ "$2" = "$3" ] || printf '%s\n' "got '$2'" "want '$3'" | sed 's/^/# /'
}

# passes NAME COMMAND...: what it prints explains its failure
passes() {
	tap_name=$1
	shift
	tap_said=$("$@" 2>&1)
	ok $? "$tap_name"
	[ "$tap_status" = 0 ] || printf '%s\n' "$tap_said" | sed 's/^/# /'
}

tap_done() {
	echo "1..$tap_count"
	[ $tap_failed = 0 ] && [ $tap_count -gt 0 ]
}
