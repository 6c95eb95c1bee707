// SPDX-License-Identifier: BSD-2-Clause
/* Triggers freeze snapshots: which bytes, whose ring, and again after a REARM */
#include "selftests/kit/kit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define WAIT_MS	30000	/* for what must come */

struct bench {
	int dev, session;
	int unit[2];
	struct kit_map map[2];
	unsigned int nr;
	uint64_t tsc;
};

static void begin(struct bench *b, const struct softpt_trigger *trigger, unsigned int nr)
{
	struct softpt_config config = kit_config();
	unsigned int i;

	*b = (struct bench){ .nr = nr, .tsc = 1000 };
	config.mode = SOFTPT_RING_SNAPSHOT;
	config.ring = 1 << 16;
	config.psb_freq = 0;
	config.flags |= SOFTPT_F_TRIG;
	b->dev = kit_open();
	b->session = kit_session(b->dev);
	kit_configure(b->session, &config);
	if (kit_ioctl(b->session, SOFTPT_SET_TRIGGER, trigger))
		kit_bail("a valid trigger is refused");
	for (i = 0; i < nr; i++) {
		b->unit[i] = kit_unit(b->session, i);
		if (b->unit[i] < 0 || kit_map(b->unit[i], config.ring, &b->map[i]))
			kit_bail("the unit of CPU %u", i);
	}
	if (kit_enable(b->session))
		kit_bail("enable");
}

static void end(struct bench *b)
{
	unsigned int i;

	for (i = 0; i < b->nr; i++) {
		kit_unmap(&b->map[i]);
		close(b->unit[i]);
	}
	close(b->session);
	close(b->dev);
}

static long give(struct bench *b, unsigned int i, unsigned int kind, uint64_t arg)
{
	const struct softpt_event ev = { .kind = kind, .tsc = b->tsc += 100, .arg = arg,
					 .ip = 0x401000 };

	return kit_write(b->unit[i], &ev, sizeof(ev));
}

/* Branches enough to fill a ring several times */
static void work(struct bench *b, unsigned int i, unsigned int n)
{
	while (n--) {
		const struct softpt_event ev = {
			.kind = SOFTPT_EV_IJMP, .tsc = b->tsc += 100, .ip = 0x401000,
			.target = n & 1 ? 0x402000 : 0x7f0000401000,
		};

		kit_write(b->unit[i], &ev, sizeof(ev));
	}
}

static bool is_frozen(const struct bench *b, unsigned int i)
{
	return b->map[i].control->flags & SOFTPT_ST_FROZEN;
}

static bool wait_frozen(const struct bench *b, unsigned int i)
{
	struct pollfd p = { .fd = b->unit[i], .events = POLLIN };

	return poll(&p, 1, WAIT_MS) == 1 && is_frozen(b, i);
}

/* What comes after a fragment is read by itself: nothing but MTCs is before the PSB. */
static bool begins_with_psb(const struct bench *b, unsigned int i, uint64_t from)
{
	const volatile struct softpt_control *c = b->map[i].control;
	const uint8_t *bytes = b->map[i].data + (from & (c->data_size - 1));
	static const uint8_t psb[] = { 0x02, 0x82, 0x02, 0x82 };

	while (*bytes == 0x59)
		bytes += 2;
	return !memcmp(bytes, psb, sizeof(psb));
}

/* The last packet of what is frozen, where nothing is to come after the TE: TRIG of trigger 0 */
static bool ends_with_trig(const struct bench *b, unsigned int i)
{
	const volatile struct softpt_control *c = b->map[i].control;
	const uint8_t *end = b->map[i].data + (c->head & (c->data_size - 1)) + c->data_size;
	static const uint8_t trig[] = { 0xd9, 0, 1 };

	if (c->head & (c->data_size - 1))
		end -= c->data_size;
	return c->triggers.head == c->head && c->head >= 3 && !memcmp(end - 3, trig, 3);
}

static void fragments(void)
{
	const struct softpt_trigger trigger = {
		.size = sizeof(trigger), .source = SOFTPT_ON_SYSCALL, .nth = 2, .value = 60,
		.flags = SOFTPT_TRIGGER_FREEZE | SOFTPT_TRIGGER_REARM,
	};
	struct bench b;
	int i, good = 0, full = 0, psb = 0;
	uint64_t from;

	begin(&b, &trigger, 1);
	kit_ok(b.map[0].control->size >= sizeof(struct softpt_control) &&
	       !b.map[0].control->triggers.events, "armed: no trigger event yet");
	give(&b, 0, SOFTPT_EV_ENABLE, 0);
	for (i = 0; i < 10; i++) {
		uint64_t tsc;

		work(&b, 0, 10000);
		give(&b, 0, SOFTPT_EV_SYSCALL, 60);
		if (is_frozen(&b, 0))
			break;
		give(&b, 0, SOFTPT_EV_SYSCALL, 61);
		work(&b, 0, 100);
		give(&b, 0, SOFTPT_EV_SYSCALL, 60);
		tsc = b.tsc;
		good += wait_frozen(&b, 0) && ends_with_trig(&b, 0) &&
			b.map[0].control->triggers.events == i + 1u &&
			b.map[0].control->triggers.tsc == tsc &&
			b.map[0].control->triggers.hits[0] == 2 * (i + 1u);
		full += b.map[0].control->tail > 0;
		kit_consume(&b.map[0], b.map[0].control->head - b.map[0].reader->tail);
		from = b.map[0].control->head;
		if (kit_ioctl(b.unit[0], SOFTPT_REARM, NULL))
			break;
		work(&b, 0, 10);
		psb += begins_with_psb(&b, 0, from);
	}
	kit_ok(good == 10, "%d of 10 fragments end with every second system call 60", good);
	kit_ok(full == 10, "%d after bytes were overwritten", full);
	kit_ok(psb == 10, "%d begin with a PSB", psb);
	end(&b);
}

/* Both are frozen: now by turns the event of one freezes both, and both run on together. */
static void all_at_once(struct bench *b)
{
	unsigned int i, good = 0;

	for (i = 0; i < 10; i++) {
		bool runs = !kit_ioctl(b->session, SOFTPT_REARM_UNITS, NULL);

		work(b, 0, 100);
		work(b, 1, 100);
		runs &= !is_frozen(b, 0) && !is_frozen(b, 1);
		give(b, i & 1, SOFTPT_EV_PTW, 7);
		good += runs && wait_frozen(b, i & 1) && ends_with_trig(b, i & 1) &&
			wait_frozen(b, !(i & 1));
	}
	kit_ok(good == 10, "%u of 10 fragments of both units, rearmed together", good);
	kit_ioctl(b->session, SOFTPT_REARM_UNITS, NULL);
	kit_is(kit_ioctl(b->session, SOFTPT_REARM_UNITS, NULL), -EINVAL,
	       "SOFTPT_REARM_UNITS when none is frozen");
}

static void whole_session(void)
{
	const struct softpt_trigger trigger = {
		.size = sizeof(trigger), .source = SOFTPT_ON_PTW, .nth = 1, .value = 7,
		.mask = ~0ull,
		.flags = SOFTPT_TRIGGER_FREEZE | SOFTPT_TRIGGER_UNITS | SOFTPT_TRIGGER_REARM,
	};
	struct bench b;
	unsigned int i;

	if (kit_cpus() < 2) {
		kit_ok(true, "one CPU only # SKIP");
		return;
	}
	begin(&b, &trigger, 2);
	for (i = 0; i < 2; i++) {
		give(&b, i, SOFTPT_EV_ENABLE, 0);
		work(&b, i, 100);
	}
	give(&b, 0, SOFTPT_EV_PTW, 7);
	kit_ok(wait_frozen(&b, 0), "the unit of a trigger event freezes");
	kit_ok(wait_frozen(&b, 1), "and the other, which sees no event");
	kit_ok(b.map[0].control->triggers.events == 1 && !b.map[1].control->triggers.events,
	       "the event is the first's");
	for (i = 0; i < 2; i++)
		kit_ioctl(b.unit[i], SOFTPT_REARM, NULL);
	for (i = 0; i < 2; i++)
		work(&b, i, 100);
	kit_ok(!is_frozen(&b, 0) && !is_frozen(&b, 1), "both run on when they are rearmed");
	give(&b, 1, SOFTPT_EV_PTW, 7);
	kit_ok(wait_frozen(&b, 1) && wait_frozen(&b, 0), "an event of the second freezes both");
	all_at_once(&b);
	end(&b);
}

static void on_demand(void)
{
	const struct softpt_trigger trigger = {
		.size = sizeof(trigger), .source = SOFTPT_ON_DEMAND, .nth = 2,
		.flags = SOFTPT_TRIGGER_FREEZE | SOFTPT_TRIGGER_PSB, .after = 2000,
	};
	struct bench b;
	uint64_t te;

	begin(&b, &trigger, 1);
	give(&b, 0, SOFTPT_EV_ENABLE, 0);
	kit_ioctl(b.unit[0], SOFTPT_TRIGGER, NULL);
	kit_ok(!b.map[0].control->triggers.events, "the first demand is not the second");
	kit_ioctl(b.unit[0], SOFTPT_TRIGGER, NULL);
	te = b.map[0].control->triggers.head;
	kit_ok(b.map[0].control->triggers.events == 1 && te == b.map[0].control->head,
	       "the second fires at once");
	kit_ok(!is_frozen(&b, 0), "2000 bytes are to come");
	fcntl(b.unit[0], F_SETFL, O_NONBLOCK);	/* what is frozen takes no more */
	work(&b, 0, 1000);
	kit_ok(wait_frozen(&b, 0) && b.map[0].control->head - te >= 2000 &&
	       b.map[0].control->head - te < 2600, "they came, and no more than a group of packets");
	end(&b);
}

int main(void)
{
	fragments();
	whole_session();
	on_demand();
	return kit_done();
}
