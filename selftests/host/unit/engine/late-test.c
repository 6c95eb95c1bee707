// SPDX-License-Identifier: BSD-2-Clause
/* Times and cycle counters near 2^64: refused, or done in as many steps as elsewhere. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "kmod/engine/engine.h"
#include "selftests/kit/kit.h"
#include <softpt/params.h>

#define LATEST	(0xffull << 56)		/* the first time that is refused */
#define WATCHDOG 60			/* seconds: an engine that goes on for ever must fail too */

struct outcome {
	uint8_t bytes[4096];
	struct softpt_counts counts;
	int ret;			/* of the first event that was not done at once */
};

static void run(const struct softpt_config *config, const struct softpt_event *ev, size_t n,
		struct outcome *o)
{
	struct softpt_sink sink = { o->bytes, o->bytes + sizeof(o->bytes) };
	static struct softpt_engine e;
	const char *why;
	size_t i;

	memset(o, 0, sizeof(*o));
	softpt_engine_init(&e, config);
	for (i = 0; i < n && !o->ret; i++) {
		o->ret = softpt_engine_check(&e, &ev[i], &why);
		if (!o->ret)
			o->ret = softpt_engine_event(&e, &ev[i], &sink);
	}
	o->counts = e.counts;
}

/* All kinds of gaps end at @last; what is sent is what is sent at another time */
static void test_last(uint64_t last, int want)
{
	struct softpt_event ev[] = {
		{ .kind = SOFTPT_EV_ENABLE, .ip = 0x1000, .tsc = LATEST - 3000 },
		{ .kind = SOFTPT_EV_SLEEP, .arg = 1ull << 54, .tsc = LATEST - 2500 },
		{ .kind = SOFTPT_EV_JCC, .ip = 0x1000, .tsc = LATEST - 2000 },
		{ .kind = SOFTPT_EV_OVF, .arg = 1, .tsc = LATEST - 1900 },
		{ .kind = SOFTPT_EV_JCC, .ip = 0x1000, .tsc = last },
		{ .kind = SOFTPT_EV_OVF, .arg = 1ull << 54, .tsc = last },
		{ .kind = SOFTPT_EV_IDLE, .tsc = last },
	};
	struct softpt_config config;
	static struct outcome o;

	softpt_config_default(&config);
	config.flags |= SOFTPT_F_CYC;
	run(&config, ev, sizeof(ev) / sizeof(ev[0]), &o);
	kit_is(o.ret, want, "an event at %#llx", (unsigned long long)last);
	kit_ok(o.counts.mtc <= 4, "its gap: %llu MTCs", (unsigned long long)o.counts.mtc);
}

/* Nothing is traced: even so a time may not be the engine's "never" */
static void test_off(uint16_t kind)
{
	struct softpt_event ev = { .kind = kind, .ip = 0x1000, .tsc = UINT64_MAX };
	struct softpt_config config;
	static struct outcome o;

	softpt_config_default(&config);
	run(&config, &ev, 1, &o);
	kit_is(o.ret, -EINVAL, "the very last time, kind %u", kind);
}

/* The widest counter at the slowest clock fills in more ticks than 64 bits hold. */
static void test_wide(uint64_t begin)
{
	struct softpt_event ev[8] = {
		{ .kind = SOFTPT_EV_CLOCK, .arg = 1, .tsc = begin },
		{ .kind = SOFTPT_EV_ENABLE, .ip = 0x1000, .tsc = begin },
		{ .kind = SOFTPT_EV_IJMP, .ip = 0x1000, .target = 0x2000, .tsc = begin + 510 },
		{ .kind = SOFTPT_EV_CLOCK, .arg = 255, .tsc = begin + 510 },
	};
	const uint64_t gap = (1ull << 55) - 1;
	struct softpt_config config;
	static struct outcome o;
	unsigned int i;

	softpt_config_default(&config);
	config.flags = (config.flags | SOFTPT_F_CYC) & ~SOFTPT_F_MTC;
	config.cyc_bits = 56;
	config.min_ratio = 1;
	config.max_ratio = 255;
	config.p1 = 255;
	/* At 255/255 the counter fills once in the four gaps */
	for (i = 4; i < 8; i++)
		ev[i] = (struct softpt_event){ .kind = SOFTPT_EV_IDLE, .tsc = ev[i - 1].tsc + gap };
	run(&config, ev, 8, &o);
	kit_is(o.ret, 0, "a wide counter from %#llx on", (unsigned long long)begin);
	kit_ok(o.counts.events == 8 && o.counts.bytes < 200, "its %llu bytes",
	       (unsigned long long)o.counts.bytes);
}

int main(void)
{
	alarm(WATCHDOG);
	test_last(LATEST - 1, 0);
	test_last(LATEST, -EINVAL);
	test_last(UINT64_MAX - 1, -EINVAL);
	test_last(UINT64_MAX, -EINVAL);
	test_off(SOFTPT_EV_IDLE);
	test_off(SOFTPT_EV_ENABLE);
	test_off(SOFTPT_EV_SLEEP);
	test_wide(0);
	test_wide(1ull << 57);
	test_wide(LATEST - (1ull << 58));
	return kit_done();
}
