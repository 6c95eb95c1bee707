// SPDX-License-Identifier: BSD-2-Clause
// ---- moving ----

function move(from, to) {
	const least = data.unit === 'ns' ? 20 : 40, all = Math.max(data.length, 1);
	let span = Math.min(Math.max(to - from, least), all * 1.02);
	const mid = (from + to) / 2;
	state.from = Math.min(Math.max(mid - span / 2, -all * 0.01), Math.max(all * 1.01 - span, -all * 0.01));
	state.to = state.from + span;
	link();
	draw();
}
function zoom(by, x) {
	const at = state.from + (state.to - state.from) * x;
	move(at - (at - state.from) * by, at + (state.to - at) * by);
}
const pan = by => move(state.from + (state.to - state.from) * by, state.to + (state.to - state.from) * by);

