# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # boot sets what is used here
# Sourced by boot: collects the guest's files as links under $stage, then packs what they point to.

# A file of this tree appears under /softpt, any other where it is on the host.
guest_path() {
	case $1 in
	"$tree"/*) echo "/softpt${1#"$tree"}" ;;
	*) echo "$1" ;;
	esac
}

# stage_file HOSTPATH[:GUESTPATH]
stage_file() {
	local from=${1%%:*} to
	[ -e "$from" ] || die "no file '$from'"
	from=$(realpath -s "$from")
	to=$(guest_path "$from")
	case $1 in *:*) to=${1#*:} ;; esac
	mkdir -p "$stage${to%/*}"
	ln -sf "$from" "$stage$to"
}

# stage_dir HOSTDIR[:GUESTDIR]
stage_dir() {
	local from=${1%%:*} to
	[ -d "$from" ] || die "no directory '$from'"
	from=$(realpath "$from")
	to=$(guest_path "$from")
	case $1 in *:*) to=${1#*:} ;; esac
	mkdir -p "$stage$to"
	cp -rsfT "$from" "$stage$to"
}

# What busybox lacks of the interpreters that scripts name.
stage_interpreters() {
	local file line
	while read -r file; do
		IFS= read -r -n 64 line 2>/dev/null <"$file" || true
		case $line in
		'#!/bin/sh'* | '#!/bin/busybox'*) ;;
		'#!/usr/bin/env '*) note "boot: $file names its interpreter with env: name it directly" ;;
		'#!/'*)
			line=${line#\#!}
			[ -e "$stage${line%% *}" ] || stage_file "${line%% *}"
			;;
		esac
	done < <(programs)
}

programs() { find -L "$stage" -type f \( -perm /111 -o -name '*.so*' \) ! -name '*.ko'; }

# ldd says nothing about scripts and static programs.
stage_libraries() {
	local library
	while read -r library; do
		[ -e "$stage$library" ] || stage_file "$library:$library"
	done < <(programs | xargs -r ldd 2>/dev/null |
		sed -nE 's/^\t(.* => )?(\/[^ ]+) \(0x.*/\2/p' | sort -u)
}

# stage_module KO: our module, where modprobe and libkmod look for it.
stage_module() {
	mkdir -p "$stage$module_dir/extra"
	cp "$1" "$stage$module_dir/extra/"
}

# stage_stock_modules NAME...: modules of the stock kernel and what they need; one that is built in needs nothing.
stage_stock_modules() {
	local name file
	for name; do
		while read -r file; do
			mkdir -p "$stage$module_dir/kernel"
			cp "$file" "$stage$module_dir/kernel/"
		done < <(modprobe -d "${MODDIR%/lib/modules/*}" -S "$KRELEASE" --show-depends "$name" 2>/dev/null |
			sed -n 's/^insmod \([^ ]*\).*/\1/p')
	done
}

# helper FILE.c: the program that it is, static; it changes with its source only.
helper() {
	local source=$guest_dir/$1 out
	out=$cache/$(basename "$1" .c)-$(sha256sum <"$source" | head -c 16)
	if [ ! -x "$out" ]; then
		gcc -O2 -Wall -static -o "$out.$$" "$source" || die "cannot build $1"
		mv "$out.$$" "$out"
	fi
	echo "$out"
}

stage_base() {
	local busybox file
	busybox=$(command -v busybox) || die "no busybox (run $guest_dir/setup guest)"
	mkdir -p "$stage"/{proc,sys,dev,tmp,out,root,run,bin,sbin,usr/bin,usr/sbin,etc/guest,softpt} \
		"$stage/var/tmp" "$stage$module_dir"
	stage_file "$busybox:/bin/busybox"
	stage_file "$(helper guest/leave.c):/sbin/leave"
	stage_file "$guest_dir/guest/init:/init"
	stage_file "$tree/selftests/kit/tap.sh"
	for file in guest/functions guest/number.awk guest/races.awk guest/leaks.awk splats; do
		stage_file "$guest_dir/$file:/etc/guest/${file##*/}"
	done
	printf '%s\n' root:x:0:0:root:/root:/bin/sh nobody:x:65534:65534:nobody:/:/bin/sh >"$stage/etc/passwd"
	printf '%s\n' root:x:0: nogroup:x:65534: >"$stage/etc/group"
	for file in modules.builtin modules.builtin.modinfo modules.order; do
		[ ! -f "$MODDIR/$file" ] || cp "$MODDIR/$file" "$stage$module_dir/"
	done
}

# pack FILE
pack() {
	stage_interpreters
	stage_libraries
	depmod -b "$stage" "$KRELEASE"
	(cd "$stage" && find -L . ! -type l -print0 | sort -z |
		cpio --quiet --reproducible -0 -o -L -H newc -R 0:0) >"$1" ||
		die "cpio failed"
}
