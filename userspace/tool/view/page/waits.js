// SPDX-License-Identifier: BSD-2-Clause
// ---- waits and marks: where a thread is off its CPU, and what happened at a moment ----

const WAIT_COLOURS = { preempted: '--hot', blocked: '--mark' };
const waitsOf = lanes.map(() => []);
for (const wait of data.waits)
	waitsOf[wait[3]].push(wait);
const isQuiet = event => event === 'fault' || event === 'irq';

function drawWait(c, [begin, end, , , why], x, y, w) {
	c.globalAlpha = 0.35;
	c.fillStyle = style(WAIT_COLOURS[why] || '--faint');
	c.fillRect(x, y, Math.max(1, w), ROW - 1);
	c.globalAlpha = 1;
	c.fillStyle = style('--text');
	label(c, why || 'off CPU', Math.max(x, 0), y, x + w - Math.max(x, 0));
}
function drawWaits(c, width, top) {
	const scale = width / (state.to - state.from);
	for (const { i, y } of places) {
		let drawn = -Infinity;
		for (const wait of waitsOf[i]) {
			const x = Math.max(-2, (wait[0] - state.from) * scale), end = Math.min(width + 2, (wait[1] - state.from) * scale);
			if (end < 0 || x > width || end < drawn)
				continue;
			drawWait(c, wait, x, y - top + TITLE - OFF, end - x);
			drawn = x + 1;
		}
	}
}
function drawMarks(c, width, top) {
	const scale = width / (state.to - state.from);
	for (const [t, lane, event] of data.marks) {
		const x = (t - state.from) * scale, y = places[lane].y - top + TITLE - OFF;
		if (x < -3 || x > width + 3)
			continue;
		c.fillStyle = style(isQuiet(event) ? '--faint' : '--mark');
		c.beginPath();
		c.moveTo(x - 4, y - 9);
		c.lineTo(x + 4, y - 9);
		c.lineTo(x, y - 1);
		c.fill();
	}
}

// What is below the pointer, in a word: a wait, a mark or a call
const since = (begin, end) => `from ${time(begin)}, for ${time(end - begin)}`;
function waitAt(lane, t) {
	const wait = waitsOf[lane].find(([begin, end]) => begin <= t && t <= end);
	return wait ? `off CPU: ${wait[4]}, ${since(wait[0], wait[1])}` + (wait[2] < 0 ? '' : ` ± ${time(wait[2])}`) : '';
}
function markAt(lane, t, near) {
	const mark = data.marks.find(([at, other]) => other === lane && Math.abs(at - t) < near);
	return mark ? ({ fault: 'page fault at', irq: 'interrupt to' }[mark[2]] || mark[2]) + (isQuiet(mark[2]) || mark[2] === 'ptw' ? ` ${mark[3]}` : '') : '';
}
function tip(x, y) {
	const pixel = (state.to - state.from) / $('scroll').clientWidth, t = state.from + pixel * x, i = sliceAt(x, y);
	if (i >= 0)
		return `${nameOf(slices.what[i])}, ${since(slices.begin[i], slices.end[i])}`;
	const at = y + $('scroll').scrollTop, place = places.find(place => at >= place.y && at < place.y + TITLE);
	return !place ? '' : at < place.y + TITLE - OFF ? markAt(place.i, t, 5 * pixel) : waitAt(place.i, t);
}
