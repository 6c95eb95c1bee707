// SPDX-License-Identifier: BSD-2-Clause
/* Packets -> event text, for softpt sim and softpt eval */
#include "export/export.h"

#include <errno.h>
#include <string.h>

#include "export/rebuild.h"

static int put_line(const struct export *e, int fd, const char *line)
{
	return export_write(e, fd, line, strlen(line));
}

static int put_events(const struct export *e, const struct event_list *list)
{
	char line[EVENT_TEXT_MAX + 1];
	int fd = export_open(e), err;
	size_t i;

	if (fd < 0)
		return fd;
	err = put_line(e, fd, e->truth ? "# times are true ones\n" :
			  "# times are estimates of softpt decode\n");

	for (i = 0; i < list->n && !err; i++) {
		event_print(line, EVENT_TEXT_MAX, &list->ev[i]);
		strcat(line, "\n");
		err = put_line(e, fd, line);
	}
	return export_close(e, fd, err);
}

/* The events of one CPU: a unit knows no other */
static int run_events(const struct export *e, const struct export_stream *streams,
		      unsigned int nr)
{
	struct truth_file truth = { 0 };
	const struct truth_rows *rows = NULL;
	struct event_list list = { 0 };
	struct error error;
	int err = 0;

	if (nr != 1)
		return error_tell(e->errors, e->output, -EINVAL,
				  "%u CPUs are not one unit's: choose with --cpu", nr);
	if (e->truth && (truth_file_read(&truth, e->truth, &error) ||
			 truth_file_find(&truth, streams->s->cpu, &rows, &error)))
		err = error_pass(e->errors, e->truth, &error);
	if (!err && rebuild(&list, streams->in, streams->s, e->given ? &e->cfg : NULL, rows,
			    &error))
		err = error_pass(e->errors, streams->in->path, &error);
	if (!err)
		err = put_events(e, &list);
	truth_file_free(&truth);
	event_list_free(&list);
	return err;
}

const struct exporter export_events = { "events", run_events };
