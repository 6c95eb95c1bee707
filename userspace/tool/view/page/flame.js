// SPDX-License-Identifier: BSD-2-Clause
// ---- flame graph ----

const children = new Map(), depths = new Uint32Array(tree.n);
for (let i = 0; i < tree.n; i++) {
	const parent = tree.parent[i] === ROOT ? -1 : tree.parent[i];
	depths[i] = parent < 0 ? 0 : depths[parent] + 1;
	if (!children.has(parent))
		children.set(parent, []);
	children.get(parent).push(i);
}
for (const list of children.values())
	list.sort((a, b) => tree.total[b] - tree.total[a]);
const whole = (children.get(-1) || []).reduce((sum, i) => sum + tree.total[i], 0);
const costName = what => costs.functions[what][0], costModule = what => costs.functions[what][1];
let boxes = [];

function drawFlame() {
	const main = document.querySelector('main'), width = main.clientWidth, height = main.clientHeight;
	const c = begin($('flame'), width, height), above = [];
	boxes = [];
	for (let i = state.flame; i >= 0; i = tree.parent[i] === ROOT ? -1 : tree.parent[i])
		above.unshift(i);
	const box = (i, x, y, w, faint) => {
		const what = tree.what[i], name = costName(what);
		c.globalAlpha = faint || (hits && !matches(name)) ? +style('--dim') * (faint ? 2 : 1) : 1;
		c.fillStyle = shade(name, costModule(what));
		c.fillRect(x, y, Math.max(0.5, w - 1), ROW - 1);
		c.fillStyle = style('--text');
		label(c, name, x, y, w);
		c.globalAlpha = 1;
		if (i === state.node) {
			c.strokeStyle = style('--hot');
			c.strokeRect(x + 0.5, y + 0.5, Math.max(1, w - 2), ROW - 2);
		}
		boxes.push({ i, x, y, w });
	};
	above.forEach((i, level) => box(i, 0, level * ROW + 4, width, i !== state.flame));
	const stack = [];
	const put = (list, x, y, scale) => {
		for (const i of list || []) {
			const w = tree.total[i] * scale;
			if (w < 0.4)
				break;
			stack.push([i, x, y, scale]);
			x += w;
		}
	};
	const all = state.flame < 0 ? whole : tree.total[state.flame];
	put(children.get(state.flame), 0, above.length * ROW + 4, width / Math.max(1, all));
	while (stack.length) {
		const [i, x, y, scale] = stack.pop();
		if (y > height)
			continue;
		box(i, x, y, tree.total[i] * scale, false);
		put(children.get(i), x, y + ROW, scale);
	}
}

