# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Sourced by every script here: where things are, and how to stop.

guest_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(cd "$guest_dir/../../.." && pwd)
cache=${SOFTPT_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/softpt}
# depmod and modprobe are no user's programs in Debian's eyes.
PATH=$PATH:/usr/sbin:/sbin
export guest_dir tree cache PATH

note() { printf '%s\n' "$*" >&2; }

die() {
	note "${0##*/}: $*"
	exit 1
}

# A kernel with sanitisers, built here; the others are Debian's.
is_sanitised() {
	case $1 in *-rt) return 1 ;; *-*) return 0 ;; *) return 1 ;; esac
}

# Wrong usage is told apart from failure.
usage() {
	note "${0##*/}: $*"
	exit 2
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		die "needs root: run '$*' as root, or install sudo"
	fi
}

# apt waits for whoever holds its lock, asks nothing and never removes a package.
apt() {
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-remove \
		-o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@"
}

# The index is refreshed by whoever finds it lacking, one at a time.
apt_refresh() {
	note "${0##*/}: refreshing apt's package index"
	apt update >/dev/null 2>&1 || note "${0##*/}: apt-get update failed; using the index that is there"
}
