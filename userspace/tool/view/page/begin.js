// SPDX-License-Identifier: BSD-2-Clause
const leftOut = source ? source.functions.filter(lines => lines && isLeftOut(lines)).length : 0;
const insnsLeftOut = code.insns.filter(insns => !insns).length;
$('title').textContent = document.title = data.name;
$('sums').textContent = `${count(data.instructions)} instructions, ${count(data.calls)} calls, ${time(data.length)}` +
	(data.shortest ? `; below ${time(data.shortest)} merged` : '') + (data.marks_left ? `; ${count(data.marks_left)} more marks` : '') +
	(data.waits_left ? `; ${count(data.waits_left)} more waits` : '') +
	(leftOut ? `; source of ${count(leftOut)} functions left out` : '') +
	(insnsLeftOut ? `; instructions of ${count(insnsLeftOut)} functions left out` : '');
$('lines').hidden = !code.insns.length;
openSource(code.insns.length > 0 && innerWidth > 700);
read();
paint();
document.body.dataset.ready = slices.n;
