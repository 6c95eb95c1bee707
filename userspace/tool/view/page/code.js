// SPDX-License-Identifier: BSD-2-Clause
// ---- code: lines of source, or instructions below their lines ----

const NONE = 0xffffffff;
const codeOfCall = what => what < SYSCALL ? code.ofCall[what] : NONE;
const codeOfCost = what => code.ofCost[what];
const sourceOf = k => k !== NONE && source && source.functions[k];
const isLeftOut = ([file, , ranges]) => source.files[file].text && !ranges;
const placeOf = k => sourceOf(k) ? `${source.files[sourceOf(k)[0]].path}:${sourceOf(k)[1]}` : '';
function textOf(file) {
	if (!file.lines) {
		file.lines = new Map();
		for (const [first, ...lines] of file.text || [])
			lines.forEach((line, i) => file.lines.set(first + i, line));
	}
	return file.lines;
}
// @times: undefined: it is not of code
function codeRow(table, times, most, cells) {
	const row = table.insertRow();
	for (const cell of [times === undefined ? '' : count(times), ...cells])
		row.insertCell().textContent = cell;
	if (times !== undefined)
		row.className = !times ? 'never' : times >= most / 2 ? 'ran hot' : 'ran';
	return row;
}
function linesOf([file, begin, ranges, counts], isLink) {
	const table = document.createElement('table'), text = textOf(source.files[file]), times = new Map();
	let most = 0;
	for (let i = 0; i < counts.length; i += 2) {
		times.set(counts[i], counts[i + 1]);
		most = Math.max(most, counts[i + 1]);
	}
	for (let i = 0; i < ranges.length; i += 2) {
		if (i)
			codeRow(table, undefined, 0, ['⋮', '']);
		for (let n = ranges[i]; n <= ranges[i + 1] && text.has(n); n++) {
			const row = codeRow(table, times.get(n), most, [n, text.get(n)]);
			row.dataset.line = `${file}:${n}`;
			row.classList.toggle('begin', n === begin);
			row.classList.toggle('link', isLink && times.get(n) > 0);
		}
	}
	return table;
}
// Of each instruction: [FILE,LINE]; line 0: it is not known
function linesOfInsns(k) {
	const runs = source && source.insns[k] || [], lines = [];
	for (let i = 0; i < runs.length; i += 3)
		for (let n = 0; n < runs[i]; n++)
			lines.push([runs[i + 1], runs[i + 2]]);
	return lines;
}
function lineRow(table, [file, line]) {
	const { path } = source.files[file], row = table.insertRow(), place = row.insertCell();
	place.colSpan = 3;
	place.textContent = `${path.slice(path.lastIndexOf('/') + 1)}:${line}`;
	row.insertCell().textContent = textOf(source.files[file]).get(line) ?? '';
	row.className = 'line';
	return row;
}
function insnsOf(k, isLink) {
	const table = document.createElement('table'), lines = linesOfInsns(k), most = code.insns[k].reduce((most, [, times]) => Math.max(most, times), 0);
	const head = table.createTHead().insertRow(), body = table.createTBody();
	for (const title of ['times', 'taken', 'address', 'instruction'])
		head.appendChild(document.createElement('th')).textContent = title;
	let n = 0, last = '', end = null;
	for (const [address, times, ...insns] of code.insns[k]) {
		const taken = typeof insns.at(-1) === 'number' ? count(insns.pop()) : '';
		let at = BigInt('0x' + address);
		if (end !== null && at !== end)
			codeRow(body, undefined, 0, ['', '⋮', `${count(Number(at - end))} bytes that were not executed`]).className = 'never';
		insns.forEach((insn, i) => {
			const line = lines[n++], key = line && line[1] ? `${line[0]}:${line[1]}` : last;
			if (key !== last)
				lineRow(body, line).dataset.line = last = key;
			const row = codeRow(body, times, most, [i === insns.length - 1 ? taken : '', at.toString(16), insn.slice(1)]);
			if (line && line[1])
				row.dataset.line = key;
			at += BigInt(parseInt(insn[0], 36));
		});
		end = at;
	}
	for (const row of isLink ? body.querySelectorAll('.line') : [])
		row.classList.toggle('link', row.dataset.line.startsWith(`${sourceOf(k)[0]}:`));
	return table;
}
function note(text) {
	const p = document.createElement('p');
	p.className = 'faint';
	p.textContent = text;
	return p;
}
function whyNoLines(k) {
	const lines = sourceOf(k);
	return !lines ? 'No line of source is known (build with -g).' :
		!source.files[lines[0]].text ? 'This file could not be read when the page was written.' :
		isLeftOut(lines) ? 'Left out: the page has the text of the functions with the most instructions.' : '';
}
const whyNoInsns = k => code.insns[k] ? '' :
	'Left out: the page has the instructions of the functions that executed the most.';
let shown = NONE, wanted = false;
// Without anything to show the panel would take room from the calls.
function layOutCode() {
	$('source').hidden = !wanted || shown === NONE;
	draw();
}
function showCode(k) {
	shown = k;
	layOutCode();
	if (k === NONE)
		return;
	const noLines = whyNoLines(k), noInsns = whyNoInsns(k), both = !noLines && !noInsns;
	const kind = noLines ? 'insns' : noInsns ? 'lines' : state.kind;
	$('place').textContent = placeOf(k) || 'Code';
	$('kind').hidden = !both;
	for (const button of $('kind').children)
		button.setAttribute('aria-pressed', button.dataset.kind === kind);
	if (kind === 'lines')
		$('text').replaceChildren(...noInsns ? [note(noInsns)] : [], linesOf(sourceOf(k), both));
	else
		$('text').replaceChildren(...[source && noLines, noInsns].filter(Boolean).map(note), ...noInsns ? [] : [insnsOf(k, both)]);
	const begin = $('text').querySelector('.begin');
	$('text').scrollTop = begin ? begin.offsetTop - $('text').offsetTop - 3 * begin.offsetHeight : 0;
}
function showKind(kind, line) {
	state.kind = kind;
	if (shown !== NONE)
		showCode(shown);
	const rows = line ? $('text').querySelectorAll(`[data-line="${line}"]`) : [];
	for (const row of rows)
		row.classList.add('at');
	if (rows.length)
		rows[0].scrollIntoView({ block: 'center' });
}
$('text').onclick = event => {
	const row = event.target.closest('tr.link');
	if (row && getSelection().isCollapsed)
		showKind(row.classList.contains('line') ? 'lines' : 'insns', row.dataset.line);
};
function choose(i) {
	state.chosen = i;
	showCode(i < 0 ? NONE : codeOfCall(slices.what[i]));
	link();
}
function chooseNode(i) {
	state.node = i;
	showCode(i < 0 ? NONE : codeOfCost(tree.what[i]));
	link();
}
function openSource(open) {
	wanted = open;
	$('lines').setAttribute('aria-pressed', open);
	layOutCode();
}

