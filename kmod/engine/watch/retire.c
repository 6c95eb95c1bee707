// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The retirement FIFO.
 *
 *	cycle	event			last entry		freeze
 *	-------- | ---------------------- | ---------------------- | ---->
 *		 |<- min + delay - write - 1 ->|<- write + 1 ----->|
 *
 * Hardware writes an entry some cycles after the retirement. So a frozen FIFO ends some cycles
 * before the freeze. Here an entry is written at once. Where the end is before the event, the
 * entries of the last cycles are taken back.
 */
#include "retire.h"

static struct softpt_retirement *newest(struct softpt_fifo *f)
{
	return &f->entry[(f->head + f->pipeline.depth - 1) % f->pipeline.depth];
}

const struct softpt_retirement *softpt_fifo_read(const struct softpt_fifo *f, u32 i)
{
	u32 depth = f->pipeline.depth;

	return i < f->n ? &f->entry[(f->head + depth - f->n + i) % depth] : NULL;
}

/* Flags of an entry, for the time since the entry before it */
static u32 take_flags(struct softpt_fifo *f)
{
	u32 flags = (f->flushed ? SOFTPT_RETIRED_FLUSHED : 0) |
		    (f->squashed ? SOFTPT_RETIRED_SQUASHED : 0);

	f->flushed = false;
	f->squashed = false;
	return flags;
}

static void put(struct softpt_fifo *f, u64 ip, u64 cycles, u32 count)
{
	struct softpt_retirement *r = &f->entry[f->head];

	r->ip = ip;
	r->cycles = cycles;
	r->count = count;
	r->flags = take_flags(f) | (count ? SOFTPT_RETIRED : 0);
	f->head = (f->head + 1) % f->pipeline.depth;
	f->n = min(f->n + 1, f->pipeline.depth);
	f->since = 0;
}

/* Take the newest entry back. */
static void take_back(struct softpt_fifo *f)
{
	const struct softpt_retirement *r = newest(f);

	f->flushed |= !!(r->flags & SOFTPT_RETIRED_FLUSHED);
	f->squashed |= !!(r->flags & SOFTPT_RETIRED_SQUASHED);
	f->since = softpt_sum(f->since, r->cycles);
	f->head = (f->head + f->pipeline.depth - 1) % f->pipeline.depth;
	f->n--;
}

/* The last entry is of the clock @back cycles ago, with or without a retirement. */
static void freeze(struct softpt_fifo *f, u64 back, bool early)
{
	while (f->n && f->since < back)
		take_back(f);
	f->since = max(f->since, back) - back;
	if (f->since || !f->n)
		put(f, 0, f->since, 0);
	if (early)
		newest(f)->flags |= SOFTPT_RETIRED_EARLY;
	f->state = SOFTPT_FIFO_FROZEN;
}

/* Core cycles up to @tsc; the fraction is kept. */
static u64 cycles_to(struct softpt_engine *e, u64 tsc)
{
	struct softpt_fifo *f = &e->fifo;
	u64 ticks = tsc - f->tsc, parts;
	u32 p1 = e->cfg.p1;

	f->tsc = tsc;
	if (e->cycles.ratio == p1)
		return ticks;
	parts = ticks % p1 * e->cycles.ratio + f->rem;
	f->rem = parts % p1;
	if (ticks / p1 >= U64_MAX / 256)
		return U64_MAX;
	return ticks / p1 * e->cycles.ratio + parts / p1;
}

/* Time passes, and may freeze the FIFO. The first clock counts. */
void softpt_fifo_clock(struct softpt_engine *e, u64 tsc)
{
	struct softpt_fifo *f = &e->fifo;
	u64 cycles;

	if (!f->began) {
		f->began = true;
		f->tsc = tsc;
		f->since = 1;
	}
	if (f->wake_at) {
		f->tsc = min(tsc, f->wake_at);
		f->wake_at = 0;
	}
	cycles = cycles_to(e, tsc);
	if (f->state == SOFTPT_FIFO_FREEZING && cycles > f->left) {
		f->since = softpt_sum(f->since, f->left);
		freeze(f, 0, false);
		return;
	}
	f->left -= f->state == SOFTPT_FIFO_FREEZING ? cycles : 0;
	f->since = softpt_sum(f->since, cycles);
}

static void retire(struct softpt_fifo *f, const struct softpt_event *ev)
{
	if (!ev->arg)
		return;
	/* The pipeline begins with an event: only retirements of the last clock matter. */
	if (f->pipeline.after && f->state == SOFTPT_FIFO_RUNNING && f->since)
		f->n = 0;
	put(f, ev->ip, f->since, min_t(u64, ev->arg, 0xffffffff));
}

/* An instruction, that of the event or a younger one, may leave the pipeline without retiring. */
static bool squashes(u8 event_class, u16 submask, bool itself)
{
	switch (event_class) {
	case SOFTPT_CLASS_BRANCHES:
		return submask & SOFTPT_SUB_BRANCHES_MISPREDICTED && !itself;
	case SOFTPT_CLASS_RECIRCULATIONS:
		return submask != SOFTPT_SUB_RECIRCULATIONS_RETIRING;
	case SOFTPT_CLASS_BREAKPOINTS:
	case SOFTPT_CLASS_SYSTEM_CALLS:
	case SOFTPT_CLASS_PAGE_FAULTS:
	case SOFTPT_CLASS_CONTEXT_SWITCHES:
	case SOFTPT_CLASS_INTERRUPTS:
		return true;
	default:
		return false;
	}
}

/* What all threads have counted since the counter was preset */
static u64 counted(const struct softpt_engine *e, u8 counter)
{
	unsigned int t;
	u64 n = 0;

	for (t = 0; t < SOFTPT_THREADS; t++)
		n += e->counters.bank[t][counter];
	return n;
}

/* The FIFO runs, and its counter has overflowed. */
bool softpt_fifo_overflowed(const struct softpt_engine *e)
{
	return e->fifo.state == SOFTPT_FIFO_RUNNING && e->counters.overflows[e->fifo.counter];
}

/* The counter has overflowed: the FIFO is frozen when the delays are over, or they are over now. */
static void trigger(struct softpt_engine *e, const struct softpt_event *ev)
{
	struct softpt_fifo *f = &e->fifo;
	s64 reach = softpt_pipeline_reach(&f->pipeline);

	f->freeze.events = counted(e, f->counter);
	f->freeze.available++;
	f->freeze.data_known = !!(ev->flags & SOFTPT_EVF_DATA);
	f->freeze.data = f->freeze.data_known ? ev->ip : 0;
	f->freeze.stage = ev->stage;
	f->freeze.occupied_known = !!(ev->flags & SOFTPT_EVF_TARGET);
	f->freeze.occupied = f->freeze.occupied_known ? ev->target : 0;
	f->state = SOFTPT_FIFO_FREEZING;
	f->left = max_t(s64, reach, 0);
	if (reach < 0)
		freeze(f, -reach, false);
}

void softpt_fifo_lasting(struct softpt_engine *e, u8 stage, u64 over)
{
	const struct softpt_event ev = { .stage = stage };

	trigger(e, &ev);
	e->fifo.freeze.events -= over;
}

/* SOFTPT_EV_PMU was counted. */
static void count(struct softpt_engine *e, const struct softpt_event *ev)
{
	struct softpt_fifo *f = &e->fifo;
	bool itself = softpt_fifo_overflowed(e);
	bool occurs = ev->arg || ev->flags & (SOFTPT_EVF_BEGIN | SOFTPT_EVF_END);

	if (occurs && squashes(ev->arg2, ev->arg2 >> 16, itself))
		f->squashed = true;
	if (itself)
		trigger(e, ev);
}

void softpt_fifo_event(struct softpt_engine *e, const struct softpt_event *ev)
{
	struct softpt_fifo *f = &e->fifo;

	if (ev->kind == SOFTPT_EV_IDLE && ev->tsc < f->wake_at)
		return;		/* it does not wake */
	softpt_fifo_clock(e, ev->tsc);
	if (f->state == SOFTPT_FIFO_FROZEN)
		return;
	switch (ev->kind) {
	case SOFTPT_EV_RETIRE:
		retire(f, ev);
		break;
	case SOFTPT_EV_PMU:
		count(e, ev);
		break;
	case SOFTPT_EV_SLEEP:
		f->wake_at = ev->tsc + ev->arg;
		break;
	case SOFTPT_EV_TSX:
		f->flushed |= ev->arg == SOFTPT_TSX_ABORT;
		break;
	case SOFTPT_EV_FAR:
	case SOFTPT_EV_INTR:
	case SOFTPT_EV_CR3:
	case SOFTPT_EV_FLUSH:
		/* What has not retired leaves the pipeline. */
		f->flushed = true;
		break;
	}
}

void softpt_fifo_end(struct softpt_engine *e)
{
	struct softpt_fifo *f = &e->fifo;

	if (!e->live && e->now >= f->wake_at)
		softpt_fifo_clock(e, e->now);
	if (f->state == SOFTPT_FIFO_FREEZING)
		freeze(f, f->left ? f->pipeline.write : 0, f->left);
}

static bool is_still(const struct softpt_fifo *f)
{
	return f->state == SOFTPT_FIFO_OFF || f->state == SOFTPT_FIFO_FROZEN;
}

void softpt_fifo_execute(struct softpt_engine *e, u64 ip)
{
	struct softpt_fifo *f = &e->fifo;

	if (is_still(f) || (f->executes && f->ip == ip))
		return;
	if (f->executes)
		f->flushed = true;
	f->executes = true;
	f->accesses = false;
	f->ip = ip;
	softpt_fifo_clock(e, f->tsc + 1);
}

void softpt_fifo_retire(struct softpt_engine *e, u64 ip, u32 n)
{
	const struct softpt_event ev = { .ip = ip, .arg = n };
	struct softpt_fifo *f = &e->fifo;

	softpt_fifo_execute(e, ip);
	if (is_still(f))
		return;
	retire(f, &ev);
	f->executes = false;
	f->accesses = false;
}

void softpt_fifo_access(struct softpt_engine *e, u64 address)
{
	e->fifo.accesses = true;
	e->fifo.data = address;
}

void softpt_fifo_flush(struct softpt_engine *e)
{
	e->fifo.flushed = true;
}

/* The instruction is at the last stage, so no later stage is occupied. */
void softpt_fifo_counted(struct softpt_engine *e)
{
	const struct softpt_event ev = {
		.stage = e->fifo.pipeline.stages, .ip = e->fifo.data,
		.flags = SOFTPT_EVF_TARGET | (e->fifo.accesses ? SOFTPT_EVF_DATA : 0),
	};

	if (softpt_fifo_overflowed(e))
		trigger(e, &ev);
}

void softpt_fifo_disarm(struct softpt_engine *e)
{
	memset(&e->fifo, 0, sizeof(e->fifo));
	softpt_watched_update(e);
}

void softpt_fifo_arm(struct softpt_engine *e, const struct softpt_pipeline *p, u8 counter,
		     struct softpt_retirement *entry)
{
	struct softpt_fifo *f = &e->fifo;
	const u64 available = f->freeze.available;

	memset(f, 0, sizeof(*f));
	f->freeze.available = available;
	f->pipeline = *p;
	f->counter = counter;
	f->entry = entry;
	f->state = SOFTPT_FIFO_RUNNING;
	softpt_watched_update(e);
}
