// SPDX-License-Identifier: BSD-2-Clause
/*
 * replay [EVENTS]: random events through the device on every CPU at once give the
 * very bytes that the engine gives in this process.
 */
#include "selftests/kit/kit.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define CPUS_MAX	64

static struct worker {
	int unit;
	unsigned int cpu;
	struct kit_map map;
	struct softpt_event *ev;
	size_t n;
	uint8_t *want;
	size_t length;
	struct softpt_counts counts;
	size_t good;		/* bytes that were as they should be, before one was not */
	bool bad;
	long write_error;
	pthread_t writer, reader;
} workers[CPUS_MAX];

static void *writer(void *arg)
{
	struct worker *w = arg;
	uint64_t random = w->cpu;
	size_t done = 0;

	while (done < w->n) {
		size_t n = 1 + kit_random(&random) % 500;
		ssize_t ret;

		if (n > w->n - done)
			n = w->n - done;
		ret = kit_write(w->unit, w->ev + done, n * sizeof(*w->ev));
		if (ret <= 0) {
			w->write_error = ret;
			return NULL;
		}
		done += ret / sizeof(*w->ev);
	}
	w->write_error = kit_ioctl(w->unit, SOFTPT_FINISH, NULL);
	return NULL;
}

/* Reads what is there in pieces of any size, until the end. */
static void *reader(void *arg)
{
	struct worker *w = arg;
	struct pollfd p = { .fd = w->unit, .events = POLLIN };

	while (poll(&p, 1, 60000) == 1) {
		const uint8_t *bytes;
		size_t n = kit_peek(&w->map, &bytes);

		if (!n && (p.revents & POLLHUP))
			break;
		/* The writer waits for room, whatever the bytes are like. */
		if (n > w->length - w->good || memcmp(bytes, w->want + w->good, n))
			w->bad = true;
		if (!w->bad)
			w->good += n;
		kit_consume(&w->map, n);
	}
	return NULL;
}

static void prepare(int session, struct worker *w, const struct softpt_config *config,
		    size_t events)
{
	w->unit = kit_unit(session, w->cpu);
	if (w->unit < 0)
		kit_bail("unit of CPU %u: %s", w->cpu, strerror(-w->unit));
	if (kit_map(w->unit, config->ring, &w->map))
		kit_bail("map the unit of CPU %u", w->cpu);
	w->ev = kit_events(w->cpu + 1, events);
	w->n = events;
	w->want = kit_expect(config, w->ev, events, &w->counts);
	w->length = w->counts.bytes;
	w->good = 0;
	w->bad = false;
	w->write_error = 0;
}

static void judge(struct worker *w, const char *name)
{
	struct softpt_status status = kit_status(w->unit);

	kit_ok(!w->write_error && !w->bad && w->good == w->length,
	       "%s: CPU %u: %zu events give the engine's %zu bytes", name, w->cpu, w->n,
	       w->length);
	if (w->bad || w->good != w->length)
		kit_note("%zu bytes agree, write says %ld, head is %llu", w->good, w->write_error,
			 (unsigned long long)status.head);
	kit_ok(!memcmp(&status.counts, &w->counts, sizeof(w->counts)) &&
	       !(status.flags & SOFTPT_ST_LOST), "%s: CPU %u: so are the counts", name, w->cpu);
}

static void run(const char *name, const struct softpt_config *config, size_t events)
{
	unsigned int i, cpus = kit_cpus() < CPUS_MAX ? kit_cpus() : CPUS_MAX;
	int dev = kit_open(), session = kit_session(dev);

	kit_is(kit_configure(session, config), 0, "%s: configured", name);
	for (i = 0; i < cpus; i++) {
		workers[i].cpu = i;
		prepare(session, &workers[i], config, events);
	}
	kit_is(kit_enable(session), 0, "%s: enabled", name);
	for (i = 0; i < cpus; i++) {
		pthread_create(&workers[i].reader, NULL, reader, &workers[i]);
		pthread_create(&workers[i].writer, NULL, writer, &workers[i]);
	}
	for (i = 0; i < cpus; i++) {
		pthread_join(workers[i].writer, NULL);
		pthread_join(workers[i].reader, NULL);
		judge(&workers[i], name);
		kit_unmap(&workers[i].map);
		close(workers[i].unit);
		free(workers[i].ev);
		free(workers[i].want);
	}
	close(session);
	close(dev);
}

int main(int argc, char **argv)
{
	size_t events = argc > 1 ? strtoul(argv[1], NULL, 0) : 500000;
	struct softpt_config config = kit_config();

	config.flags |= SOFTPT_F_CYC | SOFTPT_F_PWR;
	run("default", &config, events);

	config.ring = 4096;
	config.suppress = 2;
	config.preroll = 2;
	config.psb_freq = 0;
	run("smallest ring, suppressed", &config, events / 10);

	config = kit_config();
	config.flags |= SOFTPT_F_TNT64;
	config.flags &= ~(SOFTPT_F_RETC | SOFTPT_F_OS);
	config.ring = 64 << 10;
	config.mtc_freq = 0;
	run("user only, dense MTC", &config, events / 10);
	return kit_done();
}
