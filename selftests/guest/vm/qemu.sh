# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # boot sets what is used here
# Sourced by boot: starts QEMU, and finds out whether KVM really works.

# What guest/leave.c writes to isa-debug-exit, as QEMU returns it.
LEFT_WELL=33

# A /dev/kvm that opens is no proof. The answer holds until the host boots again.
kvm_works() {
	local mark init status=0
	[ -w /dev/kvm ] || return 1
	mark=$cache/kvm-$(head -c 8 /proc/sys/kernel/random/boot_id)
	if [ ! -f "$mark" ]; then
		init=$(mktemp -d)
		cp "$(helper guest/leave.c)" "$init/init"
		(cd "$init" && echo init | cpio --quiet -o -H newc) >"$init.cpio"
		timeout -k 1 15 qemu-system-x86_64 -accel kvm -cpu max -m 512 -nodefaults -display none -no-reboot \
			-device isa-debug-exit,iobase=0xf4,iosize=4 -kernel "$KIMAGE" -initrd "$init.cpio" \
			-append "panic=-1 quiet" >/dev/null 2>&1 </dev/null || status=$?
		rm -rf "$init" "$init.cpio"
		echo $status >"$mark"
	fi
	[ "$(cat "$mark")" = $LEFT_WELL ]
}

# QEMU 7.2 with a thread per CPU now and then keeps a translation of what another CPU was patching. A kernel that patches
# itself (jump labels: the stock ones) then dies of the INT3 of a patch that is long done: seen in __schedule right after
# perf_event_open() had switched perf's static key, by the CPU that had done it. With one thread no CPU runs while another
# patches. QEMU locks the page of what it translates since 8.1.
threads() {
	local version major minor
	version=$(qemu-system-x86_64 --version | sed -n '1s/.* \([0-9]*\)\.\([0-9]*\)\..*/\1 \2/p')
	! is_sanitised "$kernel" || { echo multi; return; }
	read -r major minor <<<"$version"
	if [ "$((major * 100 + minor))" -lt 801 ]; then echo single; else echo multi; fi
}

accelerator() {
	if [ -n "$icount" ]; then
		echo "-accel tcg,thread=single -icount shift=0,sleep=off -rtc base=2026-01-01,clock=vm -seed 1"
	elif [ "${SOFTPT_ACCEL:-}" = kvm ] || { [ -z "${SOFTPT_ACCEL:-}" ] && kvm_works; }; then
		echo "-accel kvm"
	else
		echo "-accel tcg,thread=$(threads)"
	fi
}

# The TSC is the host's where QEMU emulates. A guest that measures it on a busy host may be wrong about all time: 149 MHz
# of 2593 were seen ("PIT calibration deviates from HPET"), with stalls and time limits that were over 17 times too soon.
tsc_rate() {
	local khz
	[ -z "$icount" ] && [ "$1" = tcg ] || return 0
	khz=$("$(helper tsc-khz.c)") || die "cannot measure the TSC"
	echo "tsc_early_khz=$khz"
}

# start_qemu DIR: DIR gets console.log, status and out.tar; what the guest prints goes to the fifo DIR/said.
start_qemu() {
	local dir=$1 args
	read -r -a args < <(accelerator)
	append="$append $(tsc_rate "${args[1]%%,*}")"
	[ -z "$want_out" ] || args+=(-device virtio-serial-pci -chardev "file,id=out,path=$dir/out.tar"
		-device "virtserialport,chardev=out,name=out")
	exec timeout -k 5 "$timeout" qemu-system-x86_64 "${args[@]}" -cpu "$cpu" -smp "$smp" -m "$mem" \
		-nodefaults -display none -vga none -no-reboot \
		-serial "file:$dir/console.log" -serial "file:$dir/said" \
		-chardev "file,id=status,path=$dir/status" -device isa-debugcon,iobase=0xe9,chardev=status \
		-device isa-debug-exit,iobase=0xf4,iosize=4 \
		-kernel "$KIMAGE" -initrd "$dir/initrd" \
		-append "console=ttyS0 loglevel=5 panic=-1 oops=panic tsc=reliable $append" </dev/null
}
