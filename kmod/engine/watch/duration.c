// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Durations that have a begin and an end. Before an event happens, the clocks up to it are
 * counted, with thread and CPL of before. So a change of either divides a duration.
 */
#include "duration.h"
#include "retire.h"
#include "watch.h"

/* Clocks of a class in @ticks; the fraction is kept until its last condition ends. */
static u64 clocks(struct softpt_engine *e, unsigned int k, u64 ticks)
{
	struct softpt_durations *d = &e->durations;
	u32 p1 = e->cfg.p1;
	u64 parts = ticks % p1 * e->cycles.ratio + d->rem[k];

	d->rem[k] = parts % p1;
	return ticks / p1 * e->cycles.ratio + parts / p1;
}

/* The first tick of the clock that is @n clocks behind @from, where the fraction was @rem */
static u64 tick_of(const struct softpt_engine *e, u64 from, u8 rem, u64 n)
{
	u32 p1 = e->cfg.p1, ratio = e->cycles.ratio;
	u32 parts = n % ratio * p1;
	u64 whole = from + n / ratio * p1;

	if (parts < rem)
		return n ? whole - (rem - parts) / ratio : from;
	return whole + (parts - rem + ratio - 1) / ratio;
}

/* Clocks that were counted behind the one in which the counter of the FIFO overflowed */
static u64 counted_over(const struct softpt_engine *e)
{
	const struct softpt_counters *c = &e->counters;
	u8 k = e->fifo.counter;

	return c->value[k] + ((c->overflows[k] - 1) << SOFTPT_COUNTER_BITS);
}

static void pass(struct softpt_engine *e, u64 tsc)
{
	struct softpt_durations *d = &e->durations;
	u64 left, from, ticks, n;
	u8 rem;

	if (d->wake_at)
		d->tsc = min(tsc, d->wake_at);
	d->wake_at = 0;
	from = d->tsc;
	ticks = tsc - from;
	d->tsc = tsc;
	for (left = ticks ? d->classes : 0; left; left &= left - 1) {
		unsigned int k = __builtin_ctzll(left);

		rem = d->rem[k];
		n = clocks(e, k, ticks);
		softpt_count(e, k, d->open[k], n);
		if (softpt_fifo_overflowed(e)) {
			u64 over = counted_over(e);

			softpt_fifo_clock(e, tick_of(e, from, rem, n - 1 - over));
			softpt_fifo_lasting(e, d->stage[k], over);
		}
	}
}

void softpt_durations_settle(struct softpt_engine *e, u64 tsc)
{
	struct softpt_durations *d = &e->durations;

	if (d->classes && tsc > d->tsc && tsc >= d->wake_at)
		pass(e, tsc);
}

void softpt_durations_pass(struct softpt_engine *e, const struct softpt_event *ev)
{
	struct softpt_durations *d = &e->durations;

	if (ev->kind == SOFTPT_EV_IDLE && ev->tsc < d->wake_at)
		return;
	pass(e, ev->tsc);
	if (ev->kind == SOFTPT_EV_SLEEP)
		d->wake_at = ev->tsc + ev->arg;
}

void softpt_duration(struct softpt_engine *e, const struct softpt_event *ev)
{
	struct softpt_durations *d = &e->durations;
	u16 submask = ev->arg2 >> 16;
	u8 k = ev->arg2;

	if (!d->classes) {
		d->tsc = ev->tsc;
		d->wake_at = 0;
	}
	if (!d->open[k])
		d->rem[k] = 0;
	if (ev->flags & SOFTPT_EVF_BEGIN) {
		d->open[k] |= submask;
		d->stage[k] = ev->stage;
	} else {
		d->open[k] &= ~submask;
	}
	if (d->open[k])
		d->classes |= 1ull << k;
	else
		d->classes &= ~(1ull << k);
	softpt_watched_update(e);
}
