// SPDX-License-Identifier: BSD-2-Clause
/*
 * From the records to the instruction behind an event.
 *
 * Why a retirement in each clock proves that the stages were full: instructions stay in
 * order, one at a stage, and move one stage in a clock at most. One that retires K clocks
 * after the event was at stage STAGES - K then, or later in the pipeline. If one retired
 * with the event, the next cannot have been at the last stage, so it was at the one
 * before; and so on down to the event's stage, as long as each clock retires one.
 */
#include "softpt-address.h"

/* Where the walk is */
struct walk {
	const struct softpt_frozen *in;
	size_t landing;		/* what retired last, with the event or before it */
	uint64_t before;	/* cycles from there to the event */
	long bad;		/* the record that is the reason */
};

/* The last record, of a clock that retired nothing */
static bool is_origin(const struct walk *w, size_t i)
{
	const struct softpt_retirement *r = &w->in->record[i];

	return i == w->in->n - 1 && !r->count && !(r->flags & SOFTPT_RETIRED) && !r->ip;
}

static enum softpt_address_status judge(const struct walk *w, size_t i)
{
	const struct softpt_retirement *r = &w->in->record[i];

	if (r->flags & SOFTPT_RETIRED_EARLY)
		return SOFTPT_ADDRESS_EARLY;
	if (r->flags & SOFTPT_RETIRED_FLUSHED)
		return SOFTPT_ADDRESS_FLUSHED;
	if (is_origin(w, i))
		return r->cycles ? SOFTPT_ADDRESS_KNOWN : SOFTPT_ADDRESS_INVALID;
	if (!(r->flags & SOFTPT_RETIRED) || !r->count)
		return SOFTPT_ADDRESS_INVALID;
	if (r->count > 1 || !r->cycles)
		return SOFTPT_ADDRESS_GROUP;
	return SOFTPT_ADDRESS_KNOWN;
}

/* Back in cycles, every record on the way judged */
static enum softpt_address_status walk_back(struct walk *w, uint64_t reach)
{
	const struct softpt_retirement *r = w->in->record;
	enum softpt_address_status status;
	uint64_t back = 0;
	size_t i = w->in->n - 1;

	for (;; i--) {
		w->bad = i;
		status = judge(w, i);
		if (status)
			return status;
		if (back >= reach && !is_origin(w, i))
			break;
		if (!i)
			return SOFTPT_ADDRESS_TOO_OLD;
		if (__builtin_add_overflow(back, r[i].cycles, &back))
			back = UINT64_MAX;
	}
	w->landing = i;
	w->before = back - reach;
	return SOFTPT_ADDRESS_KNOWN;
}

/*
 * Forward by @n retirements. Return: the cycles that they took, from the event's clock
 * on, or 0: they are not all there
 */
static uint64_t forward_cycles(const struct walk *w, size_t n)
{
	uint64_t cycles = 0;
	size_t i;

	for (i = w->landing + 1; i <= w->landing + n; i++) {
		if (i >= w->in->n || is_origin(w, i) ||
		    __builtin_add_overflow(cycles, w->in->record[i].cycles, &cycles))
			return 0;
	}
	return cycles - w->before;
}

/* As many stages later than the event's as were occupied */
static enum softpt_address_status walk_occupied(struct walk *w, size_t later)
{
	size_t i, occupied = w->in->freeze.occupied;
	/* who is at the last stage and did not retire in the event's clock is still to come */
	size_t n = occupied + !!w->before;

	w->bad = w->landing;
	if (occupied > later || (!n && later))
		return SOFTPT_ADDRESS_CONTRADICTION;
	if (n && !forward_cycles(w, n))
		return SOFTPT_ADDRESS_NOT_RETIRED;
	if (n && forward_cycles(w, n) < later)
		return SOFTPT_ADDRESS_CONTRADICTION;
	/* what came in the event's own clock may be noted with its retirement */
	for (i = w->landing + !!w->before; i <= w->landing + n; i++) {
		w->bad = i;
		if (w->in->record[i].flags & SOFTPT_RETIRED_SQUASHED)
			return SOFTPT_ADDRESS_SQUASHED;
	}
	w->landing += n;
	return SOFTPT_ADDRESS_KNOWN;
}

/* All stages later than the event's, if the records prove that they were occupied */
static enum softpt_address_status walk_full(struct walk *w, size_t later)
{
	uint64_t cycles = forward_cycles(w, later);

	w->bad = w->landing;
	if (w->before)
		return SOFTPT_ADDRESS_BUBBLE;
	w->landing += later;
	if (cycles == later)
		return SOFTPT_ADDRESS_KNOWN;
	return cycles ? SOFTPT_ADDRESS_BUBBLE : SOFTPT_ADDRESS_NOT_RETIRED;
}

static enum softpt_address_status find(struct walk *w, unsigned int stage)
{
	const struct softpt_frozen *in = w->in;
	int64_t reach = softpt_pipeline_reach(&in->pipeline);
	const struct softpt_freeze *f = &in->freeze;
	enum softpt_address_status status;
	size_t later = in->pipeline.stages - stage;
	bool full;

	if (!in->n)
		return SOFTPT_ADDRESS_NOT_FROZEN;
	if (!stage || stage > in->pipeline.stages)
		return SOFTPT_ADDRESS_NO_STAGE;
	if (reach < 0)
		return SOFTPT_ADDRESS_NOT_WRITTEN;
	status = walk_back(w, reach);
	if (status)
		return status;
	full = !w->before && forward_cycles(w, later) == later;
	if (!f->occupied_known || f->stage != stage || (full && f->occupied == later))
		return walk_full(w, later);
	return walk_occupied(w, later);
}

int softpt_address_find(const struct softpt_frozen *frozen, unsigned int stage,
			struct softpt_address *address)
{
	struct walk w = { .in = frozen, .bad = -1 };
	enum softpt_address_status status = find(&w, stage);

	*address = (struct softpt_address){
		.events = frozen->freeze.events, .status = status, .record = w.bad,
	};
	if (!status) {
		address->ip = frozen->record[w.landing].ip;
		address->record = w.landing;
	}
	return status;
}

const char *softpt_address_reason(int status)
{
	static const char *const text[SOFTPT_ADDRESS_NR] = {
#define X(id, what) \
	[SOFTPT_ADDRESS_##id] = what,
		SOFTPT_ADDRESS_STATUSES(X)
#undef X
	};

	return status >= 0 && status < SOFTPT_ADDRESS_NR ? text[status] : "unknown status";
}
