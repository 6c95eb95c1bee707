// SPDX-License-Identifier: BSD-2-Clause
/* Packets -> event text, for softpt sim and softpt eval */
#include "export/export.h"

#include <string.h>

#include "export/rebuild.h"
#include "../../tool/cli/tool.h"

static int put_line(const struct export *e, int fd, const char *line)
{
	return export_write(e, fd, line, strlen(line));
}

static int put_events(const struct export *e, const struct event_list *list)
{
	char line[EVENT_TEXT_MAX + 1];
	int fd = export_open(e), status;
	size_t i;

	if (fd < 0)
		return EXIT_REFUSED;
	status = put_line(e, fd, e->truth ? "# times are true ones\n" :
			  "# times are estimates of softpt decode\n");

	for (i = 0; i < list->n && !status; i++) {
		event_print(line, EVENT_TEXT_MAX, &list->ev[i]);
		strcat(line, "\n");
		status = put_line(e, fd, line);
	}
	return export_close(e, fd, status);
}

/* The events of one CPU: a unit knows no other */
static int run_events(const struct export *e, const struct export_stream *streams,
		      unsigned int nr)
{
	struct truth_file truth = { 0 };
	const struct truth_rows *rows = NULL;
	struct event_list list = { 0 };
	struct error error;
	int status = 0;

	if (nr != 1)
		return refuse(e->output, "%u CPUs are not one unit's: choose with --cpu", nr);
	if (e->truth && (truth_file_read(&truth, e->truth, &error) ||
			 truth_file_find(&truth, streams->s->cpu, &rows, &error)))
		status = refuse_error(e->truth, &error);
	if (!status)
		status = rebuild(&list, streams->in, streams->s, e->given ? &e->cfg : NULL, rows);
	if (!status)
		status = put_events(e, &list);
	truth_file_free(&truth);
	event_list_free(&list);
	return status;
}

const struct exporter export_events = { "events", run_events };
