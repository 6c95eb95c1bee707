// SPDX-License-Identifier: BSD-2-Clause
/* Event text from files and pipes */
#include "events/text.h"

#include <errno.h>
#include <stdlib.h>

int event_reader_open(struct event_reader *r, const char *path)
{
	r->now = 0;
	return lines_open(&r->lines, path);
}

int event_reader_next(struct event_reader *r, struct softpt_event *ev)
{
	struct error e;
	int got;

	while ((got = lines_next(&r->lines)) > 0) {
		got = event_parse(r->lines.text, &r->now, ev, &e);
		if (got > 0)
			return 1;
		if (got < 0)
			return lines_bad(&r->lines, "%s", e.text);
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

static int read_list(struct event_list *list, struct event_reader *r)
{
	int got;

	do {
		if (list->n == list->alloc && grow(list))
			return lines_bad(&r->lines, "out of memory");
		got = event_reader_next(r, &list->ev[list->n]);
		if (got > 0)
			list->line[list->n++] = r->lines.number;
	} while (got > 0);
	return got;
}

int event_list_read(struct event_list *list, const char *path, struct error *e)
{
	struct event_reader r;
	int err = event_reader_open(&r, path);

	if (!err) {
		err = read_list(list, &r);
		event_reader_close(&r);
	}
	if (err && e)
		*e = r.lines.error;
	return err;
}

void event_list_free(struct event_list *list)
{
	free(list->ev);
	free(list->line);
	*list = (struct event_list){ 0 };
}
