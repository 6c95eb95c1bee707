// SPDX-License-Identifier: BSD-2-Clause
// A function of the table: Enter is a click, arrows go on
$('table').onkeydown = event => {
	const at = event.target.closest('th, tbody tr');
	const to = at && { Enter: at, ArrowDown: at.nextElementSibling, ArrowUp: at.previousElementSibling }[event.key];
	if (!to || event.key !== 'Enter' && at.tagName === 'TH')
		return;
	event.preventDefault();
	event.stopPropagation();
	if (event.key === 'Enter')
		to.click();
	else
		to.focus();
};
// The call beside, above or below a call, by the name of a key; -1: there is none
function callBeside(i, key) {
	const { rows } = lanes[slices.lane[i]], depth = slices.depth[i], row = rows[depth];
	if (key === 'ArrowLeft' || key === 'ArrowRight')
		return row[row.indexOf(i) + (key === 'ArrowLeft' ? -1 : 1)] ?? -1;
	const other = rows[depth + (key === 'ArrowUp' ? -1 : 1)] || [];
	let k = first(other, key === 'ArrowUp' ? slices.end[i] : slices.begin[i]);
	while (key === 'ArrowDown' && k < other.length && slices.begin[other[k]] < slices.begin[i])
		k++;
	const [inner, outer] = key === 'ArrowUp' ? [i, other[k]] : [other[k], i];
	return slices.begin[inner] >= slices.begin[outer] && slices.end[inner] <= slices.end[outer] ? other[k] : -1;
}
function stepCall(key) {
	const from = state.chosen;
	const to = from >= 0 ? callBeside(from, key) : places.map(({ lane }) => lane.rows[0] || []).map(row => row[first(row, state.from)])
		.find(i => slices.begin[i] <= state.to) ?? -1;
	if (to < 0)
		return;
	choose(to);
	if (from >= 0)
		reveal(to);
	draw();
}
function stepNode(key) {
	const i = state.node, siblings = children.get(i < 0 ? state.flame : parentOf(i)) || [];
	const to = i < 0 ? siblings[0] : key === 'ArrowUp' ? parentOf(i) : key === 'ArrowDown' ? (children.get(i) || [])[0] :
		siblings[siblings.indexOf(i) + (key === 'ArrowLeft' ? -1 : 1)];
	if (to === undefined || to < 0)
		return;
	// What is above the zoom is drawn as wide as it: what is beside that is not.
	for (let up = to; state.flame >= 0 && up !== state.flame; up = parentOf(up))
		if (up < 0) {
			state.flame = parentOf(to);
			break;
		}
	chooseNode(to);
	draw();
}
const arrow = (key, move) => shift => state.tab === 'flame' ? stepNode(key) : shift ? stepCall(key) : move();
const KEYS = {
	w: () => zoom(0.6, 0.5), s: () => zoom(1 / 0.6, 0.5), a: () => pan(-0.2), d: () => pan(0.2),
	ArrowUp: arrow('ArrowUp', () => zoom(0.6, 0.5)), ArrowDown: arrow('ArrowDown', () => zoom(1 / 0.6, 0.5)),
	ArrowLeft: arrow('ArrowLeft', () => pan(-0.2)), ArrowRight: arrow('ArrowRight', () => pan(0.2)),
	Enter: () => state.tab === 'flame' ? state.node >= 0 && zoomFlame(state.node) : zoomTo(state.chosen),
	0: () => { state.flame = -1; move(0, data.length); }, 1: () => show('time'), 2: () => show('flame'), 3: () => show('table'),
	n: () => next(1), N: () => next(-1), '?': () => document.querySelector('dialog').showModal(),
	'/': () => { $('search').focus(); $('search').select(); },
	e: () => code.insns.length && openSource(!wanted),
	i: () => showKind(state.kind === 'lines' ? 'insns' : 'lines'),
	Escape: () => { choose(-1); state.node = -1; find(''); },
};
// Enter is of a button that has the focus, and arrows scroll the code and the table
function isElsewhere(event) {
	return event.key === 'Enter' ? event.target.closest('button') : event.key.startsWith('Arrow') &&
		(state.tab === 'table' || event.target.closest('#text'));
}
onkeydown = event => {
	const key = KEYS[event.key];
	if (!key || event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog').open || isElsewhere(event))
		return;
	event.preventDefault();
	key(event.shiftKey);
};
$('help').onclick = KEYS['?'];
$('lines').onclick = KEYS.e;
for (const button of document.querySelectorAll('[data-tab]'))
	button.onclick = () => show(button.dataset.tab);
for (const button of $('kind').children)
	button.onclick = () => showKind(button.dataset.kind);
onresize = draw;
onhashchange = read;
dark.onchange = () => { shades.clear(); draw(); };

