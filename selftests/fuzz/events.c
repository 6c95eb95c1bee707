// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fuzz target: event text of any bytes. Each event that a line holds is written back, and read
 * again it is the same; what is refused says why, and does not move the time.
 */
#include <stdlib.h>
#include <string.h>

#include "userspace/lib/events/text.h"
#include "fuzz.h"

static void again(const struct softpt_event *ev)
{
	char text[EVENT_TEXT_MAX];
	struct softpt_event same;
	uint64_t now = 0;
	int n;

	n = event_print(text, sizeof(text), ev);
	if (n <= 0 || n >= (int)sizeof(text))
		abort();
	if (event_parse(text, &now, &same, NULL) != 1 || now != ev->tsc ||
	    memcmp(&same, ev, sizeof(same)))
		abort();
}

static void line(const char *text, uint64_t *now)
{
	struct softpt_event ev;
	uint64_t before = *now;
	struct error e = { 0 };
	int ret;

	ret = event_parse(text, now, &ev, &e);
	if (ret > 0)
		again(&ev);
	else if (*now != before || !*e.text != !ret)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *at, *end;
	uint64_t now = 0;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	/* Each line is a heap block of its own: reading behind it shows. */
	for (at = text; at <= text + size; at += end - at + 1) {
		char *copy;

		end = at + strcspn(at, "\n");
		copy = strndup(at, end - at);
		if (copy)
			line(copy, &now);
		free(copy);
	}
	free(text);
	return 0;
}
