# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# The kept corpora: a file for each target, of inputs that reach different parts of the code; and a dictionary.

corpora=$(realpath "$(dirname "${BASH_SOURCE[0]}")")/corpus

# unpack_corpus TARGET DIR
unpack_corpus() {
	mkdir -p "$2"
	[ ! -e "$corpora/$1.tar.xz" ] || tar -xJf "$corpora/$1.tar.xz" -C "$2"
}

# The words that event text is made of, as a dictionary
words() {
	cat "$corpora"/../../host/golden/*.golden | grep -E '^(config:|[0-9+]+ )' | grep -oE '[a-z][a-z_0-9]*=?' | sort -u | sed 's/.*/"&"/'
}
