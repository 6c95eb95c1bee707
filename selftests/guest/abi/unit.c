// SPDX-License-Identifier: BSD-2-Clause
/* The unit fd's commands */
#include "abi.h"

#include <fcntl.h>
#include <stdlib.h>

static void stream(void)
{
	struct abi_unit u = abi_unit(NULL);
	struct softpt_status status = { .size = sizeof(status) };

	ABI_SIZES(u.unit, SOFTPT_GET_STATUS, &status, 0, true);
	kit_is(kit_ioctl(u.unit, SOFTPT_PSB, NULL), -EBADFD, "SOFTPT_PSB before SOFTPT_ENABLE");
	kit_is(kit_ioctl(u.unit, SOFTPT_FINISH, NULL), -EBADFD,
	       "SOFTPT_FINISH before SOFTPT_ENABLE");
	kit_is(kit_ioctl(u.unit, SOFTPT_FREEZE, NULL), -EINVAL, "SOFTPT_FREEZE of a stream");
	kit_is(kit_ioctl(u.unit, SOFTPT_REARM, NULL), -EINVAL, "SOFTPT_REARM of a stream");
	status = kit_status(u.unit);
	kit_ok(!status.flags && !status.cpu && !status.head && !status.counts.events,
	       "a new unit has done nothing");
	kit_enable(u.session);
	kit_ok(kit_status(u.unit).flags == SOFTPT_ST_ENABLED, "status: enabled");
	kit_is(kit_ioctl(u.unit, SOFTPT_PSB, NULL), 0, "SOFTPT_PSB");
	kit_is(kit_ioctl(u.unit, SOFTPT_FINISH, NULL), 0, "SOFTPT_FINISH");
	kit_ok(kit_status(u.unit).flags == SOFTPT_ST_DONE, "status: done");
	kit_is(kit_ioctl(u.unit, SOFTPT_FINISH, NULL), -EBADFD, "SOFTPT_FINISH twice");
	kit_is(kit_disable(u.session), 0, "SOFTPT_DISABLE after SOFTPT_FINISH");
	abi_close(&u);
}

static void psb_on_demand(void)
{
	static const unsigned char psb[] = { 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82,
					     2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82 };
	struct abi_unit u = abi_unit(NULL);
	struct softpt_event *ev = kit_events(3, 1);
	unsigned char bytes[4096];
	ssize_t first, second;

	kit_enable(u.session);
	kit_write(u.unit, ev, sizeof(*ev));
	first = kit_read(u.unit, bytes, sizeof(bytes));
	kit_ok(first > 16 && !memcmp(bytes, psb, 16), "the first enable gives a PSB");
	kit_is(kit_ioctl(u.unit, SOFTPT_PSB, NULL), 0, "SOFTPT_PSB with trace on");
	second = kit_read(u.unit, bytes, sizeof(bytes));
	kit_ok(second > 16 && memmem(bytes, second, psb, 16), "SOFTPT_PSB gives another");
	abi_close(&u);
	free(ev);
}

static void snapshot(void)
{
	struct softpt_config config = kit_config();
	struct abi_unit u;

	config.mode = SOFTPT_RING_SNAPSHOT;
	u = abi_unit(&config);
	kit_is(kit_ioctl(u.unit, SOFTPT_REARM, NULL), -EINVAL, "SOFTPT_REARM of what is not frozen");
	kit_enable(u.session);
	kit_is(kit_ioctl(u.unit, SOFTPT_FREEZE, NULL), 0, "SOFTPT_FREEZE");
	kit_ok(kit_status(u.unit).flags & SOFTPT_ST_FROZEN, "status: frozen");
	kit_is(kit_ioctl(u.unit, SOFTPT_FREEZE, NULL), 0, "SOFTPT_FREEZE of what is frozen");
	kit_is(kit_ioctl(u.unit, SOFTPT_REARM, NULL), 0, "SOFTPT_REARM");
	kit_ok(!(kit_status(u.unit).flags & SOFTPT_ST_FROZEN), "status: not frozen");
	abi_close(&u);
}

static void synth(void)
{
	struct softpt_synth args = { .events = 10, .mean_gap = 100, .burst = 1 };
	struct abi_unit u = abi_unit(NULL);
	struct softpt_event ev = { .kind = SOFTPT_EV_IDLE };

	kit_source(u.session, SOFTPT_SOURCE_SYNTH, &args);
	kit_enable(u.session);
	kit_is(kit_ioctl(u.unit, SOFTPT_FINISH, NULL), -EINVAL, "SOFTPT_FINISH with source synth");
	kit_is(kit_write(u.unit, &ev, sizeof(ev)), -EINVAL, "write with source synth");
	abi_close(&u);
}

/* Without room: O_NONBLOCK refuses, and nothing is lost by it. */
static void full(void)
{
	struct softpt_config config = kit_config();
	struct softpt_event ev = { .kind = SOFTPT_EV_PSB };
	struct abi_unit u;

	config.ring = 4096;
	u = abi_unit(&config);
	kit_enable(u.session);
	fcntl(u.unit, F_SETFL, O_NONBLOCK);
	ev.kind = SOFTPT_EV_ENABLE;
	kit_write(u.unit, &ev, sizeof(ev));
	ev.kind = SOFTPT_EV_PSB;
	while (kit_write(u.unit, &ev, sizeof(ev)) > 0)
		;
	kit_is(kit_write(u.unit, &ev, sizeof(ev)), -EAGAIN, "write to a full ring");
	kit_is(kit_ioctl(u.unit, SOFTPT_PSB, NULL), -EAGAIN, "SOFTPT_PSB of a full ring");
	kit_is(kit_ioctl(u.unit, SOFTPT_FINISH, NULL), 0, "SOFTPT_FINISH of a full ring");
	kit_ok(!kit_status(u.unit).counts.events_lost, "nothing was lost");
	abi_close(&u);
}

/* A record whose gap is longer than the ring is taken, and the rest of it waits. */
static void long_gap(void)
{
	struct softpt_event ev[2] = { { .kind = SOFTPT_EV_ENABLE },
				      { .kind = SOFTPT_EV_IDLE, .tsc = 1ull << 30 } };
	struct softpt_config config = kit_config();
	struct softpt_status status;
	struct abi_unit u;

	config.ring = 4096;
	u = abi_unit(&config);
	kit_enable(u.session);
	fcntl(u.unit, F_SETFL, O_NONBLOCK);
	kit_ok(kit_write(u.unit, ev, sizeof(ev)) == sizeof(ev), "write of a long gap");
	kit_is(kit_ioctl(u.unit, SOFTPT_FINISH, NULL), -EAGAIN, "SOFTPT_FINISH while it waits");
	kit_ok(!(kit_status(u.unit).flags & SOFTPT_ST_LOST), "it is not lost");
	kit_disable(u.session);
	status = kit_status(u.unit);
	kit_ok(status.flags & SOFTPT_ST_LOST && status.counts.events_lost == 1,
	       "SOFTPT_DISABLE loses it, and says so");
	abi_close(&u);
}

/*
 * Whatever was taken is in the stream, to the last TNT bit: @ticks apart, so that the ring
 * fills up at any bit of a TNT. The CYC is there before the TNT whose first bit it times.
 */
static void disabled_when_full(unsigned int ticks)
{
	struct softpt_config config = kit_config();
	const size_t most = 20000;
	struct softpt_event *ev = calloc(most, sizeof(*ev));
	struct softpt_counts counts;
	static uint8_t got[8192];
	struct abi_unit u;
	uint8_t *want;
	ssize_t n;

	for (n = 0; ev && n < (ssize_t)most; n++)
		ev[n] = (struct softpt_event){ .kind = n ? SOFTPT_EV_JCC : SOFTPT_EV_ENABLE,
					       .tsc = n * ticks };
	config.ring = 4096;
	config.flags &= ~SOFTPT_F_MTC;	/* no gap that waits */
	config.flags |= SOFTPT_F_CYC;
	u = abi_unit(&config);
	kit_enable(u.session);
	fcntl(u.unit, F_SETFL, O_NONBLOCK);
	n = kit_write(u.unit, ev, most * sizeof(*ev)) / (ssize_t)sizeof(*ev);
	kit_disable(u.session);
	want = kit_expect(&config, ev, n > 0 ? n : 0, &counts);
	kit_ok(n > 100 && n < (ssize_t)most && kit_status(u.unit).head == counts.bytes &&
	       kit_read(u.unit, got, sizeof(got)) == (ssize_t)counts.bytes &&
	       !memcmp(got, want, counts.bytes), "SOFTPT_DISABLE of a full ring ends the stream");
	kit_ok(!(kit_status(u.unit).flags & SOFTPT_ST_LOST), "nothing of it was lost");
	abi_close(&u);
	free(want);
	free(ev);
}

void abi_unit_calls(void)
{
	unsigned int ticks;

	stream();
	psb_on_demand();
	snapshot();
	synth();
	full();
	long_gap();
	for (ticks = 4; ticks <= 1024; ticks *= 2)
		disabled_when_full(ticks);
}
