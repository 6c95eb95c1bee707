// SPDX-License-Identifier: BSD-2-Clause
let pending = false;
function draw() {
	if (pending)
		return;
	pending = true;
	requestAnimationFrame(() => {
		pending = false;
		paint();
	});
}
function paint() {
	({ time: drawTime, flame: drawFlame, table: drawTable })[state.tab]();
	tell();
}
function show(tab) {
	state.tab = tab;
	$('scroll').hidden = tab !== 'time';
	$('flame').hidden = tab !== 'flame';
	$('table').hidden = tab !== 'table';
	for (const button of document.querySelectorAll('[data-tab]'))
		button.setAttribute('aria-selected', button.dataset.tab === tab);
	link();
	draw();
}

