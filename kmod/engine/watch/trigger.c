// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Triggers: hits of each event, and trigger events. trigger-set.c sets triggers, freeze.c has the
 * time to freeze the ring.
 */
#include "../flow/group.h"
#include "../packet/write.h"
#include "freeze.h"
#include "trigger.h"

/* Where an event brought execution to. Each address is compared once. */
struct visit {
	u64 from, to;		/* @ran: execution ran over these addresses */
	u64 at;			/* @arrived: execution got there by a branch */
	bool ran;
	bool arrived;
	bool runs;		/* execution ran from @run, which was compared before */
	u64 run;
};

/* Where tracing begins in a kernel that is not traced, no address is compared. */
static bool has_arrived(const struct softpt_engine *e, const struct softpt_event *ev)
{
	if (ev->kind == SOFTPT_EV_JCC || ev->kind == SOFTPT_EV_TSX)
		return ev->flags & SOFTPT_EVF_TARGET;
	if (ev->kind == SOFTPT_EV_ENABLE)
		return e->context.cpl || e->flags & SOFTPT_F_OS;
	return softpt_is_flow(ev);
}

/* Execution was interrupted where an address was compared. Of too many, the innermost are lost. */
static void hold(struct softpt_triggers *t, u64 ip)
{
	if (t->held < SOFTPT_TRIGGER_HELD && !(t->held && t->held_ip[t->held - 1] == ip))
		t->held_ip[t->held++] = ip;
}

/* Execution returns to @ip if that was held; then later interrupts are over, too. */
static bool goes_on(struct softpt_triggers *t, u64 ip)
{
	u8 i;

	for (i = t->held; i; i--)
		if (t->held_ip[i - 1] == ip) {
			t->held = i - 1;
			return true;
		}
	return false;
}

/*
 * Execution got to the event's address. Events of the kernel have the address of the program once
 * more, where it was compared when the kernel was entered.
 */
static bool is_there(const struct softpt_engine *e, const struct softpt_event *ev)
{
	switch (ev->kind) {
	case SOFTPT_EV_CFE:
		return false;
	case SOFTPT_EV_SYSCALL:
	case SOFTPT_EV_SIGNAL:
	case SOFTPT_EV_DATA:
		return ev->flags & SOFTPT_EVF_IP && e->context.cpl;
	}
	return softpt_has_ip(ev);
}

/* The instruction at the address is not executed now. */
static bool stops(const struct softpt_event *ev)
{
	return ev->kind == SOFTPT_EV_INTR || ev->kind == SOFTPT_EV_DISABLE ||
	       ev->kind == SOFTPT_EV_SIGNAL;
}

/* Execution ran up to the event's address, and over it if the instruction there was executed. */
static void run_on(struct softpt_triggers *t, const struct softpt_event *ev, struct visit *v)
{
	bool on = t->runs && ev->ip >= t->run;

	v->runs = on;
	v->from = on ? t->run + 1 : ev->ip;
	v->to = stops(ev) ? ev->ip - 1 : ev->ip;
	v->ran = v->from <= v->to && !(stops(ev) && !ev->ip) && !(on && ev->ip == t->run);
	if (stops(ev) && on && ev->ip == t->run && ev->kind != SOFTPT_EV_SIGNAL)
		hold(t, ev->ip);
}

static struct visit visit(struct softpt_engine *e, const struct softpt_event *ev)
{
	struct softpt_triggers *t = &e->triggers;
	struct visit v = { .run = t->run };

	if (is_there(e, ev))
		run_on(t, ev, &v);
	v.arrived = has_arrived(e, ev);
	v.at = ev->kind == SOFTPT_EV_ENABLE ? ev->ip : ev->target;
	if (v.arrived && goes_on(t, v.at))
		v.arrived = false;
	else if (v.arrived && ev->kind == SOFTPT_EV_ENABLE)
		t->held = 0;	/* another task, or this one elsewhere */
	return v;
}

/* After an event: where execution runs on */
static void go_on(struct softpt_engine *e, const struct softpt_event *ev)
{
	struct softpt_triggers *t = &e->triggers;

	if (has_arrived(e, ev)) {
		t->run = ev->kind == SOFTPT_EV_ENABLE ? ev->ip : ev->target;
		t->runs = true;
	} else if (ev->kind == SOFTPT_EV_JCC) {
		t->run = ev->ip;
		t->runs = !(ev->flags & SOFTPT_EVF_TAKEN);
	} else if (ev->kind == SOFTPT_EV_DISABLE || ev->kind == SOFTPT_EV_OVF) {
		t->runs = false;
	} else if (ev->kind == SOFTPT_EV_SIGNAL && is_there(e, ev)) {
		if (t->runs && ev->ip == t->run)
			return;		/* it was compared before */
		t->runs = ev->ip > 0;
		t->run = ev->ip - 1;
	} else if (is_there(e, ev)) {
		t->run = ev->ip;
		t->runs = true;
	}
}

/* A run of instructions through the range is one hit. @ip is set to the first address in it. */
static u64 ip_hits(const struct softpt_trigger *set, const struct visit *v, u64 *ip)
{
	u64 first = set->value, last = set->mask, n = 0;

	if (v->arrived && v->at >= first && v->at <= last) {
		*ip = v->at;
		n++;
	}
	if (v->ran && v->from <= last && v->to >= first &&
	    !(v->runs && v->run >= first && v->run <= last)) {
		*ip = max(v->from, first);
		n++;
	}
	return n;
}

static u64 overflows(const struct softpt_engine *e, struct softpt_trigger_slot *slot)
{
	u64 now = e->counters.wraps[slot->set.value];
	u64 n = now - slot->taken;

	slot->taken = now;
	return n;
}

static u64 take_pending(struct softpt_trigger_slot *slot)
{
	u64 n = slot->pending;

	slot->pending = 0;
	return n;
}

static bool same(const struct softpt_trigger *set, u64 value)
{
	return (value & set->mask) == set->value;
}

static bool is_signal(const struct softpt_trigger *set, const struct softpt_event *ev)
{
	return set->value >> (ev->arg - 1) & 1 &&
	       !(ev->arg2 && set->flags & SOFTPT_TRIGGER_FATAL);
}

/* How often the event is a hit of the trigger */
static u64 hits_of(const struct softpt_engine *e, struct softpt_trigger_slot *slot,
		   const struct softpt_event *ev, const struct visit *v, u64 *ip)
{
	const struct softpt_trigger *set = &slot->set;

	switch (set->source) {
	case SOFTPT_ON_IP:
		return ip_hits(set, v, ip);
	case SOFTPT_ON_DATA:
		return ev->kind == SOFTPT_EV_DATA && same(set, ev->arg);
	case SOFTPT_ON_PTW:
		return ev->kind == SOFTPT_EV_PTW && same(set, ev->arg);
	case SOFTPT_ON_COUNTER:
		return overflows(e, slot);
	case SOFTPT_ON_SYSCALL:
		return ev->kind == SOFTPT_EV_SYSCALL && ev->arg == set->value;
	case SOFTPT_ON_SIGNAL:
		return ev->kind == SOFTPT_EV_SIGNAL && is_signal(set, ev);
	case SOFTPT_ON_EXIT:
		return ev->kind == SOFTPT_EV_EXIT;
	case SOFTPT_ON_EVENT:
	case SOFTPT_ON_DEMAND:
		return take_pending(slot);
	}
	return 0;
}

/* @n more hits. Return: how many trigger events they are */
static u64 hit(struct softpt_trigger_slot *slot, u64 n)
{
	u64 nth = slot->set.nth, fired = 1;

	slot->hits += n;
	if (n < slot->left || !slot->left) {
		slot->left -= slot->left ? n : 0;
		return 0;
	}
	n -= slot->left;
	slot->left = 0;
	if (slot->set.flags & SOFTPT_TRIGGER_REARM) {
		fired += n / nth;
		slot->left = nth - n % nth;
	}
	return fired;
}

/* The TE in the stream. @psbs: how many there were before the event */
static void put(struct softpt_engine *e, struct softpt_sink *s, u8 fired, bool psb, u64 psbs)
{
	if (!softpt_on(e))
		return;
	if (e->flags & SOFTPT_F_TRIG) {
		softpt_group_begin(e, s, SOFTPT_GROUP_CYC);
		softpt_put(e, s, SOFTPT_OPC_TRIG | (u64)fired << 16, 3);
	}
	if (psb && e->triggers.psbs == psbs) {
		softpt_psb_demand(e);
		softpt_put_preceding(e, s);
	}
}

static void fire(struct softpt_engine *e, struct softpt_sink *s, u8 fired, u64 ip, u64 psbs)
{
	struct softpt_triggers *t = &e->triggers;
	bool psb = false;
	u8 left;

	e->mark = s->cur;
	for (left = fired; left; left &= left - 1)
		psb |= t->slot[__builtin_ctz(left)].set.flags & SOFTPT_TRIGGER_PSB;
	put(e, s, fired, psb, psbs);
	softpt_end_call(e, s, 0);
	if (t->freezing >= SOFTPT_FREEZE_ENDS)
		return;
	t->marked++;
	t->index = __builtin_ctz(fired);
	t->tsc = e->now;
	t->ip = ip;
	for (left = fired; left && !t->freezing; left &= left - 1)
		if (t->slot[__builtin_ctz(left)].set.flags & SOFTPT_TRIGGER_FREEZE) {
			t->index = __builtin_ctz(left);
			softpt_trigger_freeze(e, &t->slot[t->index].set);
		}
}

void softpt_trigger_event(struct softpt_engine *e, const struct softpt_event *ev,
			  struct softpt_sink *s)
{
	struct softpt_triggers *t = &e->triggers;
	bool has_ip = ev->flags & SOFTPT_EVF_IP || softpt_is_flow(ev);
	u64 ip = has_ip ? ev->ip : e->context.ip, n, events;
	struct visit v = visit(e, ev);
	u8 left, fired = 0;

	for (left = t->set; left; left &= left - 1) {
		unsigned int k = __builtin_ctz(left);

		n = hits_of(e, &t->slot[k], ev, &v, &ip);
		events = n ? hit(&t->slot[k], n) : 0;
		t->hits += n;
		t->events += events;
		fired |= events ? 1u << k : 0;
	}
	go_on(e, ev);
	if (fired)
		fire(e, s, fired, ip, t->psbs_before);
	softpt_trigger_settle(e);
}

void softpt_trigger_count(struct softpt_engine *e, u8 event_class, u16 submask, u64 n)
{
	struct softpt_triggers *t = &e->triggers;
	u32 thread = 1u << e->context.thread;
	u8 left;

	for (left = t->set; left; left &= left - 1) {
		struct softpt_trigger_slot *slot = &t->slot[__builtin_ctz(left)];
		const struct softpt_trigger *set = &slot->set;

		if (set->source == SOFTPT_ON_EVENT && set->event_class == event_class &&
		    set->submask & submask && (e->context.cpl ? set->usr : set->os) & thread)
			slot->pending += n;
	}
}

bool softpt_trigger_demand(struct softpt_engine *e)
{
	struct softpt_triggers *t = &e->triggers;
	bool any = false;
	u8 left;

	for (left = t->set; left; left &= left - 1) {
		struct softpt_trigger_slot *slot = &t->slot[__builtin_ctz(left)];

		slot->pending += slot->set.source == SOFTPT_ON_DEMAND;
		any |= slot->set.source == SOFTPT_ON_DEMAND;
	}
	return any;
}

bool softpt_trigger_pending(const struct softpt_engine *e)
{
	const struct softpt_triggers *t = &e->triggers;
	u8 left;

	for (left = t->set; left; left &= left - 1) {
		const struct softpt_trigger_slot *slot = &t->slot[__builtin_ctz(left)];

		if (slot->set.source == SOFTPT_ON_COUNTER ?
		    e->counters.wraps[slot->set.value] != slot->taken : slot->pending)
			return true;
	}
	return false;
}
