// SPDX-License-Identifier: BSD-2-Clause
// ---- colours: a hue for each module, a shade for each function ----

function hash(text) {
	let h = 2166136261;
	for (let i = 0; i < text.length; i++)
		h = Math.imul(h ^ text.charCodeAt(i), 16777619);
	return h >>> 0;
}
const dark = matchMedia('(prefers-color-scheme: dark)');
const HUES = [212, 28, 150, 330, 265, 55, 185, 0, 95, 300];
const hues = new Map();
const shades = new Map();
function shade(name, module) {
	const key = name + '\0' + module;
	if (!shades.has(key)) {
		if (!hues.has(module))
			hues.set(module, HUES[hues.size % HUES.length]);
		const h = hash(name) % 24;
		shades.set(key, `hsl(${hues.get(module) - 6 + h % 13} ${dark.matches ? 34 : 62}% ${dark.matches ? 30 + h % 12 : 74 + h % 12}%)`);
	}
	return shades.get(key);
}
const colour = what => what >= SYSCALL ? (dark.matches ? '#3c434c' : '#d3d7dd') : shade(nameOf(what), moduleOf(what));
const style = name => getComputedStyle(document.documentElement).getPropertyValue(name);

