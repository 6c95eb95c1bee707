// SPDX-License-Identifier: BSD-2-Clause
/* The trace units that a recording reads: one for each CPU */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../cli/device.h"
#include "record.h"
#include "../cli/tool.h"

static int add_unit(struct units *u, int session, unsigned int cpu, size_t ring)
{
	struct softpt_unit *unit = device_unit(session, cpu);

	if (!unit)
		return EXIT_REFUSED;
	softpt_unit_watermark(unit, ring / 4);
	u->cpus[u->nr] = cpu;
	u->unit[u->nr++] = unit;
	return 0;
}

bool cpu_online(unsigned int cpu)
{
	char path[64], state[4] = "1";
	FILE *f;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	f = fopen(path, "re");
	if (!f)
		return true;	/* one that can't go offline */
	if (!fgets(state, sizeof(state), f))
		state[0] = '0';
	fclose(f);
	return state[0] == '1';
}

int units_open(struct units *u, int session, int only, size_t ring)
{
	unsigned int cpu, n = sysconf(_SC_NPROCESSORS_CONF);
	int status = 0;

	u->unit = calloc(n, sizeof(*u->unit));
	u->cpus = calloc(n, sizeof(*u->cpus));
	u->taken = calloc(n, sizeof(*u->taken));
	if (!u->unit || !u->cpus || !u->taken)
		return refuse("record", "out of memory");
	if (only >= 0)
		return add_unit(u, session, only, ring);
	for (cpu = 0; cpu < n && !status; cpu++)
		if (cpu_online(cpu))
			status = add_unit(u, session, cpu, ring);
	return status;
}

/* To ask for the truth takes a system call, which a trace of the system shows: ask once. */
static int drain_unit(struct units *u, unsigned int i, struct softpt_perf_writer *w, uint64_t tsc)
{
	const uint8_t *bytes;
	size_t n;
	int err = 0;

	do {
		n = softpt_unit_peek(u->unit[i], &bytes);
		if (n)
			err = softpt_perf_writer_trace(w, u->cpus[i], tsc, bytes, n);
		if (!err && u->truth)
			err = record_truth_take(u->truth, i, u->unit[i], bytes, n);
		softpt_unit_consume(u->unit[i], n);
	} while (!err && n && !u->truth);
	return err;
}

int units_drain(struct units *u, struct softpt_perf_writer *w, uint64_t tsc)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < u->nr && !err; i++)
		err = drain_unit(u, i, w, tsc);
	return err;
}

unsigned int units_poll(const struct units *u, struct pollfd *p)
{
	unsigned int i, n = 0;

	for (i = 0; i < u->nr; i++)
		if (!u->taken[i] && !softpt_unit_done(u->unit[i]))
			p[n++] = (struct pollfd){
				.fd = softpt_unit_fd(u->unit[i]), .events = POLLIN | POLLRDBAND
			};
	return n;
}

bool units_done(const struct units *u)
{
	unsigned int i;

	for (i = 0; i < u->nr; i++)
		if (!softpt_unit_done(u->unit[i]))
			return false;
	return true;
}

static void add_counts(struct softpt_counts *sum, const struct softpt_counts *c)
{
	sum->bytes += c->bytes;
	sum->packets += c->packets;
	sum->events += c->events;
	sum->mtc += c->mtc;
	sum->mtc_suppressed += c->mtc_suppressed;
	sum->overflows += c->overflows;
	sum->events_lost += c->events_lost;
	sum->gaps += c->gaps;
}

void units_counts(struct units *u, struct softpt_counts *sum)
{
	struct softpt_status st;
	unsigned int i;

	memset(sum, 0, sizeof(*sum));
	for (i = 0; i < u->nr; i++)
		if (!softpt_unit_status(u->unit[i], &st))
			add_counts(sum, &st.counts);
}

void units_close(struct units *u)
{
	unsigned int i;

	for (i = 0; i < u->nr; i++)
		softpt_unit_close(u->unit[i]);
	free(u->unit);
	free(u->cpus);
	free(u->taken);
}
