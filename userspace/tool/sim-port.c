// SPDX-License-Identifier: BSD-2-Clause
/* softpt sim -c format=port: events through the trace port */
#include "sim-port.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "eventtext.h"
#include "port.h"
#include "tool.h"

/* ---- configuration ---- */

/* Return: whether it is the port's, or the choice of it; *err is set after a message */
static bool take_item(struct sim_port *p, const char *item, int *err)
{
	char why[320];
	int ret;

	if (!strcmp(item, "format=port") || !strcmp(item, "format=pt")) {
		p->chosen = !strcmp(item, "format=port");
		return true;
	}
	ret = softpt_port_config_parse(&p->cfg, item, why, sizeof(why));
	if (ret < 0) {
		fprintf(stderr, "softpt: -c: %s\n", why);
		*err = EXIT_USAGE;
	}
	return ret;
}

int sim_port_config(struct sim_port *p, struct softpt_config *cfg, const char *text)
{
	char *items = strdup(text), *rest = calloc(1, strlen(text) + 2), *item, *at = items;
	int err = 0;

	if (!items || !rest)
		err = refuse("-c", "%s", strerror(ENOMEM));
	while (!err && (item = strsep(&at, ",")))
		if (!take_item(p, item, &err))
			strcat(strcat(rest, item), at ? "," : "");
	/* A comma before an item that was taken ends what is left. */
	if (!err && *rest && rest[strlen(rest) - 1] == ',' && text[strlen(text) - 1] != ',')
		rest[strlen(rest) - 1] = '\0';
	if (!err)
		err = config_option(cfg, rest);
	free(items);
	free(rest);
	return err;
}

/* ---- events ---- */

static int put_bytes(void *context, const void *bytes, size_t len)
{
	if (fwrite(bytes, 1, len, context) == len)
		return 0;
	return errno ? -errno : -EIO;
}

/* Return: exit status */
static int feed(struct port *port, struct event_reader *events, const char *output)
{
	struct progress progress = { .what = "sim" };
	struct softpt_event ev;
	const char *why;
	uint64_t n = 0;
	int ret = 0, more;

	while (!ret && (more = event_reader_next(events, &ev)) > 0) {
		ret = port_event(port, &ev, &why);
		if (ret == -EINVAL)
			return refuse(events->lines.name, "line %" PRIu64 ": %s",
				      events->lines.number, why);
		if (!(++n & 0xfffff))
			progress_step(&progress, n);
	}
	progress_end(&progress);
	if (!ret && more < 0)
		return EXIT_REFUSED;
	if (!ret)
		ret = port_finish(port);
	return ret ? refuse(output, "%s", strerror(-ret)) : 0;
}

static void print_stats(const struct port_counts *c)
{
	fprintf(stderr, "clocks %" PRIu64 ", instructions %" PRIu64 ", interrupts %" PRIu64
		", stalls %" PRIu64 ", SEs %" PRIu64 ", TEs %" PRIu64 ", fullest FIFO %" PRIu64
		"\n", c->clocks, c->instructions, c->interrupts, c->stalls, c->se, c->te,
		c->fullest);
}

/* A full disk may show only now. */
static int close_output(FILE *file, const char *path)
{
	int err = ferror(file);

	if (file == stdout)
		return 0;
	if (fclose(file) || err)
		return refuse(path, "%s", strerror(errno ? errno : EIO));
	return 0;
}

static int simulate(struct port *port, const struct sim_port *p, const char *path,
		    const char *output)
{
	struct event_reader events;
	FILE *file;
	int status;

	if (spare_input(path, output) || event_reader_open(&events, path))
		return EXIT_REFUSED;
	file = strcmp(output, "-") ? fopen(output, "wb") : stdout;
	if (file) {
		port_init(port, &p->cfg, put_bytes, file);
		status = feed(port, &events, output);
		status |= close_output(file, output);
	} else {
		status = refuse(output, "%s", strerror(errno));
	}
	event_reader_close(&events);
	return status ? EXIT_REFUSED : 0;
}

int sim_port(const struct sim_port *p, const char *events, const char *output, bool stats)
{
	struct port *port = calloc(1, sizeof(*port));
	int status;

	if (!port)
		return refuse(events, "%s", strerror(ENOMEM));
	status = simulate(port, p, events, output);
	if (stats)
		print_stats(&port->counts);
	free(port);
	return status;
}
