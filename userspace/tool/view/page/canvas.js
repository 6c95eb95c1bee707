// SPDX-License-Identifier: BSD-2-Clause
// ---- drawing ----

// Below the name of a thread is where it is off its CPU, if the recording tells that.
const ROW = 19, OFF = data.waits.length ? ROW + 3 : 0, TITLE = 22 + OFF, RULER = 24, FONT = '12px system-ui, sans-serif';
function begin(canvas, width, height) {
	const ratio = devicePixelRatio || 1;
	canvas.width = Math.round(width * ratio);
	canvas.height = Math.round(height * ratio);
	canvas.style.width = width + 'px';
	canvas.style.height = height + 'px';
	const c = canvas.getContext('2d');
	c.scale(ratio, ratio);
	c.font = FONT;
	c.textBaseline = 'middle';
	return c;
}
function label(c, text, x, y, width) {
	const room = width - 8;
	if (room < 14)
		return;
	let all = c.measureText(text).width;
	if (all > room) {
		text = text.slice(0, Math.max(1, Math.floor(text.length * room / all) - 1)) + '…';
		all = c.measureText(text).width;
		if (all > room)
			return;
	}
	c.fillText(text, x + 4, y + ROW / 2);
}

const state = { tab: 'time', from: 0, to: Math.max(data.length, 1), chosen: -1, search: '', flame: -1, node: -1, kind: 'lines', sort: 'self', down: true };
let hits = null;
const isHit = what => hits && (what < SYSCALL ? hits[what] : what < MERGED && matches(nameOf(what)));

