# SPDX-License-Identifier: BSD-2-Clause
# Seeds that have the structure of what the targets read: golden cases and random events, and what the engine makes of
# them. seed_TARGET DIR writes them; $softpt is the command.
# shellcheck shell=bash disable=SC2154

tree=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")

# golden_part FILE config|events
golden_part() {
	case $2 in
	config) sed -n 's/^config: *//p' "$1" ;;
	events) sed -n '/^events:/,/^[a-df-z]*:/p' "$1" | grep '^[0-9+]' ;;
	esac
}

# each_golden COMMAND...: called with NAME, CONFIG, and the events in the file ./events
each_golden() {
	local file
	for file in "$tree"/selftests/host/golden/*.golden; do
		golden_part "$file" events >events
		"$@" "$(basename "$file" .golden)" "$(golden_part "$file" config)"
	done
}

# each_random COMMAND...: the same, of random events in configurations that differ
each_random() {
	local seed=1 config
	for config in suppress=2,psb_freq=0 cyc=1,suppress=2,preroll=2 cyc=1,cyc_thresh=3 suppress=1,resume=tsc cyc=1,tnt64=1; do
		python3 "$tree/selftests/host/oracle/gen.py" --seed $seed --count 200 2>/dev/null | grep -v '^#' >events
		"$@" "random-$seed" $config
		seed=$((seed + 1))
	done
}

simulate() {
	"$softpt" sim events -o trace -c "$1" 2>/dev/null || : >trace
}

seed_events() {
	keep() { cp events "$dir/$1"; }
	local dir=$1
	each_golden keep
}

seed_time() {
	keep() { { echo "$2"; head -n 120 events; } >"$dir/$1"; }
	local dir=$1
	each_golden keep
	each_random keep
}

seed_packets() {
	keep() { simulate "$2"; head -c 1000 trace >"$dir/$1"; }
	local dir=$1
	each_golden keep
	each_random keep
}

# Three instructions as QEMU logs them, the last of two lines; then the same with a thread beside it, and without code
seed_import() {
	code() { printf '%s\n' ---------------- 'IN: ' "$@" ''; }
	run() { printf 'Trace %d: 0x7f0000000000 [0000000000000000/%016x/0000c0b3/00000000] \n' "$1" "$2"; }
	all() {
		code '0x00401000:  eb 02                    jmp      0x401004'
		code '0x00401004:  e8 f7 ff ff ff           callq    0x401000'
		code '0x00401009:  48 b8 88 77 66 55 44 33  movabsq  $0x1122334455667788, %rax' '0x00401011:  22 11'
	}
	{ all; run 0 $((0x401000)); run 0 $((0x401004)); run 0 $((0x401000)); } >"$1/jumps"
	{ all; run 0 $((0x401000)); run 1 $((0x401009)); run 0 $((0x401004)); } >"$1/threads"
	{ run 0 $((0x401000)); run 0 $((0x401004)); } >"$1/nothing"
}

# The first byte says of what
seed_tables() {
	keep() {
		"$softpt" sim events -o trace -t truth -c "$2" 2>/dev/null || return 0
		{ printf 1; head -n 60 truth; } >"$dir/$1"
		{ printf 1; head -n 60 truth | sed '1s/$/,cpu,from/; 2,$s/$/,3,jmp/'; } >"$dir/$1-recorded"
	}
	local dir=$1
	each_golden keep
	printf '0index,ip,cycles,valid,flushed,early\n0,0x401000,5,1,0,0\n1,0x401004,1,1,0,1\n' >"$dir/ear"
	printf '0index,ip,cycles,valid,flushed,early,count,squashed,stages,min,delay,write,events,stage,occupied\n%s\n' \
		0,0x401000,5,1,0,0,1,0,5,1,0,1,2,3,2 >"$dir/ear-pipeline"
}

# In every way that the target may ask for: the first byte
seed_decoder() {
	keep() {
		local mode
		simulate "$2"
		for mode in 000 002 003 007 013 047; do
			{ printf '%b' "\\0$mode"; head -c 4000 trace; } >"$dir/$1-$mode"
		done
	}
	local dir=$1
	each_golden keep
	each_random keep
}

# A loop of calls and moves, and the code that it runs through
seed_port() {
	local period step
	for period in 128 200; do
		for step in $(seq 0 60); do
			echo "+1 retire $((4096 + step % 5 * 8)) 1"
			echo "+$((step % 3)) mtlr 0x1000"
			echo "+1 call 0x1008 0x1020"
			[ $((step % 7)) != 0 ] || echo "+0 trig 1"
		done >events
		"$softpt" sim events -o trace -c format=port,se_period=$period
		{ cat trace; printf '\x60\x00\x00\x00\x48\x00\x00\x11\x4e\x80\x00\x20\x7c\x68\x03\xa6%.0s' $(seq 16); } >"$1/$period"
	done
}

# What an analyser may write, of vectors and of bits; the first byte says how it is read
seed_capture() {
	local how
	for how in 0 2 4 20 100; do
		printf '%b%s\n' "\\0$how" '$timescale 1ns $end' '$scope module top $end' '$var wire 3 ! ES [2:0] $end' '$var wire 4 " TS [3:0] $end' \
			'$var wire 1 # C $end' '$var wire 7 $ D $end' '$enddefinitions $end' '$dumpvars' 'bx !' 'b0 "' '0#' '$end' '#0' 'b10 !' '#3' 'b101 "' \
			'1#' '#6' '0#' 'b1000 "' 'b1010000 $' '#12' >"$1/vector-$how"
		printf '%b%s\n' "\\0$how" '$var wire 1 a ES0 $end $var wire 1 b ES1 $end $var wire 1 c ES2 $end' '$var wire 1 d TS[0] $end' \
			'$var wire 1 e TS1 $end $var wire 1 f TS2 $end $var wire 1 g TS3 $end $enddefinitions $end' '#1 1a 0b 0c 0d 0e 1f 1g' '#9 xa' >"$1/bits-$how"
	done
	for how in 1 3 5 41; do
		printf '%b%s\n' "\\0$how" 'Time [s],ES,TS,"C"' '0.000000001,010,0,0' '1e-8,2,0x5,1' '2.5e-8,0,d,0' >"$1/names-$how"
		printf '%b%s\n' "\\0$how" '; logic' 'time;a;b;c;d;e;f;C' '0;1;0;0;1;1;0;1' '1;1;0;0;1;1;1;0' >"$1/numbers-$how"
	done
}

# je 4; jmp 0; call 16; jmp *rax; ...; 16: ptwrite eax; syscall; ret
seed_flow() {
	local step config code='\x74\x02\xeb\xfc\xe8\x07\x00\x00\x00\xff\xe0\x90\x90\x90\x90\x90\xf3\x0f\xae\xe0\x0f\x05\xc3'
	{
		echo "10 enable 0x401000"
		for step in $(seq 12); do
			echo "+9 jcc 0x401000 not"
			echo "+1 jmp 0x401002 0x401000"
			echo "+400 jcc 0x401000 taken 0x401004"
			echo "+1 call 0x401004 0x401010"
			echo "+5 ptw $step 0x401010"
			[ $((step % 4)) != 0 ] || { echo "+1 disable 0x401014"; echo "+2000 enable 0x401016"; }
			echo "+2 ret 0x401016 0x401009"
			echo "+3 ijmp 0x401009 0x401000"
			[ $((step % 5)) != 0 ] || echo "+1 intr 0x401000 0x401016 3 14"
			[ $((step % 5)) != 0 ] || echo "+1 ret 0x401016 0x401000"
		done
	} >events
	for config in os=0 os=0,cyc=1,retc=0 os=0,suppress=1,psb_freq=0; do
		simulate ptw=1,$config
		{ printf '\x01'; cat trace; printf '%b' "$code"; head -c $((256 - $(printf '%b' "$code" | wc -c))) /dev/zero; } >"$1/$config"
	done
}

# A file of one CPU, of two, and one with what the kernel tells of processes
seed_perf() {
	keep() {
		simulate "$2"
		"$softpt" export -t perf -o "$dir/$1" trace 2>/dev/null || rm -f "$dir/$1"
	}
	local dir=$1
	each_golden keep
	"$softpt" export -t perf -o "$dir/two" trace trace
	cp "$dir/two" "$dir/records"
	PYTHONPATH=$tree/selftests/host/flow python3 - "$dir/records" <<-'END'
		import sys
		import perfdata as p
		a, b, c = (10, 10), (11, 11), (10, 12)
		p.add(sys.argv[1], [
		    p.mapping(a, 0, 1, 0x401000, 4096, 0, '/bin/a'), p.mapping(a, 0, 1, 1 << 40, 8, 0, '[vdso]'),
		    p.comm(a, 0, 1, 'a', True), p.fork(b, a, 0, 2), p.fork(c, a, 0, 3), p.switch(a, 0, 4, True),
		    p.switch(b, 0, 4), p.switch(c, 1, 5), p.comm(b, 1, 6, 'b', True)], b'vdso bytes')
	END
}
