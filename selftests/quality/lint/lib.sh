# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash source-path=SCRIPTDIR/../../..
# Sourced by each of this room: from the root of the tree, with $build for logs.

cd "$(dirname "${BASH_SOURCE[0]}")/../../.." || exit 1
build=$PWD/build/lint
mkdir -p "$build"
. selftests/kit/tap.sh

# clean NAME LOG: ok if the log is empty
clean() {
	[ ! -s "$2" ]
	ok $? "$1" "$2"
}
