// SPDX-License-Identifier: BSD-2-Clause
// ---- what is chosen ----

function tell() {
	let name = '', about = '', place = '';
	if (state.tab === 'flame' && state.node >= 0) {
		const i = state.node, what = tree.what[i];
		name = `${costName(what)}  (${costModule(what)})`;
		place = placeOf(codeOfCost(what));
		about = `here: ${count(tree.calls[i])} calls, ${count(tree.total[i])} instructions with what it called (${(100 * tree.total[i] / Math.max(1, whole)).toFixed(2)} %), ` +
			`${count(tree.self[i])} of its own · everywhere: ${count(costs.calls[what])} calls, ${count(costs.self[what])} of its own`;
	} else if (state.tab === 'time' && state.chosen >= 0) {
		const i = state.chosen, what = slices.what[i], off = slices.off[i];
		name = nameOf(what) + (moduleOf(what) ? `  (${moduleOf(what)})` : '') + (slices.calls[i] > 1 ? `  × ${count(slices.calls[i])}, one after the other` : '');
		place = placeOf(codeOfCall(what));
		about = `from ${time(slices.begin[i])}, for ${time(slices.end[i] - slices.begin[i])}, ` +
			(off < 0 ? 'nothing bounds its end' : `begin and end at most ± ${time(off)} off`) +
			(isKernel(what) ? '' : ` · ${count(slices.instructions[i])} instructions`) + ` · depth ${slices.depth[i]}, ${lanes[slices.lane[i]].comm} ${lanes[slices.lane[i]].tid}`;
	}
	$('name').textContent = name;
	$('about').textContent = about + (place && ` · ${place}`) || (state.tab === 'table' ? 'a click on a function shows its calls in the timeline' : 'a click tells what it is, ? how to move');
}

