// SPDX-License-Identifier: BSD-2-Clause
/* softpt replay: event text through the device, byte for byte what sim gives */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <softpt/params.h>

#include "base/number.h"
#include "cli/device.h"
#include "events/text.h"
#include "sim/sim.h"
#include "cli/tool.h"

#define BATCH	4096

static const struct option_row options[] = {
	{ 'o', "output", "FILE", "raw packets, - is stdout" },
	OPTION_CONFIG,
	{ 'C', "cpu", "N", "the CPU whose unit it is (the one that this runs on)" },
	{ 's', "stats", NULL, "counts on stderr" },
	{ 0 }
};

/* Events that were read and not yet taken by the device */
struct batch {
	struct softpt_event ev[BATCH];
	uint64_t line[BATCH];
	size_t first;
	size_t n;
};

struct replay {
	const char *path;
	FILE *file;
	bool stats;
	unsigned int cpu;
	struct softpt_config cfg;
	struct softpt_unit *unit;
	struct event_reader events;
	struct batch batch;
	uint64_t taken;		/* TSC of the last event that the device took */
};

static int drain(struct replay *r)
{
	const uint8_t *bytes;
	size_t n;

	while ((n = softpt_unit_peek(r->unit, &bytes))) {
		if (fwrite(bytes, 1, n, r->file) != n)
			return refuse(r->path, "%s", strerror(errno));
		softpt_unit_consume(r->unit, n);
	}
	return 0;
}

/* What was there is drained; POLLOUT comes when the device has made use of it. */
static int wait_for_room(struct replay *r)
{
	struct pollfd p = { .fd = softpt_unit_fd(r->unit), .events = POLLIN | POLLOUT };
	int status = drain(r);

	if (!status && poll(&p, 1, -1) < 0 && errno != EINTR)
		status = refuse(SOFTPT_DEVICE, "poll: %s", strerror(errno));
	return status;
}

/* The reason in words, from the engine in this process */
static int refuse_event(const struct replay *r, int err)
{
	const struct softpt_event *ev = &r->batch.ev[r->batch.first];
	const char *why = softpt_strerror(err);

	if (err == -EINVAL || err == -ERANGE)
		sim_check(&r->cfg, r->taken, ev, &why);
	return refuse(r->events.lines.name, "line %" PRIu64 ": %s",
		      r->batch.line[r->batch.first], why);
}

static int write_batch(struct replay *r)
{
	struct batch *b = &r->batch;
	int status = 0;

	while (b->first < b->n && !status) {
		ssize_t done = softpt_unit_write(r->unit, b->ev + b->first, b->n - b->first);

		if (done == -EAGAIN || done == -EINTR) {
			status = wait_for_room(r);
		} else if (done < 0) {
			status = refuse_event(r, done);
		} else if (done) {
			b->first += done;
			r->taken = b->ev[b->first - 1].tsc;
		}
	}
	return status;
}

/* Return: 1, 0 at the end, -1 after a message. */
static int read_batch(struct replay *r)
{
	struct batch *b = &r->batch;
	int got = 1;

	b->first = 0;
	for (b->n = 0; b->n < BATCH; b->n++) {
		got = event_reader_next(&r->events, &b->ev[b->n]);
		if (got <= 0)
			break;
		b->line[b->n] = r->events.lines.number;
	}
	if (got < 0)
		refuse_error(r->events.lines.name, &r->events.lines.error);
	return got < 0 ? -1 : b->n > 0;
}

static int finish(struct replay *r)
{
	int err, status = 0;

	while (!status && (err = softpt_unit_finish(r->unit))) {
		if (err != -EAGAIN && err != -EINTR)
			return refuse(SOFTPT_DEVICE, "the end: %s", softpt_strerror(err));
		status = wait_for_room(r);
	}
	return status ? status : drain(r);
}

static int feed(struct replay *r)
{
	int got, status = 0;

	while (!status && (got = read_batch(r))) {
		if (got < 0)
			return EXIT_REFUSED;
		status = write_batch(r);
		if (!status)
			status = drain(r);
	}
	return status ? status : finish(r);
}

static void print_stats(struct replay *r)
{
	struct softpt_status st;

	if (softpt_unit_status(r->unit, &st))
		return;
	fprintf(stderr,
		"events %llu, packets %llu, bytes %llu, MTC %llu, suppressed %llu, overflows %llu, events lost %llu\n",
		st.counts.events, st.counts.packets, st.counts.bytes, st.counts.mtc,
		st.counts.mtc_suppressed, st.counts.overflows, st.counts.events_lost);
}

static int with_unit(struct replay *r, int session)
{
	int status, err;

	r->unit = device_unit(session, r->cpu);
	if (!r->unit)
		return EXIT_REFUSED;
	fcntl(softpt_unit_fd(r->unit), F_SETFL, O_NONBLOCK);
	err = softpt_session_enable(session, NULL);
	if (err)
		status = refuse(SOFTPT_DEVICE, "enable: %s", softpt_strerror(err));
	else
		status = feed(r);
	if (!status && r->stats)
		print_stats(r);
	softpt_unit_close(r->unit);
	return status;
}

static int with_device(struct replay *r)
{
	int dev = device_open(), session, status = EXIT_REFUSED;

	if (dev < 0)
		return EXIT_REFUSED;
	session = device_session(dev, &r->cfg, SOFTPT_SOURCE_REPLAY);
	if (session >= 0) {
		status = with_unit(r, session);
		close(session);
	}
	close(dev);
	return status;
}

static int with_files(struct replay *r, const char *events)
{
	bool piped = !strcmp(r->path, "-");
	int status;

	if (spare_input(events, r->path))
		return EXIT_REFUSED;
	if (event_reader_open(&r->events, events))
		return refuse_error(events, &r->events.lines.error);
	r->file = piped ? stdout : fopen(r->path, "wbe");
	if (r->file)
		status = with_device(r);
	else
		status = refuse(r->path, "%s", strerror(errno));
	if (r->file && !piped && fclose(r->file) && !status)
		status = refuse(r->path, "%s", strerror(errno));
	event_reader_close(&r->events);
	return status;
}

static int parse_options(const struct command *cmd, struct replay *r, int argc, char **argv)
{
	uint64_t cpu;
	int id;

	while ((id = option_next(cmd, argc, argv)) != -1) {
		switch (id) {
		case 'o':
			r->path = optarg;
			break;
		case 's':
			r->stats = true;
			break;
		case 'c':
			if (config_option(&r->cfg, optarg))
				return EXIT_USAGE;
			break;
		case 'C':
			if (!softpt_number_within(optarg, 0, INT32_MAX, &cpu))
				return misuse(cmd, "--cpu %s: no number of a CPU", optarg);
			r->cpu = cpu;
			break;
		default:
			return EXIT_USAGE;
		}
	}
	if (config_done(&r->cfg))
		return EXIT_USAGE;
	if (!r->path)
		return misuse(cmd, "-o FILE says where the packets go (- is stdout)");
	return 0;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct replay *r = calloc(1, sizeof(*r));
	const char *events = NULL;
	int cpu = sched_getcpu();
	int status;

	if (!r)
		return refuse("replay", "out of memory");
	r->cpu = cpu < 0 ? 0 : cpu;
	softpt_config_init(&r->cfg);
	status = parse_options(cmd, r, argc, argv);
	if (!status)
		config_warn_stock(&r->cfg);
	if (!status)
		events = only_operand(cmd, argc, argv, "EVENTS");
	if (events)
		status = with_files(r, events);
	else
		status = EXIT_USAGE;
	free(r);
	return status;
}

const struct command command_replay = {
	.name = "replay",
	.args = "EVENTS -o FILE",
	.what = "turn event text into packets, through the device",
	.more = "EVENTS is event text (man softpt-events), - is stdin. The bytes are those of\n"
		"`softpt sim`; with mode=snapshot, the newest of them.",
	.options = options,
	.run = run,
};
