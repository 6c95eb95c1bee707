// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Many branches of one time, at a cost by the packet and not by the branch, for a host that reads
 * a clock now and then. (Documentation/translate.rst)
 */
#include "packet/tnt.h"
#include "packet/write.h"
#include "run.h"

size_t softpt_engine_run_begin(struct softpt_engine *e, u64 tsc, const struct softpt_sink *s)
{
	const u32 flags = SOFTPT_F_BRANCH | SOFTPT_F_USER;
	size_t room = s->end - s->cur;

	e->mark = s->cur;
	if (!e->packet_en || e->context.ranges || (e->flags & flags) != flags || !e->context.cpl ||
	    e->watched || e->checks_group || e->ratio_unknown || e->mtc.missing ||
	    tsc >= e->due || tsc < e->now || room <= SOFTPT_GROUP_MAX || softpt_psb_due(e, s))
		return 0;
	e->now = tsc;
	return min_t(u64, room - SOFTPT_GROUP_MAX, e->psb_at - softpt_bytes(e, s));
}

/* TNT packets of 6 bits, as many as there are; the rest is pending. */
static void put_tnt8(struct softpt_engine *e, u64 bits, unsigned int n, struct softpt_sink *s)
{
	for (; n >= 6; n -= 6) {
		*s->cur++ = 0x80 | (bits >> (n - 6) & 63) << 1;
		e->counts.packets++;
	}
	e->tnt = bits & ((1u << n) - 1);
	e->ntnt = n;
}

void softpt_engine_run_bits(struct softpt_engine *e, u64 bits, unsigned int n,
			    struct softpt_sink *s)
{
	unsigned int k;

	e->mark = s->cur;
	e->counts.events += n;
	e->tnt_bits += n;
	if (n)
		softpt_suppressor_ntp(&e->mtc.sup);
	if (likely(e->tnt_max == 6 && n + e->ntnt <= 64)) {
		put_tnt8(e, e->tnt << n | (bits & ((1ull << n) - 1)), n + e->ntnt, s);
		n = 0;
	}
	while (n) {
		k = min(n, (unsigned int)(e->tnt_max - e->ntnt));
		n -= k;
		e->tnt = e->tnt << k | (bits >> n & ((1ull << k) - 1));
		e->ntnt += k;
		if (e->ntnt == e->tnt_max)
			softpt_tnt_flush_slow(e, s);
	}
	softpt_end_call(e, s, 0);
}

void softpt_engine_run_call(struct softpt_engine *e, u64 next)
{
	e->counts.events++;
	e->ret.ip[e->ret.top++ % SOFTPT_RET_DEPTH] = next;
	if (e->ret.n < SOFTPT_RET_DEPTH)
		e->ret.n++;
}

void softpt_engine_run_end(struct softpt_engine *e, u64 ip)
{
	e->context.ip = ip;
}
