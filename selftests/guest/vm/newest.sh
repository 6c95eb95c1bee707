# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # kernel sets what is used here
# Sourced by kernel: the newest kernel of Debian's, of sid or of its stable release's backports, from the mirror
# that apt has Debian from. Nothing is installed, and apt's own files stay as they are: each suite has an index of its
# own, for as long as this takes. The compiler that built the kernel comes with it, and runs on any glibc.

# A suite with what it builds on. By the releases' own names: a mirror may be late with "stable".
newest_suites=('sid' 'trixie-backports trixie')

# suite_apt APT-PROGRAM ARGS...: as if nothing were installed, with the suite in $suite_dir
suite_apt() {
	local program=$1
	shift
	LC_ALL=C "$program" -q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$suite_dir/sources" \
		-o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null \
		-o Dir::State="$suite_dir" -o Dir::State::status="$suite_dir/status" -o Dir::Cache="$suite_dir" \
		-o APT::Default-Release="${suite_dir##*/}" -o APT::Sandbox::User=root -o Acquire::Retries=3 "$@"
}

# suite_index DIR SUITES: what the mirror has of them; false when apt knows no mirror, or the mirror not the suites
suite_index() {
	local mirror keys=/usr/share/keyrings/debian-archive-keyring.gpg
	suite_dir=$1
	# shellcheck disable=SC2016 # apt's variable
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' | head -n1) || true
	[ -n "$mirror" ] || return
	mkdir -p "$suite_dir"/{sources,lists/partial,archives/partial}
	: >"$suite_dir/status"
	printf '%s\n' 'Types: deb' "URIs: $mirror" "Suites: $2" 'Components: main' >"$suite_dir/sources/debian.sources"
	[ ! -f $keys ] || echo "Signed-By: $keys" >>"$suite_dir/sources/debian.sources"
	suite_apt apt-get update >"$suite_dir/log" 2>&1 || true
	[ -n "$(newest_release)" ]
}

# Of the suite: the release that linux-image-amd64 stands for
newest_release() {
	suite_apt apt-cache depends --important linux-image-amd64 2>/dev/null |
		sed -n 's/.*Depends: linux-image-\([0-9].*\)/\1/p' | sort -V | tail -n1
}

# find_newest TMP: sets $suite_dir and $release; false when no suite is to be had
find_newest() {
	local suites one best=
	for suites in "${newest_suites[@]}"; do
		suite_index "$1/${suites%% *}" "$suites" || continue
		one=$(newest_release)
		[ "$(printf '%s\n' "$release" "$one" | sort -V | tail -n1)" = "$one" ] || continue
		release=$one best=$suite_dir
	done
	suite_dir=$best
	[ -n "$best" ]
}

# What linux-headers needs brings the compiler and what kbuild's programs need; since 7.0 linux-image is empty itself.
download_newest() {
	local image
	mapfile -t image < <(echo "linux-image-$release"
		suite_apt apt-cache depends --important "linux-image-$release" |
			sed -n 's/.*Depends: \(linux-\(binary\|modules\)-.*\)/\1/p')
	suite_apt apt-get -y --no-install-recommends --download-only install "linux-headers-$release" &&
		(cd "$suite_dir/archives" && suite_apt apt-get download "${image[@]}")
}

# In $toolchain; without what links programs, and what else a module is not built with
unpack_toolchain() {
	dpkg-deb --fsys-tarfile "$1" | tar -x -C "$toolchain" --exclude='./usr/share' --exclude='./etc' --exclude='./var' \
		--exclude='*/lto1' --exclude='*-lto-dump-*' --exclude='*.a' --exclude='lib*san.so*'
}

# bind_programs DIR...: programs in them find the toolchain's libraries, whatever the host has.
bind_programs() {
	local lib=$toolchain/usr/lib/x86_64-linux-gnu file
	while read -r file; do
		patchelf --print-interpreter "$file" >/dev/null 2>&1 || continue
		patchelf --force-rpath --set-rpath "$lib" --set-interpreter "$lib/ld-linux-x86-64.so.2" "$file" || return
	done < <(find "$@" -type f -perm /111)
}

# Kbuild calls the tools by their long names, and gcc calls as.
arrange_toolchain() {
	bind_programs "$toolchain/usr/bin" "$toolchain/usr/libexec" "$dir"/usr/lib/linux-kbuild-* || return
	ln -sf x86_64-linux-gnu-as "$toolchain/usr/bin/as"
}

# In $dir: as unpack_stock(). Exits with status 4, and says why, where there is none to be had.
unpack_newest() {
	local tmp deb toolchain release=0
	"$guest_dir/setup" newest
	tmp=$(mktemp -d "$cache/fetch.XXXXXX")
	# shellcheck disable=SC2064 # this tmp
	trap "rm -rf '$tmp'" EXIT
	note "kernel: looking for the newest kernel in ${newest_suites[*]%% *}"
	find_newest "$tmp" || { note "kernel: apt offers nothing of ${newest_suites[*]%% *}:" \
		"$(grep -hm1 '^[EW]:' "$tmp"/*/log || echo 'it has no mirror of Debian')"; exit 4; }
	dir=$cache/linux-$release toolchain=$dir/toolchain
	! intact "$dir" || return 0
	note "kernel: fetching $release from ${suite_dir##*/}"
	download_newest >"$tmp/log" 2>&1 || die "download failed: $(grep -m1 ^E: "$tmp/log" || tail -n1 "$tmp/log")"
	rm -rf "$dir" && mkdir -p "$toolchain" "$dir/usr/lib" && ln -s usr/lib "$dir/lib"
	for deb in "$suite_dir"/archives/*.deb; do
		case ${deb##*/} in
		linux-base_*) ;;
		linux-*) unpack "$deb" ;;
		*) unpack_toolchain "$deb" ;;
		esac
	done
	arrange_toolchain || die "patchelf failed"
	finish_stock
}
