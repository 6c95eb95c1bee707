// SPDX-License-Identifier: BSD-2-Clause
/*
 * A live unit runs with interrupts off: however long a gap, it costs a few KiB, and then
 * the clock restarts. One that owes less is written as it is elsewhere.
 */
#include <stdlib.h>
#include <string.h>

#include "kmod/engine/engine.h"
#include "selftests/kit/kit.h"
#include <softpt/params.h>

#define MOST	(2 * SOFTPT_LIVE_GAP_BYTES + SOFTPT_GROUP_MAX)

static const struct row {
	const char *name;
	uint32_t flags;		/* added */
	uint32_t without;	/* removed */
	uint8_t mtc_freq;
	uint8_t cyc_bits;
	uint8_t suppress;
	uint8_t ratio;		/* 0: the TSC's */
} rows[] = {
	{ "MTCs", .mtc_freq = 3, .cyc_bits = 48 },
	{ "dense MTCs with CYC", .flags = SOFTPT_F_CYC, .cyc_bits = 48 },
	{ "suppressed MTCs", .mtc_freq = 3, .cyc_bits = 48, .suppress = 2 },
	{ "narrow counter", .flags = SOFTPT_F_CYC, .mtc_freq = 3, .cyc_bits = 16 },
	{ "narrow counter, rare MTCs", .flags = SOFTPT_F_CYC, .mtc_freq = 15, .cyc_bits = 16 },
	{ "narrow counter, suppressed MTCs", .flags = SOFTPT_F_CYC, .mtc_freq = 15,
	  .cyc_bits = 16, .suppress = 3 },
	{ "narrow counter, no MTC", .flags = SOFTPT_F_CYC, .without = SOFTPT_F_MTC,
	  .cyc_bits = 16 },
	{ "narrow counter, no MTC, slow clock", .flags = SOFTPT_F_CYC,
	  .without = SOFTPT_F_MTC, .cyc_bits = 16, .ratio = 4 },
	{ "wide counter, no MTC", .flags = SOFTPT_F_CYC, .without = SOFTPT_F_MTC,
	  .cyc_bits = 56 },
};

struct outcome {
	struct softpt_counts counts;
	uint8_t bytes[65536];
	size_t length;
	int ret;
};

/* Enabled at once; a branch after @gap ticks */
static void run(const struct row *row, uint64_t gap, bool live, struct outcome *o)
{
	struct softpt_event ev[] = {
		{ .kind = SOFTPT_EV_CLOCK, .arg = row->ratio ? row->ratio : 26 },
		{ .kind = SOFTPT_EV_ENABLE, .ip = 0x1000 },
		{ .kind = SOFTPT_EV_IJMP, .tsc = gap, .ip = 0x1000, .target = 0x2000 },
	};
	struct softpt_sink sink = { o->bytes, o->bytes + sizeof(o->bytes) };
	struct softpt_config config;
	static struct softpt_engine e;
	size_t i;

	softpt_config_default(&config);
	config.flags = (config.flags | row->flags) & ~row->without;
	config.mtc_freq = row->mtc_freq;
	config.cyc_bits = row->cyc_bits;
	config.suppress = row->suppress;
	softpt_engine_init(&e, &config);
	e.live = live;
	for (i = 0; i < 3; i++)
		o->ret = softpt_engine_event(&e, &ev[i], &sink);
	o->length = sink.cur - o->bytes;
	o->counts = e.counts;
}

static void judge(const struct row *row)
{
	static struct outcome live, fed;
	size_t most = 0, same = 0, healed = 0, gaps = 0;
	unsigned int shift;

	for (shift = 0; shift < 55; shift++) {
		run(row, 1ull << shift, true, &live);
		run(row, 1ull << shift, false, &fed);
		most = live.length > most ? live.length : most;
		gaps += !!live.counts.gaps;
		if (live.counts.gaps)
			healed += live.counts.gaps == 1 && !live.ret;
		else
			same += !live.ret && live.length == fed.length &&
				!memcmp(live.bytes, fed.bytes, fed.length);
	}
	kit_ok(most <= MOST, "%s: no gap costs more than %zu bytes", row->name, most);
	kit_ok(healed == gaps && same == 55 - gaps,
	       "%s: %zu of 55 gaps are healed, the others as they are of a fed unit",
	       row->name, gaps);
}

int main(void)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		judge(&rows[i]);
	return kit_done();
}
