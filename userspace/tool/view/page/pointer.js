// SPDX-License-Identifier: BSD-2-Clause
// ---- pointer and keys ----

function sliceAt(x, y) {
	const top = $('scroll').scrollTop, t = state.from + (state.to - state.from) * x / $('scroll').clientWidth;
	const pixel = (state.to - state.from) / $('scroll').clientWidth;
	for (const place of places) {
		const row = place.lane.rows[Math.floor((y + top - place.y - TITLE) / ROW)];
		if (!row || y + top < place.y + TITLE)
			continue;
		const k = first(row, t - pixel);
		return k < row.length && slices.begin[row[k]] <= t + pixel ? row[k] : -1;
	}
	return -1;
}
const nodeAt = (x, y) => (boxes.find(b => x >= b.x && x < b.x + Math.max(1, b.w) && y >= b.y && y < b.y + ROW) || { i: -1 }).i;

let drag = null;
$('time').onpointerdown = event => {
	drag = { x: event.clientX, y: event.clientY, from: state.from, to: state.to, top: $('scroll').scrollTop, far: false };
	$('time').setPointerCapture(event.pointerId);
};
$('time').onpointermove = event => {
	if (!drag) {
		$('time').title = tip(event.offsetX, event.offsetY);
		return;
	}
	const dx = event.clientX - drag.x;
	drag.far = drag.far || Math.abs(dx) + Math.abs(event.clientY - drag.y) > 4;
	if (!drag.far)
		return;
	const by = dx / $('scroll').clientWidth * (drag.to - drag.from);
	$('scroll').scrollTop = drag.top - (event.clientY - drag.y);
	move(drag.from - by, drag.to - by);
};
// The first click of two may open the code, which moves what is under the pointer: the second is for the same call.
let lastClick = { at: -Infinity };
const isSecond = event => event.timeStamp - lastClick.at < 500 && Math.hypot(event.clientX - lastClick.x, event.clientY - lastClick.y) < 5;
$('time').onpointerup = event => {
	if (drag && !drag.far && !isSecond(event)) {
		choose(sliceAt(event.offsetX, event.offsetY));
		draw();
		lastClick = { at: event.timeStamp, x: event.clientX, y: event.clientY };
	}
	drag = null;
};
function zoomTo(i) {
	if (i < 0)
		return;
	const length = Math.max(slices.end[i] - slices.begin[i], 1);
	move(slices.begin[i] - length * 0.05, slices.end[i] + length * 0.05);
}
$('time').ondblclick = () => zoomTo(state.chosen);
$('scroll').addEventListener('wheel', event => {
	if (event.shiftKey)
		return;
	event.preventDefault();
	if (Math.abs(event.deltaX) > Math.abs(event.deltaY))
		pan(event.deltaX / 1000);
	else
		zoom(1.0015 ** event.deltaY, event.offsetX / $('scroll').clientWidth);
}, { passive: false });
$('scroll').onscroll = draw;
const parentOf = i => i < 0 || tree.parent[i] === ROOT ? -1 : tree.parent[i];
function zoomFlame(i) {
	state.flame = i === state.flame ? parentOf(i) : i;
	chooseNode(i);
	draw();
}
$('flame').onclick = event => zoomFlame(nodeAt(event.offsetX, event.offsetY));
$('flame').onpointermove = event => {
	const i = nodeAt(event.offsetX, event.offsetY);
	if (i >= 0 && i !== state.node) {
		state.node = i;
		draw();
	}
};
$('search').oninput = () => find($('search').value);
$('search').onkeydown = event => {
	event.stopPropagation();
	if (event.key === 'Enter') {
		if (state.tab === 'table')
			show('time');
		next(event.shiftKey ? -1 : 1);
		$('search').blur();
	} else if (event.key === 'Escape') {
		find('');
		$('search').blur();
	}
};

