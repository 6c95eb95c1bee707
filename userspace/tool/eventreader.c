// SPDX-License-Identifier: BSD-2-Clause
/* Event text from files and pipes */
#include "eventtext.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "cli/tool.h"

int event_reader_open(struct event_reader *r, const char *path)
{
	*r = (struct event_reader){ 0 };
	return lines_open(&r->lines, path);
}

int event_reader_next(struct event_reader *r, struct softpt_event *ev)
{
	char why[160];
	int got;

	while ((got = lines_next(&r->lines)) > 0) {
		got = event_parse(r->lines.text, &r->now, ev, why, sizeof(why));
		if (got > 0)
			return 1;
		if (got < 0) {
			refuse(r->lines.name, "line %" PRIu64 ": %s", r->lines.number, why);
			return -1;
		}
	}
	return got;
}

void event_reader_close(struct event_reader *r)
{
	lines_close(&r->lines);
}

static int grow(struct event_list *list)
{
	size_t alloc = list->alloc ? list->alloc * 2 : 1024;
	void *ev = reallocarray(list->ev, alloc, sizeof(*list->ev));
	void *line;

	if (!ev)
		return -ENOMEM;
	list->ev = ev;
	line = reallocarray(list->line, alloc, sizeof(*list->line));
	if (!line)
		return -ENOMEM;
	list->line = line;
	list->alloc = alloc;
	return 0;
}

int event_list_read(struct event_list *list, const char *path)
{
	struct event_reader r;
	int got = 0;

	if (event_reader_open(&r, path))
		return EXIT_REFUSED;
	for (;;) {
		if (list->n == list->alloc && grow(list)) {
			refuse(r.lines.name, "line %" PRIu64 ": out of memory", r.lines.number);
			got = -1;
			break;
		}
		got = event_reader_next(&r, &list->ev[list->n]);
		if (got <= 0)
			break;
		list->line[list->n++] = r.lines.number;
	}
	event_reader_close(&r);
	return got ? EXIT_REFUSED : 0;
}

void event_list_free(struct event_list *list)
{
	free(list->ev);
	free(list->line);
	*list = (struct event_list){ 0 };
}
