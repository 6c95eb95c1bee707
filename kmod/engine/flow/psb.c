// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* PSB+: decoding of a stream can begin here (SDM, "PSB", "PSB+") */
#include "../packet/tnt.h"
#include "../packet/write.h"
#include "../time/cycles.h"
#include "../time/ticks.h"
#include "psb.h"

/* The configuration, as MNT packets; other decoders ignore MNT. */
static void describe(struct softpt_engine *e, struct softpt_sink *s)
{
	const struct softpt_config *c = &e->cfg;

	softpt_put_mnt(e, s, SOFTPT_MNT_MAGIC,
		       SOFTPT_MNT_SPT << 44 | (u64)(c->flags & SOFTPT_F_STREAM) << 28 | c->tsc_ebx);
	softpt_put_mnt(e, s, SOFTPT_MNT_CLOCK,
		       c->tsc_eax | (u64)c->mtc_freq << 28 | (u64)c->cyc_thresh << 32 |
		       (u64)c->psb_freq << 36 | e->now >> 56 << 40 |
		       (u64)(c->cyc_bits - 16) << 48);
	softpt_put_mnt(e, s, SOFTPT_MNT_SUPPRESS,
		       c->max_ratio | c->min_ratio << 8 | c->p1 << 16 |
		       (u64)c->suppress << 24 | (u64)e->mtc.sup.burst << 32 |
		       (u64)c->resume_value << 40 | (u64)c->resume << 48 |
		       (u64)c->preroll << 50);
}

static void describe_filters(struct softpt_engine *e, struct softpt_sink *s)
{
	const struct softpt_config *c = &e->cfg;
	unsigned int i;

	if (c->flags & SOFTPT_F_CR3)
		softpt_put_mnt(e, s, SOFTPT_MNT_CR3, c->cr3);
	for (i = 0; i < c->nr_ranges; i++) {
		const struct softpt_range *r = &c->range[i];
		bool stop = r->kind == SOFTPT_RANGE_STOP;

		softpt_put_mnt(e, s, SOFTPT_MNT_FROM + i, r->from);
		softpt_put_mnt(e, s, (stop ? SOFTPT_MNT_STOP : SOFTPT_MNT_FILTER) + i, r->to);
	}
}

static void psb(struct softpt_engine *e, struct softpt_sink *s)
{
	unsigned int i;

	for (i = 0; i < SOFTPT_SIZE_PSB; i += 2) {
		s->cur[i] = SOFTPT_OPC_PSB;
		s->cur[i + 1] = SOFTPT_EXT_PSB;
	}
	s->cur += SOFTPT_SIZE_PSB;
	e->counts.packets++;
	e->triggers.psbs++;
	e->last_ip = 0;
	e->ret.n = 0;
	e->context.exec_sent = 0xff;
}

/* The next PSB+ is due with so many bytes. */
static void psb_next(struct softpt_engine *e, u64 bytes)
{
	e->psb_at = e->psb_held ? U64_MAX : bytes;
	e->psb_held = e->psb_held ? bytes : 0;
}

/* MODE.Exec and FUP only while packets are enabled: none at the first enable. */
void softpt_psb_plus(struct softpt_engine *e, struct softpt_sink *s)
{
	softpt_tnt_flush(e, s);
	softpt_put_unknown_ratio(e, s);
	softpt_cyc(e, s, e->now, e->cycles.thresh);
	psb_next(e, softpt_bytes(e, s) + (2048ull << e->cfg.psb_freq));
	psb(e, s);
	if (e->flags & SOFTPT_F_DESCRIBE)
		describe(e, s);
	softpt_put_tsc(e, s, e->now);
	if ((e->flags & SOFTPT_F_OS) && e->context_en)
		softpt_put_pip(e, s);
	softpt_put_cbr(e, s);
	if (e->packet_en && (e->flags & SOFTPT_F_BRANCH)) {
		softpt_put_mode_exec(e, s);
		softpt_put_ip(e, s, SOFTPT_OPC_FUP, e->context.ip);
	}
	softpt_put_ext(e, s, SOFTPT_EXT_PSBEND, 0, 0);
	if (e->flags & SOFTPT_F_DESCRIBE)
		describe_filters(e, s);
}
