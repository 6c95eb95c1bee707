// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Packet generation begins and ends (SDM, "Packet Enable", "Trigger Enable"): enable, disable,
 * overflow, sleep.
 */
#include "../packet/tnt.h"
#include "../packet/write.h"
#include "../time/cycles.h"
#include "../time/ticks.h"
#include "enable.h"
#include "filter.h"
#include "halt.h"
#include "group.h"
#include "psb.h"

/*
 * CYC, TSC, TMA, CBR in a row mean that the clocks stood still before. The CYC ignores CycThresh
 * and may be 0: cycles before the stop do not count behind it.
 */
void softpt_restart(struct softpt_engine *e, struct softpt_sink *s)
{
	softpt_put_unknown_ratio(e, s);
	softpt_cyc(e, s, e->now, 0);
	softpt_put_tsc(e, s, e->now);
	softpt_put_cbr(e, s);
}

/* TraceEn rises. The first enable sends PSB+, later ones CYC, TSC, TMA, CBR. */
void softpt_enable(struct softpt_engine *e, const struct softpt_event *ev, struct softpt_sink *s)
{
	if (e->trigger_en)
		return;
	e->trigger_en = true;
	e->context.ip = ev->ip;
	e->filter_en = softpt_in_filter(e, ev->ip);
	if (e->overflow)
		return;		/* softpt_overflow_end() does the rest */
	softpt_clocks_start(e, ev->tsc);
	softpt_context_update(e);
	e->packet_en = false;	/* PSB+ without FUP */
	if (!e->enabled_before)
		softpt_psb_plus(e, s);
	else
		softpt_restart(e, s);
	e->enabled_before = true;
	softpt_context_update(e);
	if (softpt_in_stop(e, ev->ip) && e->context_en) {
		softpt_put_ext(e, s, SOFTPT_EXT_STOP, 0, 0);
		softpt_halt(e);
	} else if (e->packet_en && (e->flags & SOFTPT_F_BRANCH)) {
		e->context.exec_sent = 0xff;	/* MODE.Exec always goes with it */
		softpt_put_pge(e, s, ev->ip);
	}
}

/* TraceEn falls */
void softpt_disable(struct softpt_engine *e, const struct softpt_event *ev, struct softpt_sink *s)
{
	if (!e->trigger_en)
		return;
	if (e->packet_en && (e->flags & SOFTPT_F_BRANCH)) {
		softpt_group_begin(e, s, SOFTPT_GROUP_CYC | SOFTPT_GROUP_STOP);
		if (ev->flags & SOFTPT_EVF_IP)
			softpt_put_ip(e, s, SOFTPT_OPC_FUP, ev->ip);
		softpt_put_pgd_no_ip(e, s);
	} else if (!e->overflow) {
		softpt_flush_anchored(e, s);
	}
	softpt_halt(e);
}

/* From now on packets are lost; state is kept up. */
void softpt_overflow(struct softpt_engine *e, struct softpt_sink *s, u64 until)
{
	if (e->overflow && e->trigger_en) {
		e->stop.resume_at = max(e->stop.resume_at, until);
		softpt_due_update(e);
		return;
	}
	if (!softpt_on(e))
		return;
	softpt_flush_anchored(e, s);
	e->overflow = true;
	e->stop.resume_at = until;
	e->wrap_at = U64_MAX;
	e->shadow.n = 0;
	softpt_watched_update(e);
	softpt_ticks_stop(e);
	softpt_context_update(e);
}

/* CYC, OVF, TSC, TMA, and FUP where packets are enabled */
void softpt_overflow_end(struct softpt_engine *e, const struct softpt_event *ev,
			 struct softpt_sink *s, u64 tsc)
{
	e->overflow = false;
	softpt_watched_update(e);
	e->stop.resume_at = U64_MAX;
	e->now = tsc;
	if (softpt_has_ip(ev))
		e->context.ip = ev->ip;
	softpt_put_unknown_ratio(e, s);
	softpt_cyc(e, s, tsc, 0);
	softpt_put_ext(e, s, SOFTPT_EXT_OVF, 0, 0);
	e->counts.overflows++;
	e->last_ip = 0;
	e->ret.n = 0;
	softpt_put_tsc(e, s, tsc);
	e->anchor.tsc = U64_MAX;	/* the OVF's, not that of what follows */
	if (e->trigger_en)
		softpt_clocks_start(e, tsc);
	softpt_due_update(e);
	softpt_context_update(e);
	if (e->packet_en && (e->flags & SOFTPT_F_BRANCH))
		softpt_put_ip(e, s, SOFTPT_OPC_FUP, e->context.ip);
}

/* Clocks stop: no ticks and no cycles until @stop.wake_at or the next event */
void softpt_sleep(struct softpt_engine *e, const struct softpt_event *ev, struct softpt_sink *s)
{
	if (!e->trigger_en)
		return;
	if (softpt_on(e) && (e->flags & SOFTPT_F_PWR)) {
		/* The MWAIT before it binds to a FUP. */
		bool ip = e->mwait && e->packet_en;

		softpt_group_begin(e, s, SOFTPT_GROUP_CYC | SOFTPT_GROUP_STOP);
		softpt_put_ext(e, s, SOFTPT_EXT_EXSTOP | (ip ? SOFTPT_EXT_IP : 0), 0, 0);
		if (ip)
			softpt_put_ip(e, s, SOFTPT_OPC_FUP, e->context.ip);
	} else if (!e->overflow) {
		softpt_flush_anchored(e, s);
	}
	e->mwait = false;
	e->asleep = true;
	e->stop.wake_at = ev->tsc + ev->arg;
	e->shadow.n = 0;
	softpt_ticks_stop(e);
	softpt_cycles_stop(e, ev->tsc);
}

/* CYC, TSC, TMA, CBR; while packets are lost, softpt_overflow_end() writes them. */
void softpt_wake(struct softpt_engine *e, struct softpt_sink *s, u64 tsc)
{
	e->now = tsc;
	e->asleep = false;
	if (e->overflow) {
		softpt_cycles_start(e, tsc);
		e->stop.resume_at = max(e->stop.resume_at, tsc);
	} else {
		softpt_clocks_start(e, tsc);
		softpt_restart(e, s);
	}
	softpt_due_update(e);
}
