// SPDX-License-Identifier: BSD-2-Clause
// The first slice of a row that ends behind @t
function first(row, t) {
	let low = 0, high = row.length;
	while (low < high) {
		const mid = low + high >> 1;
		if (slices.end[row[mid]] < t)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

let places = [];	// of lanes: { lane, y }
function layout() {
	let y = RULER;
	places = lanes.map((lane, i) => {
		const place = { lane, i, y };
		y += TITLE + lane.rows.length * ROW + 8;
		return place;
	});
	return y;
}

function ruler(c, width) {
	const span = state.to - state.from;
	let step = 10 ** Math.floor(Math.log10(span / width * 90));
	for (const by of [1, 2, 5, 10])
		if (step * by / span * width >= 90) {
			step *= by;
			break;
		}
	c.fillStyle = style('--bar');
	c.fillRect(0, 0, width, RULER);
	for (let t = Math.ceil(state.from / step) * step; t <= state.to; t += step) {
		const x = (t - state.from) / span * width;
		c.fillStyle = style('--line');
		c.fillRect(Math.round(x), RULER - 6, 1, 6);
		c.fillStyle = style('--faint');
		c.fillText(time(t), x + 4, RULER / 2 - 1);
	}
	c.fillStyle = style('--line');
	c.fillRect(0, RULER - 1, width, 1);
}

function hatch(c, x, y, w) {
	c.save();
	c.beginPath();
	c.rect(x, y, w, ROW - 1);
	c.clip();
	c.strokeStyle = style('--line');
	c.beginPath();
	for (let at = x - ROW - (x % 6); at < x + w; at += 6) {
		c.moveTo(at, y + ROW);
		c.lineTo(at + ROW, y);
	}
	c.stroke();
	c.restore();
}

function whiskers(c, i, y, width) {
	const scale = width / (state.to - state.from), off = slices.off[i];
	c.strokeStyle = style('--hot');
	for (const t of [slices.begin[i], slices.end[i]]) {
		const from = off < 0 ? -1e4 : (t - off - state.from) * scale, to = off < 0 ? 1e5 : (t + off - state.from) * scale;
		c.beginPath();
		c.moveTo(Math.max(-9, from), y);
		c.lineTo(Math.min(width + 9, to), y);
		for (const x of [from, to]) {
			c.moveTo(x, y - 3);
			c.lineTo(x, y + 3);
		}
		c.stroke();
	}
}

function drawRow(c, row, y, width) {
	const scale = width / (state.to - state.from);
	for (let k = first(row, state.from); k < row.length;) {
		const i = row[k], b = slices.begin[i];
		if (b > state.to)
			break;
		const x = Math.max(-2, (b - state.from) * scale), end = Math.min(width + 2, (slices.end[i] - state.from) * scale);
		const w = Math.max(1, end - x - (end - x > 3 ? 1 : 0));
		c.globalAlpha = hits && !isHit(slices.what[i]) ? +style('--dim') : 1;
		c.fillStyle = colour(slices.what[i]);
		c.fillRect(x, y, w, ROW - 1);
		if (slices.calls[i] > 1 && w > 4)
			hatch(c, x, y, w);
		c.fillStyle = style('--text');
		if (w > 20)
			label(c, slices.calls[i] > 1 ? `${nameOf(slices.what[i])} × ${count(slices.calls[i])}` : nameOf(slices.what[i]), Math.max(x, 0), y, end - Math.max(x, 0));
		c.globalAlpha = 1;
		if (i === state.chosen) {
			c.strokeStyle = style('--hot');
			c.strokeRect(x + 0.5, y + 0.5, Math.max(1, w - 1), ROW - 2);
			whiskers(c, i, y + ROW - 5, width);
		}
		// What begins within the same pixel is not seen, unless it is longer than that.
		k = w > 1 ? k + 1 : Math.max(k + 1, first(row, state.from + (x + 1) / scale));
	}
}

function drawTime() {
	const scroll = $('scroll'), width = scroll.clientWidth, height = scroll.clientHeight;
	const tall = layout();
	$('tall').style.height = Math.max(0, tall - height) + 'px';
	const c = begin($('time'), width, height), top = scroll.scrollTop;
	for (const { lane, y } of places) {
		if (y - top > height || y - top + TITLE + lane.rows.length * ROW < 0)
			continue;
		c.fillStyle = style('--faint');
		c.fillText(`${lane.comm}  ${lane.tid}`, 6, y - top + (TITLE - OFF) / 2 + 1);
		lane.rows.forEach((row, depth) => {
			const at = y - top + TITLE + depth * ROW;
			if (at > RULER - ROW && at < height)
				drawRow(c, row, at, width);
		});
	}
	drawWaits(c, width, top);
	drawMarks(c, width, top);
	ruler(c, width);
}

