// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fuzz target: a capture of any bytes, in either format, by time, by row and by edge. What is
 * made of it is a trace port's file, as far as it goes. The first byte says how.
 */
#include <stdlib.h>
#include <string.h>

#include "userspace/tool/import/capture.h"
#include "fuzz.h"

#define LONGEST	(1 << 20)

struct made {
	uint8_t bytes[LONGEST];
	size_t len;
};

static int keep(void *context, const void *bytes, size_t len)
{
	struct made *m = context;

	if (len > LONGEST - m->len)
		return -1;
	memcpy(m->bytes + m->len, bytes, len);
	m->len += len;
	return 0;
}

static void set(struct capture *c, uint8_t how)
{
	if (how & 2) {
		c->clock = "C";
		c->edge = how >> 3 & 1 ? CAPTURE_FALLING : CAPTURE_BOTH;
		c->before = how & 16;
	} else if (how & 4) {
		c->period = how & 1 ? 1000000 : 3;
	}
	c->pins = how & 32 ? "1,2,3,4,5,6,7" : how & 64 ? "D" : NULL;
	if (capture_names(c))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct softpt_port_config unknown = { 0 };
	static struct capture c;
	static struct made made;
	struct softpt_port port;
	uint64_t offset;

	if (size < 2)
		return 0;
	c = (struct capture){ .lines.name = "capture" };
	made.len = 0;
	c.lines.text = malloc(LINES_LONGEST + 1);
	c.lines.file = fmemopen((void *)(data + 1), size - 1, "r");
	if (!c.lines.text || !c.lines.file)
		abort();
	set(&c, *data);
	port_init(&c.port, &unknown, keep, &made);
	if (*data & 1)
		import_csv(&c);
	else
		import_vcd(&c);
	if (made.len && softpt_port_open(&port, made.bytes, made.len, &offset))
		abort();
	lines_close(&c.lines);
	return 0;
}
