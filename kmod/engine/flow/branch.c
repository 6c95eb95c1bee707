// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Control flow packets: TNT, TIP, TIP.PGE, TIP.PGD, FUP, and RET compression.
 * What each operation sends, by PacketEn before and after it, is the SDM's table
 * of packet sequences (36-50).
 */
#include "../packet/tnt.h"
#include "../packet/write.h"
#include "../time/ticks.h"
#include "branch.h"
#include "filter.h"
#include "halt.h"
#include "group.h"

/* The packet of a branch */
enum softpt_move {
	SOFTPT_MOVE_DIRECT	= 0,		/* none */
	SOFTPT_MOVE_BIT		= 1 << 0,	/* a TNT bit */
	SOFTPT_MOVE_TIP		= 1 << 1,
	SOFTPT_MOVE_FUP		= 1 << 2,	/* asynchronous: FUP first */
	SOFTPT_MOVE_NO_IP	= 1 << 3,	/* TIP.PGD without IP: a decoder knows it */
};

/* PacketEn rises; the group has begun. */
static void packet_en_rises(struct softpt_engine *e, struct softpt_sink *s, u64 ip)
{
	if (e->flags & SOFTPT_F_PGE_TSC)
		softpt_put_tsc(e, s, e->now);
	softpt_put_pge(e, s, ip);
}

static void put_bit(struct softpt_engine *e, struct softpt_sink *s, bool taken)
{
	e->tnt = e->tnt << 1 | taken;
	e->tnt_bits++;
	if (++e->ntnt == e->tnt_max)
		softpt_tnt_flush_slow(e, s);
}

/* PacketEn stays set: the packet of the branch itself */
static __always_inline void packet_en_stays(struct softpt_engine *e, const struct softpt_event *ev,
					    struct softpt_sink *s, enum softpt_move how)
{
	if (how & SOFTPT_MOVE_BIT) {
		softpt_group_begin(e, s, SOFTPT_GROUP_CYC | SOFTPT_GROUP_BIT);
		put_bit(e, s, ev->kind != SOFTPT_EV_JCC || ev->flags & SOFTPT_EVF_TAKEN);
	} else if (how & SOFTPT_MOVE_TIP) {
		softpt_group_begin(e, s, SOFTPT_GROUP_CYC);
		if (how & SOFTPT_MOVE_FUP)
			softpt_put_ip(e, s, SOFTPT_OPC_FUP, ev->ip);
		softpt_put_mode(e, s);
		softpt_put_ip(e, s, SOFTPT_OPC_TIP, ev->target);
	}
}

/* PacketEn falls. TIP.PGD has @to, unless ContextEn falls or a decoder knows @to. */
static void packet_en_falls(struct softpt_engine *e, const struct softpt_event *ev,
			    struct softpt_sink *s, u64 to, enum softpt_move how, bool stop,
			    bool context)
{
	softpt_group_begin(e, s, SOFTPT_GROUP_CYC | (stop ? SOFTPT_GROUP_STOP : 0));
	if (how & SOFTPT_MOVE_FUP)
		softpt_put_ip(e, s, SOFTPT_OPC_FUP, ev->ip);
	if (context && !(how & (SOFTPT_MOVE_BIT | SOFTPT_MOVE_NO_IP)))
		softpt_put_ip(e, s, SOFTPT_OPC_TIP_PGD, to);
	else
		softpt_put_pgd_no_ip(e, s);
}

/* TraceStop: execution got into a range that ends the trace. */
static void trace_stop(struct softpt_engine *e, struct softpt_sink *s, bool open)
{
	if (!open)
		softpt_group_begin(e, s, SOFTPT_GROUP_STOP);
	softpt_put_ext(e, s, SOFTPT_EXT_STOP, 0, 0);
	softpt_halt(e);
}

/* PacketEn rises, falls, stays clear, or depends on address ranges. */
static noinline void move_slow(struct softpt_engine *e, const struct softpt_event *ev,
			       struct softpt_sink *s, u64 to, enum softpt_move how)
{
	bool flow = e->flags & SOFTPT_F_BRANCH, was = e->packet_en, now, stop = false;
	bool context = softpt_context_en(e);

	if (e->context.ranges) {
		e->filter_en = softpt_in_filter(e, to);
		stop = softpt_in_stop(e, to) && softpt_on(e) && context;
	}
	/* If PacketEn was set, it stays set unless the CPL or an address range clears it. */
	now = context && !stop && ((was && !e->context.ranges) || (softpt_on(e) && e->filter_en));
	if (flow && was && now) {
		packet_en_stays(e, ev, s, how);
	} else if (flow && was) {
		packet_en_falls(e, ev, s, to, how, stop, context);
	} else if (flow && now) {
		softpt_group_begin(e, s, SOFTPT_GROUP_CYC);
		packet_en_rises(e, s, to);
	}
	e->packet_en = now;
	e->context_en = context;
	e->context.ip = to;
	if (stop)
		trace_stop(e, s, was && flow);
}

/*
 * Execution goes on at @to. The CPL is that after the branch. A PSB+ that is due comes first and
 * has the state before.
 */
static __always_inline void move(struct softpt_engine *e, const struct softpt_event *ev,
				 struct softpt_sink *s, u64 to, enum softpt_move how)
{
	u32 flags = SOFTPT_F_BRANCH | (e->context.cpl ? SOFTPT_F_USER : SOFTPT_F_OS);

	/* CR3 has not changed, so PacketEn stays set. */
	if (likely(e->packet_en && !e->context.ranges && (e->flags & flags) == flags)) {
		packet_en_stays(e, ev, s, how);
		e->context.ip = to;
	} else {
		move_slow(e, ev, s, to, how);
	}
}

/*
 * With address ranges: execution got to the event's address, by a conditional branch whose
 * target no event has, or without a branch.
 */
void softpt_arrive_slow(struct softpt_engine *e, const struct softpt_event *ev,
			struct softpt_sink *s)
{
	if (e->filter_en != softpt_in_filter(e, ev->ip) || softpt_in_stop(e, ev->ip))
		move(e, ev, s, ev->ip, SOFTPT_MOVE_NO_IP);
}

/* A packet will follow. A PSB+ that is due comes before it and empties the RET stack. */
static void psb_first(struct softpt_engine *e, struct softpt_sink *s)
{
	if (e->flags & SOFTPT_F_BRANCH && softpt_psb_due(e, s))
		softpt_put_preceding(e, s);
}

static void ret_push(struct softpt_engine *e, const struct softpt_event *ev,
		     struct softpt_sink *s)
{
	u64 next = ev->ip + ev->len;

	if (!e->packet_en || (ev->kind == SOFTPT_EV_CALL && ev->target == next))
		return;
	if (ev->kind == SOFTPT_EV_ICALL)
		psb_first(e, s);
	e->ret.ip[e->ret.top++ % SOFTPT_RET_DEPTH] = next;
	if (e->ret.n < SOFTPT_RET_DEPTH)
		e->ret.n++;
}

/*
 * A RET without a packet for it does not pop: the stack of a decoder does not pop either.
 *
 * For a RET that does not return to its call, perf pops and libipt does not. Real programs have
 * such (retpolines, coroutines, a task that was away on another CPU). So the engine of a live
 * channel forgets the entries below, too: both decoders are right if none of them is used.
 */
static enum softpt_move ret_pop(struct softpt_engine *e, struct softpt_sink *s, u64 target)
{
	if (!e->packet_en || !(e->flags & SOFTPT_F_BRANCH))
		return SOFTPT_MOVE_TIP;
	psb_first(e, s);
	if (!e->ret.n)
		return SOFTPT_MOVE_TIP;
	e->ret.n--;
	if (e->ret.ip[--e->ret.top % SOFTPT_RET_DEPTH] == target && e->flags & SOFTPT_F_RETC)
		return SOFTPT_MOVE_BIT;
	if (e->live)
		e->ret.n = 0;
	return SOFTPT_MOVE_TIP;
}

int softpt_flow(struct softpt_engine *e, const struct softpt_event *ev, struct softpt_sink *s)
{
	u64 to = ev->target;

	softpt_arrive(e, ev, s);
	switch (ev->kind) {
	case SOFTPT_EV_JCC:
		if (!(ev->flags & SOFTPT_EVF_TARGET))
			to = ev->ip;
		move(e, ev, s, to, SOFTPT_MOVE_BIT);
		break;
	case SOFTPT_EV_CALL:
		ret_push(e, ev, s);
		fallthrough;
	case SOFTPT_EV_JMP:
		move(e, ev, s, to, SOFTPT_MOVE_DIRECT);
		break;
	case SOFTPT_EV_RET:
		move(e, ev, s, to, ret_pop(e, s, to));
		break;
	case SOFTPT_EV_INTR:
		e->context.cpl = ev->cpl;
		move(e, ev, s, to, SOFTPT_MOVE_TIP | SOFTPT_MOVE_FUP);
		break;
	case SOFTPT_EV_FAR:
		e->context.cpl = ev->cpl;
		move(e, ev, s, to, SOFTPT_MOVE_TIP);
		break;
	case SOFTPT_EV_ICALL:
		ret_push(e, ev, s);
		fallthrough;
	case SOFTPT_EV_IJMP:
		move(e, ev, s, to, SOFTPT_MOVE_TIP);
		break;
	}
	return softpt_end_call(e, s, 0);
}

/* PacketEn rises or falls with CR3, stays clear, or depends on address ranges. */
static noinline void cr3_slow(struct softpt_engine *e, const struct softpt_event *ev,
			      struct softpt_sink *s, u64 to)
{
	u64 old = e->context.cr3;
	bool flow = e->flags & SOFTPT_F_BRANCH, was = e->packet_en, now, pip, context;

	e->context.cr3 = ev->arg;
	if (unlikely(e->context.ranges))
		e->filter_en = softpt_in_filter(e, to);
	context = softpt_context_en(e);
	now = softpt_on(e) && context && e->filter_en;
	pip = softpt_on(e) && context && (e->flags & SOFTPT_F_OS);
	e->context.cr3 = old;		/* a PSB+ has the CR3 before */
	if (pip || (flow && was != now))
		softpt_group_begin(e, s, SOFTPT_GROUP_CYC);
	e->context.cr3 = ev->arg;
	e->packet_en = now;
	e->context_en = context;
	if (pip)
		softpt_put_pip(e, s);
	if (flow && was && !now)
		softpt_put_pgd_no_ip(e, s);
	else if (flow && !was && now)
		packet_en_rises(e, s, to);
	e->context.ip = to;
}

/* MOV CR3: PIP where the new context is traced, and what follows from PacketEn */
int softpt_cr3(struct softpt_engine *e, const struct softpt_event *ev, struct softpt_sink *s)
{
	u64 to = ev->flags & SOFTPT_EVF_IP ? ev->ip : e->context.ip;

	if (unlikely(!e->packet_en || e->context.ranges || e->flags & SOFTPT_F_CR3)) {
		cr3_slow(e, ev, s, to);
	} else if (e->flags & SOFTPT_F_OS) {
		softpt_group_begin(e, s, SOFTPT_GROUP_CYC);	/* a PSB+ has the CR3 before */
		e->context.cr3 = ev->arg;
		softpt_put_pip(e, s);
		e->context.ip = to;
	} else {
		e->context.cr3 = ev->arg;
		e->context.ip = to;
	}
	return softpt_end_call(e, s, 0);
}

/* The CPL changes without a branch. */
void softpt_cpl(struct softpt_engine *e, const struct softpt_event *ev, struct softpt_sink *s)
{
	e->context.cpl = ev->cpl;
	move(e, ev, s, ev->flags & SOFTPT_EVF_IP ? ev->ip : e->context.ip, SOFTPT_MOVE_NO_IP);
}

/* MODE.TSX binds to the FUP behind it; an abort goes on at its handler. */
void softpt_tsx(struct softpt_engine *e, const struct softpt_event *ev, struct softpt_sink *s)
{
	u8 mode = SOFTPT_MODE_TSX;

	if (!e->packet_en || !(e->flags & SOFTPT_F_BRANCH))
		return;
	if (ev->arg == SOFTPT_TSX_BEGIN)
		mode |= SOFTPT_MODE_INTX;
	else if (ev->arg == SOFTPT_TSX_ABORT)
		mode |= SOFTPT_MODE_ABORT;
	softpt_group_begin(e, s, SOFTPT_GROUP_CYC);
	softpt_put(e, s, SOFTPT_OPC_MODE_TSX | mode << 8, SOFTPT_SIZE_MODE_TSX);
	softpt_put_ip(e, s, SOFTPT_OPC_FUP, e->context.ip);
	if (ev->flags & SOFTPT_EVF_TARGET) {
		softpt_put_ip(e, s, SOFTPT_OPC_TIP, ev->target);
		e->context.ip = ev->target;
	}
}
