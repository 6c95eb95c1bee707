// SPDX-License-Identifier: BSD-2-Clause
'use strict';
const $ = id => document.getElementById(id);
const data = JSON.parse($('data').textContent);

// ---- what the command wrote: rows of numbers as base64, little-endian ----

function decode(text, type) {
	const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
	return new type(bytes.buffer);
}
function columns(table, types) {
	const out = { n: table.n };
	for (const key in types)
		out[key] = decode(table[key], types[key]);
	return out;
}
const KERNEL = 0xffffffff, MERGED = 0xfffffffe, SYSCALL = 0xf0000000, ROOT = 0xffffffff;
const slices = columns(data.slices, { begin: Float64Array, end: Float64Array, off: Float32Array, what: Uint32Array,
	lane: Uint32Array, depth: Uint32Array, calls: Uint32Array, instructions: Float64Array });
const tree = columns(data.tree, { parent: Uint32Array, what: Uint32Array, calls: Float64Array, self: Float64Array,
	total: Float64Array });
const costs = columns(data.costs, { calls: Float64Array, self: Float64Array, total: Float64Array, time: Float64Array });
costs.functions = data.costs.functions;
const source = data.source;
const code = { insns: data.code.insns, ofCall: decode(data.code.of_call, Uint32Array), ofCost: decode(data.code.of_cost, Uint32Array) };

// Of each thread and depth, slices follow one another: a row is where they begin and end in @order.
const lanes = data.lanes.map(lane => ({ ...lane, rows: [] }));
for (let i = 0; i < slices.n; i++) {
	const rows = lanes[slices.lane[i]].rows;
	while (rows.length <= slices.depth[i])
		rows.push([]);
	rows[slices.depth[i]].push(i);
}
for (const lane of lanes)
	lane.rows = lane.rows.map(row => Uint32Array.from(row));

