// SPDX-License-Identifier: BSD-2-Clause
/* Triggers: what they may be set to, when, and by whom they may be demanded */
#include "abi.h"

#define ROW(field, value, want) ABI_FIELD(softpt_trigger, field, value, want)

static const struct softpt_trigger good = {
	.size = sizeof(good), .source = SOFTPT_ON_EXIT, .nth = 1,
};

static void fields(int session)
{
	static const struct abi_field exits[] = {
		ROW(index, SOFTPT_TRIGGERS - 1, 0),
		ROW(index, SOFTPT_TRIGGERS, -EINVAL),
		ROW(index, ~0u, -EINVAL),
		ROW(source, SOFTPT_ON_NR, -EINVAL),
		ROW(source, SOFTPT_ON_DEMAND, 0),
		ROW(source, SOFTPT_ON_NOTHING, -EINVAL),	/* nth is not zero */
		ROW(source, SOFTPT_ON_SIGNAL, -EINVAL),		/* no signal */
		ROW(source, SOFTPT_ON_EVENT, 0),
		ROW(source, SOFTPT_ON_SYSCALL, 0),
		ROW(nth, 0, -EINVAL),
		ROW(nth, ~0ull, 0),
		ROW(value, 1, -EINVAL),
		ROW(mask, 1, -EINVAL),
		ROW(usr, 1, -EINVAL),
		ROW(os, 1, -EINVAL),
		ROW(event_class, 1, -EINVAL),
		ROW(submask, 1, -EINVAL),
		ROW(reserved0, 1, -EINVAL),
		ROW(flags, SOFTPT_TRIGGER_REARM | SOFTPT_TRIGGER_PSB, 0),
		ROW(flags, SOFTPT_TRIGGER_FREEZE | SOFTPT_TRIGGER_UNITS, 0),
		ROW(flags, SOFTPT_TRIGGER_UNITS, -EINVAL),
		ROW(flags, SOFTPT_TRIGGER_FATAL, -EINVAL),
		ROW(flags, SOFTPT_TRIGGER_ALL + 1, -EINVAL),
		ROW(flags, 1u << 31, -EINVAL),
		ROW(after, 1, -EINVAL),				/* nothing freezes */
		ROW(after_unit, SOFTPT_AFTER_PSBS, -EINVAL),
	};
	static const struct abi_field freezes[] = {
		ROW(after, 1, 0),
		ROW(after, ~0ull, 0),
		ROW(after_unit, SOFTPT_AFTER_PSBS, 0),
		ROW(after_unit, SOFTPT_AFTER_NR, -EINVAL),
	};
	struct softpt_trigger t = good;

	ABI_SIZES(session, SOFTPT_SET_TRIGGER, &good, 0, false);
	ABI_FIELDS(session, SOFTPT_SET_TRIGGER, &good, exits);
	t.flags = SOFTPT_TRIGGER_FREEZE;
	ABI_FIELDS(session, SOFTPT_SET_TRIGGER, &t, freezes);
}

static void sources(int session)
{
	static const struct abi_field ips[] = {
		ROW(value, 9, 0),
		ROW(value, 10, -EINVAL),			/* behind the last */
		ROW(source, SOFTPT_ON_PTW, -EINVAL),		/* 8 is not within 9 */
		ROW(source, SOFTPT_ON_DATA, -EINVAL),
	};
	static const struct abi_field counters[] = {
		ROW(value, SOFTPT_COUNTERS - 1, 0),
		ROW(value, SOFTPT_COUNTERS, -EINVAL),
		ROW(value, ~0ull, -EINVAL),
	};
	static const struct abi_field events[] = {
		ROW(event_class, SOFTPT_EVENT_CLASSES - 1, 0),
		ROW(event_class, SOFTPT_EVENT_CLASSES, -EINVAL),
		ROW(submask, 0xffff, 0),
	};
	struct softpt_trigger t = good;

	t.source = SOFTPT_ON_IP;
	t.value = 6;
	t.mask = 9;
	ABI_FIELDS(session, SOFTPT_SET_TRIGGER, &t, ips);
	t = good;
	t.source = SOFTPT_ON_COUNTER;
	ABI_FIELDS(session, SOFTPT_SET_TRIGGER, &t, counters);
	t = good;
	t.source = SOFTPT_ON_EVENT;
	ABI_FIELDS(session, SOFTPT_SET_TRIGGER, &t, events);
}

/* A trigger for whoever asks, which freezes or not; all else off */
static void only(int session, uint32_t flags)
{
	struct softpt_trigger t = { .size = sizeof(t) };

	for (t.index = 0; t.index < SOFTPT_TRIGGERS; t.index++)
		kit_ioctl(session, SOFTPT_SET_TRIGGER, &t);
	t = good;
	t.source = SOFTPT_ON_DEMAND;
	t.flags = flags;
	kit_ioctl(session, SOFTPT_SET_TRIGGER, &t);
}

static void order(const struct abi_unit *u)
{
	struct softpt_source step = { .size = sizeof(step), .kind = SOFTPT_SOURCE_KERNEL };
	struct softpt_trigger t = good;

	only(u->session, SOFTPT_TRIGGER_FREEZE);
	kit_is(kit_enable(u->session), -EINVAL, "SOFTPT_ENABLE: a stream can't freeze");
	only(u->session, 0);
	kit_is(kit_ioctl(u->unit, SOFTPT_TRIGGER, NULL), -EBADFD, "SOFTPT_TRIGGER: not enabled");
	kit_is(kit_enable(u->session), 0, "a stream with a trigger that marks");
	kit_is(kit_ioctl(u->session, SOFTPT_SET_TRIGGER, &t), -EBUSY, "SOFTPT_SET_TRIGGER: enabled");
	kit_is(kit_ioctl(u->unit, SOFTPT_TRIGGER, NULL), 0, "SOFTPT_TRIGGER");
	kit_disable(u->session);
	t.source = SOFTPT_ON_SIGNAL;
	t.value = 1;
	kit_ioctl(u->session, SOFTPT_SET_TRIGGER, &t);
	kit_enable(u->session);
	kit_is(kit_ioctl(u->unit, SOFTPT_TRIGGER, NULL), -EINVAL,
	       "SOFTPT_TRIGGER: nothing waits for it");
	kit_disable(u->session);
	if (kit_ioctl(u->session, SOFTPT_SET_SOURCE, &step) == -EOPNOTSUPP)
		kit_ok(true, "SOFTPT_SET_SOURCE: the kernel's events have no signals");
	else
		kit_ok(false, "SOFTPT_SET_SOURCE: the kernel's events have no signals");
	only(u->session, 0);
	kit_is(kit_ioctl(u->session, SOFTPT_SET_SOURCE, &step), 0, "and a demand is no event");
	t = good;
	kit_is(kit_ioctl(u->session, SOFTPT_SET_TRIGGER, &t), -EOPNOTSUPP,
	       "SOFTPT_SET_TRIGGER: nor exits");
}

void abi_trigger(void)
{
	struct abi_unit u = abi_unit(NULL);

	fields(u.session);
	sources(u.session);
	order(&u);
	abi_close(&u);
}
