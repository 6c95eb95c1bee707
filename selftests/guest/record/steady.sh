# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Sourced after lib.sh: a process that computes until it is told to stop, and a recorder that attaches to it.
set -m	# in the background SIGINT is not ignored

tests=/softpt/build/selftests target=$tests/step-target
CONFIG=mtc_freq=9	# a debugger takes its time
mkfifo in

# start WORK: it is at it, and has no end before it is told
start() {
	rm -f said_it
	$tests/step plain $target "$1" <>in >said_it &
	pid=$!
	until [ -s said_it ]; do sleep 0.1; done
}

# told NAME: it has come to what it comes to by itself
told() {
	echo xx >in
	wait $pid
	is "$1: its exit status" $? 42
	grep -q 'wrong 0 TF 0' said_it
	ok $? "$1: its results, and TF"
}

record() {
	rm -f trace
	softpt record -s -c $CONFIG -o trace -p $pid 2>said &
	recorder=$!
	until [ -s trace ]; do sleep 0.1; done
}

stop() {
	kill -INT $recorder
	wait $recorder
	is "$1: the recorder ends" $? 0
	sed 's/^/# /' said
	readable trace "$1"
}
