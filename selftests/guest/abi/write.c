// SPDX-License-Identifier: BSD-2-Clause
/* write(): whole, valid records, in the order of their times */
#include "abi.h"

#include <stdlib.h>
#include <sys/mman.h>

#define EVENT(field, value, want) ABI_FIELD(softpt_event, field, value, want)

/* A jcc, spoilt: -EINVAL as the first record, and after three good ones those are taken */
static const struct abi_field rows[] = {
	EVENT(tsc, 1, -EINVAL),				/* before the event before it */
	EVENT(tsc, 1ull << 60, -EINVAL),		/* more than 2^55 ticks away */
	EVENT(tsc, ~0ull, -EINVAL),
	EVENT(kind, SOFTPT_EV_NR, -EINVAL),
	EVENT(kind, 0xffff, -EINVAL),
	EVENT(flags, SOFTPT_EVF_ALL + 1, -EINVAL),
	EVENT(flags, 0x8000, -EINVAL),
	EVENT(reserved, 1, -EINVAL),
	EVENT(cpl, 4, -EINVAL),
	EVENT(thread, 32, -EINVAL),
	EVENT(kind, SOFTPT_EV_CBR, -EINVAL),		/* ratio 0 */
	EVENT(kind, SOFTPT_EV_MODE, -EINVAL),		/* of 0 bits */
};

static void bad_records(int unit)
{
	struct softpt_event ev[5], good = { .tsc = 1000, .kind = SOFTPT_EV_JCC, .ip = 0x1000 };
	size_t i, j;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (j = 0; j < 5; j++)
			ev[j] = good;
		memcpy((char *)&ev[3] + rows[i].offset, &rows[i].value, rows[i].width);
		kit_ok(kit_write(unit, ev, sizeof(ev)) == 3 * sizeof(ev[0]),
		       "write: three good records before %s", rows[i].name);
		kit_is(kit_write(unit, &ev[3], 2 * sizeof(ev[0])), rows[i].want,
		       "write: %s first", rows[i].name);
	}
	good.kind = SOFTPT_EV_CBR;
	good.arg = 3;
	kit_is(kit_write(unit, &good, sizeof(good)), -ERANGE,
	       "write: a ratio outside the platform's");
}

/* A duration has no count of its own. */
static void durations(int unit)
{
	static const struct {
		struct softpt_event ev;
		long want;
	} cases[] = {
		{ { .flags = SOFTPT_EVF_BEGIN }, sizeof(struct softpt_event) },
		{ { .flags = SOFTPT_EVF_BEGIN, .stage = 3 }, sizeof(struct softpt_event) },
		{ { .flags = SOFTPT_EVF_END }, sizeof(struct softpt_event) },
		{ { .flags = SOFTPT_EVF_DATA, .arg = 1, .ip = 5 }, sizeof(struct softpt_event) },
		{ { .flags = SOFTPT_EVF_BEGIN | SOFTPT_EVF_END }, -EINVAL },
		{ { .flags = SOFTPT_EVF_BEGIN, .arg = 1 }, -EINVAL },
		{ { .flags = SOFTPT_EVF_END, .arg = 1 }, -EINVAL },
		{ { .flags = SOFTPT_EVF_END, .stage = 3 }, -EINVAL },
		{ { .flags = SOFTPT_EVF_BEGIN | SOFTPT_EVF_TARGET }, -EINVAL },
		{ { .flags = SOFTPT_EVF_END | SOFTPT_EVF_DATA }, -EINVAL },
		{ { .flags = SOFTPT_EVF_BEGIN, .arg2 = 64 }, -EINVAL },
	};
	struct softpt_event ev;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ev = cases[i].ev;
		ev.tsc = 1000;
		ev.kind = SOFTPT_EV_PMU;
		kit_ok(kit_write(unit, &ev, sizeof(ev)) == cases[i].want,
		       "write: pmu, case %zu", i);
	}
}

static void lengths(int unit)
{
	struct softpt_event ev[2] = { { .tsc = 1000, .kind = SOFTPT_EV_IDLE },
				      { .tsc = 1000, .kind = SOFTPT_EV_IDLE } };

	kit_ok(!kit_write(unit, ev, 0), "write: nothing");
	kit_is(kit_write(unit, ev, 1), -EINVAL, "write: a byte");
	kit_is(kit_write(unit, ev, sizeof(ev[0]) - 1), -EINVAL, "write: a part of a record");
	kit_is(kit_write(unit, ev, sizeof(ev[0]) + 1), -EINVAL, "write: a record and a byte");
	kit_ok(kit_write(unit, ev, sizeof(ev)) == sizeof(ev), "write: two records");
}

/* The second chunk that the kernel copies lies beyond what is mapped. */
static void faults(int unit)
{
	size_t page = 4096, per_page = page / sizeof(struct softpt_event);
	char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct softpt_event *ev = (struct softpt_event *)(p + page % sizeof(*ev));
	size_t i;

	kit_is(kit_write(unit, NULL, sizeof(*ev)), -EFAULT, "write: from nowhere");
	for (i = 0; i < per_page; i++)
		ev[i] = (struct softpt_event){ .tsc = 1000, .kind = SOFTPT_EV_IDLE };
	munmap(p + page, page);
	kit_ok(kit_write(unit, ev, 2 * per_page * sizeof(*ev)) == (ssize_t)(per_page * sizeof(*ev)),
	       "write: what could be copied is taken");
	munmap(p, page);
}

void abi_write(void)
{
	struct abi_unit u = abi_unit(NULL);
	struct softpt_event ev = { .tsc = 1000, .kind = SOFTPT_EV_ENABLE, .ip = 0x1000 };

	kit_is(kit_write(u.unit, &ev, sizeof(ev)), -EBADFD, "write: before SOFTPT_ENABLE");
	kit_enable(u.session);
	kit_is(kit_write(u.unit, &ev, sizeof(ev)), 0, "write: a record");
	bad_records(u.unit);
	durations(u.unit);
	lengths(u.unit);
	faults(u.unit);
	kit_is(kit_write(u.session, &ev, sizeof(ev)), -EINVAL, "write: to a session");
	kit_is(kit_write(u.dev, &ev, sizeof(ev)), -EINVAL, "write: to the device");
	kit_ioctl(u.unit, SOFTPT_FINISH, NULL);
	kit_is(kit_write(u.unit, &ev, sizeof(ev)), -EBADFD, "write: after SOFTPT_FINISH");
	kit_disable(u.session);
	kit_is(kit_write(u.unit, &ev, sizeof(ev)), -EBADFD, "write: after SOFTPT_DISABLE");
	abi_close(&u);
}
