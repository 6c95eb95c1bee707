// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fuzz target: a log of any bytes, as of QEMU. What is made of it is event text, each line of it
 * an event that is not before the last.
 */
#include <stdlib.h>
#include <string.h>

#include "userspace/lib/events/text.h"
#include "userspace/lib/source/insns.h"
#include "fuzz.h"

static void check(char *text)
{
	struct softpt_event ev;
	uint64_t now = 0, before = 0;
	char *line;

	while ((line = strsep(&text, "\n"))) {
		if (event_parse(line, &now, &ev, NULL) < 0 || now < before)
			abort();
		before = now;
	}
}

static int print_event(void *out, const struct softpt_event *ev)
{
	char line[EVENT_TEXT_MAX];

	event_print(line, sizeof(line), ev);
	fprintf(out, "%s\n", line);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct import im = { .thread = -1, .flow = { .ticks = 1, .now = 1 } };
	char *text = NULL;
	FILE *out;
	size_t len;

	im.file = size ? fmemopen((void *)data, size, "r") : NULL;
	if (!im.file)
		return 0;
	out = open_memstream(&text, &len);
	if (out) {
		im.flow.send = print_event;
		im.flow.ctx = out;
		import_qemu(&im, NULL);
		fclose(out);
		check(text);
	}
	free(text);
	fclose(im.file);
	return 0;
}
