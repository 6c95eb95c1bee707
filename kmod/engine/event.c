// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Entry to the engine: time passes up to an event, then the event is taken. */
#include "advance.h"
#include "engine.h"
#include "flow/branch.h"
#include "flow/enable.h"
#include "flow/filter.h"
#include "flow/group.h"
#include "packet/write.h"
#include "time/cycles.h"
#include "time/ticks.h"

#define PSB_DELAY	16	/* bytes: room for an MTC and a CYC */

/* With iflag=1 there are no packets of CPL 0, and above interrupts are enabled. */
static void mode(struct softpt_engine *e, u64 bits)
{
	e->context.exec_mode = bits == 64 ? SOFTPT_MODE_CSL : bits == 32 ? SOFTPT_MODE_CSD : 0;
	if (e->flags & SOFTPT_F_IFLAG)
		e->context.exec_mode |= SOFTPT_MODE_IF;
}

/* The core clock changes, with a CBR (SOFTPT_EV_CBR) or without */
static void clock(struct softpt_engine *e, const struct softpt_event *ev, struct softpt_sink *s)
{
	bool announce = ev->kind == SOFTPT_EV_CBR && (e->flags & SOFTPT_F_CBR);

	if (ev->arg == e->cycles.ratio)
		return;
	if (announce && softpt_on(e)) {
		softpt_group_begin(e, s, 0);
		softpt_cyc(e, s, e->now, 1);
	} else if (softpt_on(e) && (e->flags & SOFTPT_F_CBR)) {
		e->ratio_unknown = true;
	}
	if (softpt_fifo_follows(e))
		softpt_fifo_clock(e, e->now);
	softpt_cycles_ratio(e, e->now, ev->arg);
	if (!announce || !softpt_on(e))
		return;
	/* TSC, TMA, CBR in a row would mean that the clocks stood still. A PAD is between. */
	if (softpt_bytes(e, s) == e->anchor.end)
		softpt_put_apart(e, s);
	softpt_put_cbr(e, s);
}

static void ptwrite(struct softpt_engine *e, const struct softpt_event *ev, struct softpt_sink *s)
{
	u8 ext = SOFTPT_EXT_PTW;
	bool wide = ev->arg >> 32;

	if (!e->packet_en || !(e->flags & SOFTPT_F_PTW))
		return;
	if (ev->flags & SOFTPT_EVF_IP)
		ext |= SOFTPT_EXT_IP;
	if (wide)
		ext |= SOFTPT_PTW_8;
	softpt_group_begin(e, s, SOFTPT_GROUP_CYC);
	softpt_put_ext(e, s, ext, ev->arg, wide ? 8 : 4);
	if (ev->flags & SOFTPT_EVF_IP)
		softpt_put_ip(e, s, SOFTPT_OPC_FUP, ev->ip);
}

static void power(struct softpt_engine *e, const struct softpt_event *ev, struct softpt_sink *s)
{
	if (!softpt_on(e) || !(e->flags & SOFTPT_F_PWR))
		return;
	softpt_group_begin(e, s, 0);
	e->mwait |= ev->kind == SOFTPT_EV_MWAIT;
	if (ev->kind == SOFTPT_EV_MWAIT)
		softpt_put_ext(e, s, SOFTPT_EXT_MWAIT, ev->arg | (u64)ev->arg2 << 32, 8);
	else if (ev->kind == SOFTPT_EV_PWRE)
		softpt_put_ext(e, s, SOFTPT_EXT_PWRE, ev->arg << 12 | ev->arg2 << 8, 2);
	else
		softpt_put_ext(e, s, SOFTPT_EXT_PWRX,
			       ev->target | ev->arg << 4 | ev->arg2 << 8, 5);
}

/* Of packets that belong together: no PSB+ comes between those so far and the next. */
static void hold_psb(struct softpt_engine *e, struct softpt_sink *s)
{
	e->psb_after = softpt_bytes(e, s) + PSB_DELAY;
}

/* Event trace: EVD, CFE, and the FUP of what happens next */
static void event_trace(struct softpt_engine *e, const struct softpt_event *ev,
			struct softpt_sink *s)
{
	bool ip = ev->flags & SOFTPT_EVF_IP;

	if (!softpt_on(e) || !e->context_en)
		return;
	softpt_group_begin(e, s, SOFTPT_GROUP_CYC);
	if (ev->kind == SOFTPT_EV_EVD) {
		s->cur[0] = SOFTPT_OPC_EVD;
		s->cur[1] = SOFTPT_EXT_EVD;
		s->cur[2] = ev->arg2;
		s->cur += 3;
		softpt_put(e, s, ev->arg, 8);
		hold_psb(e, s);
		return;
	}
	softpt_put_ext(e, s, SOFTPT_EXT_CFE,
		       ev->arg2 | (ip ? SOFTPT_CFE_IP : 0) | ev->arg << 8, 2);
	if (ip)
		softpt_put_ip(e, s, SOFTPT_OPC_FUP, ev->ip);
	else
		hold_psb(e, s);
}

static void trigger(struct softpt_engine *e, const struct softpt_event *ev, struct softpt_sink *s)
{
	if (!e->packet_en)
		return;
	softpt_group_begin(e, s, SOFTPT_GROUP_CYC);
	softpt_put(e, s, SOFTPT_OPC_TRIG | ev->arg << 16, 3);
}

static void vmcs(struct softpt_engine *e, const struct softpt_event *ev, struct softpt_sink *s)
{
	if (!softpt_on(e) || !e->context_en)
		return;
	softpt_group_begin(e, s, SOFTPT_GROUP_CYC);
	softpt_put_ext(e, s, SOFTPT_EXT_VMCS, ev->arg >> 12, 5);
}

/* SOFTPT_EV_PSB: a PSB+ is written as if it were due. */
static void psb(struct softpt_engine *e, struct softpt_sink *s)
{
	if (!softpt_on(e))
		return;
	softpt_psb_demand(e);
	softpt_put_preceding(e, s);
}

/* Events that are neither a branch nor a MOV CR3 */
static int other_event(struct softpt_engine *e, const struct softpt_event *ev,
		       struct softpt_sink *s)
{
	if (softpt_has_optional_ip(ev))
		softpt_arrive(e, ev, s);
	switch (ev->kind) {
	case SOFTPT_EV_ENABLE:
		softpt_enable(e, ev, s);
		break;
	case SOFTPT_EV_DISABLE:
		softpt_disable(e, ev, s);
		break;
	case SOFTPT_EV_CPL:
		softpt_cpl(e, ev, s);
		break;
	case SOFTPT_EV_MODE:
		mode(e, ev->arg);
		break;
	case SOFTPT_EV_THREAD:
		e->context.thread = ev->thread;
		break;
	case SOFTPT_EV_PMU:
		if (unlikely(ev->flags & (SOFTPT_EVF_BEGIN | SOFTPT_EVF_END)))
			softpt_duration(e, ev);
		else
			softpt_count(e, ev->arg2, ev->arg2 >> 16, ev->arg);
		break;
	case SOFTPT_EV_PTW:
		ptwrite(e, ev, s);
		break;
	case SOFTPT_EV_CBR:
	case SOFTPT_EV_CLOCK:
		clock(e, ev, s);
		break;
	case SOFTPT_EV_SLEEP:
		softpt_sleep(e, ev, s);
		break;
	case SOFTPT_EV_MWAIT:
	case SOFTPT_EV_PWRE:
	case SOFTPT_EV_PWRX:
		power(e, ev, s);
		break;
	case SOFTPT_EV_PSB:
		psb(e, s);
		break;
	case SOFTPT_EV_OVF:
		softpt_overflow(e, s, ev->tsc + ev->arg);
		break;
	case SOFTPT_EV_TRIG:
		trigger(e, ev, s);
		break;
	case SOFTPT_EV_CFE:
	case SOFTPT_EV_EVD:
		event_trace(e, ev, s);
		break;
	case SOFTPT_EV_TSX:
		softpt_tsx(e, ev, s);
		break;
	case SOFTPT_EV_VMCS:
		vmcs(e, ev, s);
		break;
	}
	return softpt_end_call(e, s, 0);
}

static inline int dispatch(struct softpt_engine *e, const struct softpt_event *ev,
			   struct softpt_sink *s)
{
	if (likely(softpt_is_flow(ev)))
		return softpt_flow(e, ev, s);
	return ev->kind == SOFTPT_EV_CR3 ? softpt_cr3(e, ev, s) : other_event(e, ev, s);
}

/* Triggers compare what has happened, and may write packets, too. */
static void check_triggers(struct softpt_engine *e, const struct softpt_event *ev,
			   struct softpt_sink *s)
{
	e->mark = s->cur;
	softpt_truth_begin(e, s);
	softpt_trigger_event(e, ev, s);
	softpt_truth_end(e, s, e->counts.events - 1, ev->kind, 0);
}

/* softpt_watched_update() has the reasons. */
static noinline int take_watched(struct softpt_engine *e, const struct softpt_event *ev,
				 struct softpt_sink *s)
{
	int ret;

	if (softpt_trigger_too_late(e))
		return softpt_end_call(e, s, SOFTPT_MORE);
	if (e->overflow && ev->kind != SOFTPT_EV_IDLE)
		e->counts.events_lost++;
	e->triggers.psbs_before = e->triggers.psbs;
	if (e->durations.classes)
		softpt_durations_pass(e, ev);
	softpt_truth_begin(e, s);
	ret = dispatch(e, ev, s);
	softpt_truth_end(e, s, e->counts.events - 1, ev->kind, 0);
	softpt_count_trace(e);
	if (softpt_fifo_follows(e))
		softpt_fifo_event(e, ev);
	if (e->triggers.set)
		check_triggers(e, ev, s);
	return ret;
}

/* The time of the event has come, and there is room for its packets. */
static inline int take(struct softpt_engine *e, const struct softpt_event *ev,
		       struct softpt_sink *s)
{
	e->now = ev->tsc;
	e->counts.events++;
	return unlikely(e->watched) ? take_watched(e, ev, s) : dispatch(e, ev, s);
}

static noinline int advance_and_take(struct softpt_engine *e, const struct softpt_event *ev,
				     struct softpt_sink *s)
{
	if (!softpt_advance(e, ev, s) || s->end - s->cur < SOFTPT_GROUP_MAX)
		return softpt_end_call(e, s, SOFTPT_MORE);
	return take(e, ev, s);
}

/* Suppressed ticks are due. */
static noinline int suppress_and_take(struct softpt_engine *e, const struct softpt_event *ev,
				      struct softpt_sink *s)
{
	softpt_ticks_suppress_plain(e, ev->tsc);
	if (likely(ev->tsc < e->due))
		return take(e, ev, s);
	return advance_and_take(e, ev, s);
}

/*
 * Ticks are what is due before most events, and they are few. They are written here without a
 * call, so that no register is saved.
 */
static noinline int tick_and_take(struct softpt_engine *e, const struct softpt_event *ev,
				  struct softpt_sink *s)
{
	if (unlikely(!softpt_are_plain_ticks(e, s, ev->tsc)))
		return advance_and_take(e, ev, s);
	if (likely(e->mtc.sup.credit))
		softpt_ticks_send(e, s, ev->tsc, SOFTPT_GROUP_MAX + SOFTPT_SIZE_MTC);
	if (likely(ev->tsc < e->due))
		return take(e, ev, s);
	if (!e->mtc.sup.credit)
		return suppress_and_take(e, ev, s);
	return advance_and_take(e, ev, s);
}

int softpt_engine_event(struct softpt_engine *e, const struct softpt_event *ev,
			struct softpt_sink *s)
{
	e->mark = s->cur;
	if (unlikely(ev->tsc >= e->due || s->end - s->cur < SOFTPT_GROUP_MAX))
		return tick_and_take(e, ev, s);
	return take(e, ev, s);
}

int softpt_engine_flush(struct softpt_engine *e, struct softpt_sink *s)
{
	if (s->end - s->cur < SOFTPT_GROUP_MAX)
		return SOFTPT_MORE;
	e->mark = s->cur;
	if (softpt_on(e) && !e->asleep)
		softpt_flush_anchored(e, s);
	if (e->watched)
		softpt_count_trace(e);
	return softpt_end_call(e, s, 0);
}

void softpt_engine_hold_psb(struct softpt_engine *e)
{
	e->psb_held = U64_MAX;
}

int softpt_engine_anchor(struct softpt_engine *e, struct softpt_sink *s)
{
	if (s->end - s->cur < SOFTPT_GROUP_MAX)
		return SOFTPT_MORE;
	e->mark = s->cur;
	if (!softpt_on(e) || e->asleep)
		return 0;
	if (e->psb_held && softpt_bytes(e, s) >= e->psb_held) {
		softpt_psb_demand(e);
		softpt_put_preceding(e, s);
	} else {
		softpt_anchor(e, s);
	}
	if (e->watched)
		softpt_count_trace(e);
	return softpt_end_call(e, s, 0);
}

void softpt_engine_lose(struct softpt_engine *e, struct softpt_sink *s)
{
	e->mark = s->cur;
	softpt_overflow(e, s, U64_MAX);
	softpt_count_trace(e);
	softpt_end_call(e, s, 0);
}

void softpt_engine_found(struct softpt_engine *e, u64 tsc)
{
	if (!e->overflow)
		return;
	e->stop.resume_at = max(tsc, e->now);
	softpt_due_update(e);
}

void softpt_engine_init(struct softpt_engine *e, const struct softpt_config *cfg)
{
	unsigned int i;

	memset(e, 0, sizeof(*e));
	e->cfg = *cfg;
	e->flags = cfg->flags;
	e->tnt_max = cfg->flags & SOFTPT_F_TNT64 ? 47 : 6;
	e->context.cpl = 3;
	mode(e, 64);
	e->context.exec_sent = 0xff;
	e->filter_en = true;
	e->psb_at = U64_MAX;
	e->checks_group = cfg->flags & SOFTPT_F_CYC || cfg->resume == SOFTPT_RESUME_TSC;
	e->context.ranges = cfg->nr_ranges;
	for (i = 0; i < cfg->nr_ranges; i++)
		e->context.filters |= cfg->range[i].kind == SOFTPT_RANGE_FILTER;
	softpt_ticks_init(e);
	e->fills_gap = e->cfg.preroll || cfg->resume == SOFTPT_RESUME_TSC;
	softpt_cycles_init(e);
	softpt_context_update(e);
}
