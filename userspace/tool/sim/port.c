// SPDX-License-Identifier: BSD-2-Clause
/* softpt sim -c format=port: events through the trace port */
#include "port.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "events/text.h"
#include "sim/port-emulate.h"
#include "../cli/fragment.h"
#include "../cli/tool.h"

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

/* ---- the acquisition buffer ---- */

static bool goes_on(const struct triggers *set)
{
	unsigned int i;

	for (i = 0; i < set->nr; i++)
		if (set->trigger[i].flags & SOFTPT_TRIGGER_REARM)
			return true;
	return false;
}

int sim_port_done(const struct command *cmd, const struct sim_port *p, const char *output)
{
	const struct triggers *set = p->set;
	unsigned int i;

	if (!output)
		return misuse(cmd, "-o FILE says where the symbols go (- is stdout)");
	if (p->te && !triggers_freeze(set))
		return misuse(cmd, "--te is of --before and --after");
	for (i = 0; i < set->nr; i++)
		if (set->trigger[i].source == SOFTPT_ON_IP && set->trigger[i].value >> 32)
			return misuse(cmd, "--trigger %s: addresses of the trace port have 32 bits",
				      set->text[i]);
	if (triggers_freeze(set) && goes_on(set) && !strcmp(output, "-"))
		return misuse(cmd, "rearm: what freezes next goes to FILE.1, not to stdout");
	return 0;
}

/* In clocks, as far as a trace can be long */
static uint64_t clocks_of(const struct amount *a, uint64_t period)
{
	const uint64_t most = 1ull << 62;

	if (a->unit != SOFTPT_AFTER_PSBS)
		return a->n < most ? a->n : most;
	return a->n < most / period ? a->n * period : most;
}

/* Figure 8: m intervals, m - 1 of them before the TE, the last one around it */
static void set_buffer(struct port_buffer *b, const struct sim_port *p)
{
	uint64_t period = p->cfg.se_period;

	b->history = p->set->before.given ? clocks_of(&p->set->before, period) : period;
	b->nth = p->te ? p->te : 1;
	if (p->set->after.given)
		b->after = clocks_of(&p->set->after, period);
	else
		b->depth = b->history + period;
}

/* ---- events ---- */

struct port_run {
	const struct sim_port *p;
	const char *input;
	const char *output;
	FILE *file;
	unsigned int fragments;
	struct port port;
	struct port_triggers triggers;
	struct port_buffer buffer;
};

static int put_bytes(void *context, const void *bytes, size_t len)
{
	struct port_run *r = context;

	if (fwrite(bytes, 1, len, r->file) == len)
		return 0;
	return errno ? -errno : -EIO;
}

static void tell(const struct port_run *r, const struct port_fragment *f)
{
	const struct port_te *te = &r->port.freezer;

	if (!f->has_te) {
		fprintf(stderr, "softpt: trigger: none: %s is the end of the trace\n", r->output);
		return;
	}
	fprintf(stderr, "softpt: trigger: %s at clock %" PRIu64 ", IP 0x%" PRIx32 ", %" PRIu64
		" clocks before it and %" PRIu64 " after\n",
		te->trigger < 0 ? "trig" : r->p->set->text[te->trigger], f->te, te->ip,
		f->te - f->clock, f->end - f->te - 1);
	if (!f->whole)
		fprintf(stderr, "softpt: note: the trace begins too late for the history of that TE\n");
}

static int freeze(void *context, const struct port_fragment *f)
{
	struct port_run *r = context;
	const struct fragment file = { r->fragments, r->output, r->file, r->input };
	uint8_t *bytes;
	int err;

	if (!f->has_te && r->fragments)
		return 0;
	bytes = malloc(SOFTPT_PORT_HEADER + f->len);
	if (!bytes)
		return -ENOMEM;
	softpt_port_header(bytes, &r->p->cfg, f->clock);
	if (f->len)
		memcpy(bytes + SOFTPT_PORT_HEADER, f->bytes, f->len);
	err = fragment_write(&file, bytes, SOFTPT_PORT_HEADER + f->len);
	free(bytes);
	if (err)
		return err;
	r->fragments++;
	tell(r, f);
	return goes_on(r->p->set) ? 0 : SIM_FROZEN;
}

/* Return: exit status */
static int feed(struct port_run *r, struct event_reader *events)
{
	struct progress progress = { .what = "sim" };
	struct softpt_event ev;
	const char *why;
	uint64_t n = 0;
	int ret = 0, more;

	while (!ret && (more = event_reader_next(events, &ev)) > 0) {
		ret = port_event(&r->port, &ev, &why);
		if (ret == -EINVAL)
			return refuse(events->lines.name, "line %" PRIu64 ": %s",
				      events->lines.number, why);
		if (!(++n & 0xfffff))
			progress_step(&progress, n);
	}
	progress_end(&progress);
	if (!ret && more < 0)
		return refuse_error(events->lines.name, &events->lines.error);
	if (!ret)
		ret = port_finish(&r->port);
	if (ret < 0)
		return refuse(r->output, "%s", strerror(-ret));
	return ret == SIM_REFUSED ? EXIT_REFUSED : 0;
}

static void print_stats(const struct port_run *r)
{
	const struct port_counts *c = &r->port.counts;
	unsigned int i;

	fprintf(stderr, "clocks %" PRIu64 ", instructions %" PRIu64 ", interrupts %" PRIu64
		", stalls %" PRIu64 ", SEs %" PRIu64 ", TEs %" PRIu64 ", fullest FIFO %" PRIu64
		"\n", c->clocks, c->instructions, c->interrupts, c->stalls, c->se, c->te,
		(uint64_t)r->port.serial.most);
	for (i = 0; i < r->p->set->nr; i++)
		fprintf(stderr, "trigger %s: %" PRIu64 " times\n", r->p->set->text[i],
			r->triggers.hits[i]);
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

static void begin(struct port_run *r)
{
	port_init(&r->port, &r->p->cfg, put_bytes, r);
	r->port.freeze = freeze;
	if (r->p->set->nr)
		r->port.triggers = &r->triggers;
	if (triggers_freeze(r->p->set))
		r->port.buffer = &r->buffer;
	set_buffer(&r->buffer, r->p);
}

static int simulate(struct port_run *r)
{
	struct event_reader events;
	int status;

	if (spare_input(r->input, r->output))
		return EXIT_REFUSED;
	if (goes_on(r->p->set) && is_fragment(r->input, r->output))
		return refuse(r->input, "is the input, too, and would be lost");
	if (event_reader_open(&events, r->input))
		return refuse_error(r->input, &events.lines.error);
	r->file = strcmp(r->output, "-") ? fopen(r->output, "wb") : stdout;
	if (!r->file) {
		status = refuse(r->output, "%s", strerror(errno));
	} else if (port_triggers_init(&r->triggers, r->p->set, r->p->plan)) {
		status = refuse(r->output, "%s", strerror(ENOMEM));
	} else {
		begin(r);
		status = feed(r, &events);
	}
	if (r->file)
		status |= close_output(r->file, r->output);
	event_reader_close(&events);
	return status ? EXIT_REFUSED : 0;
}

int sim_port(const struct sim_port *p, const char *events, const char *output, bool stats)
{
	struct port_run *r = calloc(1, sizeof(*r));
	int status;

	if (!r)
		return refuse(events, "%s", strerror(ENOMEM));
	r->p = p;
	r->input = events;
	r->output = output;
	status = simulate(r);
	if (stats)
		print_stats(r);
	port_triggers_free(&r->triggers);
	port_buffer_free(&r->buffer);
	free(r);
	return status;
}
