# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# The kept corpora: a file for each target, of inputs that reach different parts of the code.

corpora=$(realpath "$(dirname "${BASH_SOURCE[0]}")")/corpus

# unpack_corpus TARGET DIR
unpack_corpus() {
	mkdir -p "$2"
	[ ! -e "$corpora/$1.tar.xz" ] || tar -xJf "$corpora/$1.tar.xz" -C "$2"
}
