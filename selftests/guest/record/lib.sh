# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC1091
# Sourced by each test of softpt record and replay: TAP lines, and a directory of its own.

. "${0%/*}/../../kit/tap.sh"
scratch=$(mktemp -d)
cd "$scratch" || exit 1

# The module records and counts, unless a test says otherwise, or asks for $softpt.
softpt=$(command -v softpt)
mkdir bin
cat >bin/softpt <<END
#!/bin/sh
case "\$* " in
*--no-module*|*--how=*) ;;
'record '*) shift; exec $softpt record --how=module "\$@" ;;
'stat '*) shift; exec $softpt stat --how=module "\$@" ;;
esac
exec $softpt "\$@"
END
chmod +x bin/softpt
PATH=$scratch/bin:$PATH

# says NAME FILE WORDS: one line, and it helps
says() {
	grep -q "$3" "$2" && [ "$(wc -l <"$2")" = 1 ]
	ok $? "$1"
	sed 's/^/# /' "$2"
}


# wait_for FILE: at most two minutes
wait_for() {
	for _ in $(seq 1200); do
		[ -e "$1" ] && return 0
		sleep 0.1
	done
	echo "# no $1"
	return 1
}

# readable FILE NAME: every packet decodes, there are branches, and the path has no hole. What is not whole is
# found by softpt decode, what does not fit the program by softpt flow.
readable() {
	softpt decode -f csv "$1" >decoded 2>errors
	ok $? "$2: softpt decode reads it"
	sed 's/^/# /' errors
	[ "$(grep -cE ',(taken|not|tip),' decoded)" -gt 1000 ]
	ok $? "$2: it holds branches"
	softpt flow -s -n 1 "$1" 2>errors >path
	is "$2: the path has no hole" "$(sed -n 's/.*lost \([0-9]*\),.*/\1/p' errors)" 0
}

finish() {
	cd / && rm -r "$scratch"
	tap_done
	exit
}
