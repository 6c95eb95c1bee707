# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=dash disable=SC2154
# Sourced after lib.sh: stock perf finds each task's instructions in a recording, in the order in which ptrace saw them.
command -v perf >/dev/null || exit 4

tests=/softpt/build/selftests target=$tests/step-target

# Tasks are numbered in the order of birth, as their numbers are; an address that comes twice is an iteration of REP.
by_task() {
	sort -s -n -k 1,1 | awk '
		$1 != tid { tid = $1; n++; last = "" }
		$2 != last { print n, $2; last = $2 }'
}

# judge NAME PROGRAM [ARG...]: leaves its instructions in the file want
judge() {
	name=$1
	shift
	$tests/step ptrace "$@" >want
	ok $? "$name: ptrace follows it"
}

# A test may take from want and got what no two runs have in common.
set_aside() { :; }

# follow NAME TASKS 'OPTION...' PROGRAM [ARG...]: after its judge
follow() {
	name=$1 tasks=$2 options=$3
	shift 3
	# A program may look at what its output is: a pipe, as under the judge.
	[ -p out ] || mkfifo out
	cat out >recorded &
	# shellcheck disable=SC2086
	$tests/step plain /softpt/build/softpt record --how=module -s $options -o trace -- "$@" >out 2>said
	is "$name: exit status" $? "${status:-0}"
	wait
	sed 's/^/# /' said
	perf script -i trace --itrace=i1i -F tid,ip >script 2>errors
	head -n 5 errors | sed 's/^/# /'
	by_task <script >got
	set_aside
	is "$name: so many tasks" "$(tail -n 1 got | cut -d ' ' -f 1)" "$tasks"
	if [ -s want ] && cmp -s got want; then
		ok 0 "$name: each task's instructions, $(wc -l <want) in all"
	else
		ok 1 "$name: each task's instructions"
		diff want got | head -n 20 | sed 's/^/# /'
	fi
}
