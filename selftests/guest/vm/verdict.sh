# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # boot sets what is used here
# Sourced by boot: judges a guest that has ended, from what it said, its status, QEMU's exit code and the console.

keep_out() {
	mkdir -p "$out"
	cp "$work/console.log" "$work/said.log" "$out/"
	[ -s "$work/out.tar" ] || { note "boot: the guest sent no /out"; return; }
	tar -x --no-same-owner --no-overwrite-dir -C "$out" -f "$work/out.tar"
}

# Prints each reason not to trust the guest, one a line.
complaints() {
	local splats
	case $code in
	"$LEFT_WELL") ;;
	124 | 137) echo "the guest did not end within $timeout s" ;;
	*) echo "the guest died (QEMU's exit code is $code)" ;;
	esac
	# What the guest has found and told needs no second telling.
	[ "$failed" != 0 ] || ! splats=$(grep -c -E -f "$guest_dir/splats" "$work/judged.log") ||
		echo "the console holds $splats lines of kernel trouble"
	[ -n "$command" ] || [ "$code" != "$LEFT_WELL" ] && return
	[ "$failed" != 0 ] || [ "$(cat "$work/status")" = 0 ] || echo "the guest's own verdict is not 0"
	[ "$planned" = "$results" ] || echo "the guest planned ${planned:-nothing} and gave $results results"
	[ "$results" -gt 0 ] || echo "no test ran"
	return 0
}

console_tail() {
	grep -E -A 12 -m 3 -f "$guest_dir/splats" "$work/judged.log" || tail -n 8 "$work/console.log"
}

verdict_of_command() {
	local status
	status=$(cat "$work/status")
	[ -z "$wrong" ] || { note "boot: $wrong"; console_tail | sed 's/^/  console: /' >&2; }
	[ -z "$wrong" ] || [ "${status:-0}" != 0 ] || status=1
	exit "${status:-1}"
}

verdict() {
	local wrong planned results failed
	planned=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$work/said.log" | tail -n1)
	results=$(grep -c -E '^(not )?ok [0-9]' "$work/said.log" || true)
	failed=$(grep -c '^not ok' "$work/said.log" || true)
	awk -v "module=$MODULE" -f "$guest_dir/guest/races.awk" "$work/console.log" >"$work/judged.log"
	wrong=$(complaints)
	[ -z "$command" ] || verdict_of_command
	if [ -z "$wrong" ]; then
		echo "ok $((results + 1)) - guest ends well"
	else
		printf '# %s\n' "$wrong" | sed '2,$s/^/# /'
		console_tail | sed 's/^/# console: /'
		echo "not ok $((results + 1)) - guest ends well"
	fi
	echo "1..$((results + 1))"
	[ -z "$wrong" ] && [ "$failed" = 0 ]
}
