// SPDX-License-Identifier: BSD-2-Clause
// ---- table ----

const COLUMNS = [['self', 'Self', i => costs.self[i]], ['share', '%', i => costs.self[i]], ['total', 'Total', i => costs.total[i]],
	['calls', 'Calls', i => costs.calls[i]], ['time', 'Total time', i => costs.time[i]],
	['name', 'Function', i => costName(i)], ['module', 'Module', i => costModule(i)]];
function drawTable() {
	const head = $('table').querySelector('thead'), body = $('table').querySelector('tbody');
	const focused = head.contains(document.activeElement) && document.activeElement.dataset.key;
	head.replaceChildren();
	const line = head.insertRow();
	for (const [key, title] of COLUMNS) {
		const cell = document.createElement('th');
		cell.textContent = title + (state.sort === key ? state.down ? ' ▾' : ' ▴' : '');
		cell.onclick = () => {
			state.down = state.sort === key ? !state.down : key !== 'name' && key !== 'module';
			state.sort = key;
			draw();
		};
		cell.tabIndex = 0;
		cell.dataset.key = key;
		if (state.sort === key)
			cell.ariaSort = state.down ? 'descending' : 'ascending';
		line.append(cell);
		if (key === focused)
			cell.focus();
	}
	const value = COLUMNS.find(([key]) => key === state.sort)[2];
	const rows = [];
	for (let i = 0; i < costs.n; i++)
		if ((costs.calls[i] || costs.self[i]) && (!state.search || matches(costName(i))))
			rows.push(i);
	rows.sort((a, b) => {
		const x = value(a), y = value(b), order = x < y ? -1 : x > y ? 1 : a - b;
		return state.down ? -order : order;
	});
	body.replaceChildren(...rows.slice(0, 5000).map((i, k) => {
		const row = document.createElement('tr');
		row.tabIndex = k ? -1 : 0;
		for (const text of [count(costs.self[i]), (100 * costs.self[i] / Math.max(1, data.instructions)).toFixed(1), count(costs.total[i]),
			count(costs.calls[i]), time(costs.time[i]), costName(i), costModule(i)])
			row.insertCell().textContent = text;
		row.onclick = () => {
			find(costName(i));
			show('time');
			next(1);
		};
		return row;
	}));
}

