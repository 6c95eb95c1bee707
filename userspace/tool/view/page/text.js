// SPDX-License-Identifier: BSD-2-Clause
// ---- texts ----

const count = n => Math.round(n).toLocaleString('en-US');
function time(t) {
	t += 0;		// -0 is 0
	if (data.unit !== 'ns')
		return count(t) + ' ticks';
	const a = Math.abs(t);
	const [unit, by] = a < 1e3 ? ['ns', 1] : a < 1e6 ? ['µs', 1e3] : a < 1e9 ? ['ms', 1e6] : ['s', 1e9];
	return (t / by).toLocaleString('en-US', { maximumFractionDigits: by === 1 ? 0 : 3 }) + ' ' + unit;
}
const isKernel = what => what >= SYSCALL && what !== MERGED;
const nameOf = what => what === KERNEL ? 'kernel' : what === MERGED ? 'short calls' :
	what >= SYSCALL ? data.syscalls[what - SYSCALL] ?? `system call ${what - SYSCALL}` : data.functions[what][0];
const moduleOf = what => what >= SYSCALL ? '' : data.functions[what][1];

