// SPDX-License-Identifier: BSD-2-Clause
// ---- search ----

const matches = name => name.toLowerCase().includes(state.search.toLowerCase());
function find(text) {
	state.search = text;
	if ($('search').value !== text)
		$('search').value = text;
	hits = text ? data.functions.map(([name]) => matches(name)) : null;
	let calls = 0, self = 0;
	if (text)
		for (let i = 0; i < costs.n; i++)
			if (matches(costName(i))) {
				calls += costs.calls[i];
				self += costs.self[i];
			}
	$('hits').textContent = text ? `${count(calls)} calls, ${count(self)} instructions of its own` : '';
	draw();
}
function next(way) {
	if (!hits)
		return;
	const from = state.chosen < 0 ? (way > 0 ? -Infinity : Infinity) : slices.begin[state.chosen];
	let best = -1;
	for (let i = 0; i < slices.n; i++) {
		const ahead = way > 0 ? slices.begin[i] - from : from - slices.begin[i];
		if (!isHit(slices.what[i]) || i === state.chosen || ahead < 0 || (ahead === 0 && (i - state.chosen) * way < 0))
			continue;
		if (best < 0 || (slices.begin[i] - slices.begin[best]) * way < 0)
			best = i;
	}
	if (best < 0)
		return;
	choose(best);
	reveal(best);
}
function reveal(i) {
	const length = slices.end[i] - slices.begin[i], span = state.to - state.from;
	const wide = length > span || length < span / 200 ? length * 12 : span;
	const mid = (slices.begin[i] + slices.end[i]) / 2;
	layout();
	$('scroll').scrollTop = places[slices.lane[i]].y + slices.depth[i] * ROW - $('scroll').clientHeight / 2;
	move(mid - wide / 2, mid + wide / 2);
}

