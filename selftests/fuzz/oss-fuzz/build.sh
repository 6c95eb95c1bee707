#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# build.sh: each target of this folder's parent into $OUT, as OSS-Fuzz asks for them: with a seed corpus, a dictionary and
# options. OSS-Fuzz sets $CC, $CXX, $CFLAGS, $CXXFLAGS, $LIB_FUZZING_ENGINE, $OUT and $WORK, and runs it in the tree.
# shellcheck source-path=SCRIPTDIR/..
set -euo pipefail

for name in CC CXX CFLAGS LIB_FUZZING_ENGINE OUT WORK; do
	[ -n "${!name:-}" ] || {
		echo "build.sh: $name is not set: OSS-Fuzz does, and selftests/fuzz/run-oss-fuzz" >&2
		exit 2
	}
done
[ -e selftests/fuzz/lib.sh ] || {
	echo "build.sh: $PWD is not the tree of softpt: run it there" >&2
	exit 2
}
# It is copied to another folder before it is run.
. selftests/fuzz/lib.sh

# What is not the C library's own goes beside the targets: where they run nothing else is installed.
copy_libraries() {
	mkdir -p "$OUT/lib"
	ldd "$@" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
		grep -vE '/(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|gcc_s))\.so' | xargs -r cp -L -t "$OUT/lib"
}

pack() {
	local seeds=$WORK/seeds/$1
	rm -rf "$seeds"
	unpack_corpus "$1" "$seeds"
	rm -f "$OUT/$1_seed_corpus.zip"
	(cd "$seeds" && zip -qr "$OUT/$1_seed_corpus.zip" .)
	words >"$OUT/$1.dict"
	printf '%s\n' '[libfuzzer]' 'max_len = 4096' 'timeout = 20' 'close_fd_mask = 3' >"$OUT/$1.options"
}

# An engine may be C++; the libraries find each other by an RPATH only. Its compilers are newer than ours, and may warn of more.
rm -rf "$WORK/build/fuzz"
make -s -j"$(nproc)" fuzz-targets B="$WORK/build" FUZZ_MAIN= CC="$CC" LINKER="$CXX" CFLAGS="$CFLAGS" WARN=-Wall \
	LDFLAGS="${CXXFLAGS:-} $LIB_FUZZING_ENGINE -Wl,--as-needed -Wl,--disable-new-dtags,-rpath,'\$\$ORIGIN/lib'"
targets=("$WORK"/build/fuzz/*)
copy_libraries "${targets[@]}"
for path in "${targets[@]}"; do
	cp "$path" "$OUT/"
	pack "$(basename "$path")"
done
