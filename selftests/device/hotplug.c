// SPDX-License-Identifier: BSD-2-Clause
/* A unit that is fed from process context does not care whether its CPU is there. */
#include "../kit/kit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CYCLES	5

static void offline_cpu(int session)
{
	kit_ok(kit_online(1, false), "CPU 1 goes offline");
	kit_is(kit_unit(session, 1), -ENXIO, "SOFTPT_CREATE_UNIT for a CPU that is offline");
	kit_ok(kit_online(1, true), "CPU 1 comes back");
}

/* Events go on while the CPU goes and comes. */
static void through(void)
{
	struct softpt_config config = kit_config();
	int dev = kit_open(), session = kit_session(dev), unit, i;
	size_t n = 1000, length = 0;
	struct softpt_event *ev = kit_events(53, CYCLES * n);
	struct softpt_counts counts;
	uint8_t *want = kit_expect(&config, ev, CYCLES * n, &counts);
	uint8_t *got = malloc(counts.bytes + 1);
	ssize_t ret;

	kit_configure(session, &config);
	unit = kit_unit(session, 1);
	kit_enable(session);
	for (i = 0; i < CYCLES; i++) {
		if (!kit_online(1, i & 1) ||
		    kit_write(unit, ev + i * n, n * sizeof(*ev)) != (ssize_t)(n * sizeof(*ev)))
			break;
	}
	kit_ok(i == CYCLES && kit_online(1, true), "the CPU goes and comes while events are written");
	kit_ioctl(unit, SOFTPT_FINISH, NULL);
	while (got && (ret = kit_read(unit, got + length, counts.bytes + 1 - length)) > 0)
		length += ret;
	kit_ok(length == counts.bytes && !memcmp(got, want, length), "no byte is missing");
	close(unit);
	close(session);
	close(dev);
	free(ev);
	free(want);
	free(got);
}

int main(void)
{
	int dev = kit_open(), session = kit_session(dev);

	if (kit_cpus() < 2)
		kit_bail("hotplug needs two CPUs");
	offline_cpu(session);
	close(session);
	close(dev);
	through();
	return kit_done();
}
