// SPDX-License-Identifier: BSD-2-Clause
// ---- the address of the page ----

function link() {
	const part = [state.tab === 'time' ? `t=${Math.round(state.from)}-${Math.round(state.to)}` : `tab=${state.tab}`];
	const i = state.chosen, name = text => `f=${encodeURIComponent(text)}`;
	if (state.tab === 'time' && i >= 0)
		part.push(name(nameOf(slices.what[i])), `tid=${lanes[slices.lane[i]].tid}`, `at=${Math.round(slices.begin[i])}`);
	else if (state.tab === 'flame' && state.node >= 0)
		part.push(name(costName(tree.what[state.node])));
	history.replaceState(null, '', '#' + part.join('&'));
}
// Of the calls of a function that are in sight the one that begins at @at, or the longest
function sliceOf(name, tid, at) {
	let best = -1;
	const isBetter = i => at === null ? slices.end[i] - slices.begin[i] > slices.end[best] - slices.begin[best] :
		Math.abs(slices.begin[i] - at) < Math.abs(slices.begin[best] - at);
	for (let i = 0; i < slices.n; i++)
		if (slices.end[i] >= state.from && slices.begin[i] <= state.to && nameOf(slices.what[i]) === name &&
		    (tid === null || lanes[slices.lane[i]].tid === +tid) && (best < 0 || isBetter(i)))
			best = i;
	return best;
}
function nodeOf(name) {
	let best = -1;
	for (let i = 0; i < tree.n; i++)
		if (costName(tree.what[i]) === name && (best < 0 || tree.total[i] > tree.total[best]))
			best = i;
	return best;
}
function read() {
	const address = new URLSearchParams(location.hash.slice(1)), name = address.get('f');
	const range = /^(-?\d+(?:\.\d+)?)(?:-(\d+(?:\.\d+)?))?$/.exec(address.get('t'));
	const tab = ['time', 'flame', 'table'].find(tab => tab === address.get('tab')) || 'time';
	state.tab = tab;
	if (range) {
		const from = +range[1], half = data.length / 100;
		if (range[2] !== undefined)
			move(from, +range[2]);
		else
			move(from - half, from + half);
	} else {
		move(0, data.length);
	}
	if (name !== null && tab === 'time')
		choose(sliceOf(name, address.get('tid'), address.get('at')));
	else if (name !== null && tab === 'flame')
		chooseNode(nodeOf(name));
	else if (name !== null)
		find(name);
	show(tab);
}

