# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # boot sets what is used here
# Sourced by boot: the same guest in Bochs, which emulates FRED. SOFTPT_BOCHS is one that was configured with
# --enable-fred --enable-x86-64 --with-nogui; Debian's is built without FRED. It boots from a CD alone.

bochs_usable() {
	[ -x "${SOFTPT_BOCHS:-}" ] && command -v xorriso >/dev/null && [ -f /usr/lib/ISOLINUX/isolinux.bin ] &&
		[ -f /usr/share/bochs/BIOS-bochs-latest ] && [ -f /usr/share/vgabios/vgabios.bin ]
}

# The image as the kernel's package has it: Bochs starts no vmlinux.
bochs_cd() {
	local image=$MODDIR/vmlinuz cd=$work/cd
	[ -f "$image" ] || image=${MODDIR%/lib/modules/*}/boot/vmlinuz-$KRELEASE
	mkdir "$cd"
	ln -s "$image" "$cd/vmlinuz"
	ln -s "$work/initrd" "$cd/initrd"
	cp /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/modules/bios/ldlinux.c32 "$cd"
	printf '%s\n' 'default linux' 'prompt 0' 'label linux' 'kernel vmlinuz' \
		"append initrd=initrd console=ttyS0 loglevel=5 panic=-1 oops=panic tsc=reliable fred=on $append" \
		>"$cd/isolinux.cfg"
	xorriso -as mkisofs -quiet -f -o "$work/cd.iso" -b isolinux.bin -c boot.cat -no-emul-boot -boot-load-size 4 \
		-boot-info-table "$cd" >/dev/null 2>&1 || die "xorriso failed"
}

bochs_config() {
	cat <<-CONFIG
	display_library: nogui
	cpu: model=wildcat_lake, count=1, ips=200000000, reset_on_triple_fault=0, ignore_bad_msrs=1
	memory: guest=$mem, host=$mem
	romimage: file=/usr/share/bochs/BIOS-bochs-latest
	vgaromimage: file=/usr/share/vgabios/vgabios.bin
	pci: enabled=1, chipset=i440fx
	ata0-master: type=cdrom, path=$work/cd.iso, status=inserted
	boot: cdrom
	com1: enabled=1, mode=file, dev=$work/console.log
	com2: enabled=1, mode=file, dev=$work/said
	port_e9_hack: enabled=1
	clock: sync=none, time0=$(date +%s)
	log: $work/bochs.log
	panic: action=fatal
	error: action=ignore
	info: action=ignore
	CONFIG
}

# As start_qemu(). A guest that has switched itself off has ended well, whatever Bochs calls it.
start_bochs() {
	local status=0
	exec 3>"$work/said"	# its reader waits for somebody to open it
	bochs_cd
	bochs_config >"$work/bochsrc"
	timeout -k 5 "$timeout" "$SOFTPT_BOCHS" -q -f "$work/bochsrc" >"$work/bochs.out" 2>&1 </dev/null || status=$?
	! grep -q 'soft power off' "$work/bochs.log" || status=$LEFT_WELL
	# Port 0xe9 is Bochs's own output, as is what it says of itself.
	grep -aoE '^[0-9]+$' "$work/bochs.out" | tail -n1 >"$work/status" || true
	exit "$status"
}
