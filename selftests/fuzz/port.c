// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fuzz target: a trace port of any bytes over any code. The symbols are the bytes without
 * the last 256, which are the program.
 */
#include <string.h>

#include "userspace/include/softpt/port.h"
#include "fuzz.h"

#define CODE	256
#define ROWS	100000	/* runs make few bytes many clocks, but no instructions */

static int read_word(void *context, uint32_t addr, uint32_t *insn)
{
	memcpy(insn, (const uint8_t *)context + addr % (CODE - 3), sizeof(*insn));
	return addr % 1021 == 0;
}

static void walk(const struct softpt_port *port, void *code)
{
	struct softpt_port_symbol at = { 0 };
	struct softpt_port_walk *w;
	struct softpt_port_row row;
	struct softpt_port_se se;
	unsigned int rows = 0;
	uint32_t addr;
	uint64_t clock;

	while (softpt_port_next_se(port, &at, &se)) {
		w = softpt_port_walk_new(port, &se, read_word, code);
		while (w && rows++ < ROWS && softpt_port_walk_next(w, &row))
			;
		if (w)
			softpt_port_reason(softpt_port_walk_end(w, &clock, &addr));
		softpt_port_walk_free(w);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct softpt_port port, window;
	uint64_t offset;

	if (size < CODE || softpt_port_open(&port, data, size - CODE, &offset))
		return 0;
	walk(&port, (void *)(data + size - CODE));
	softpt_port_window(&port, port.clock + 3, port.end - 5, &window);
	walk(&window, (void *)(data + size - CODE));
	return 0;
}
