// SPDX-License-Identifier: BSD-2-Clause
/*
 * From the records to the instruction behind an event.
 *
 * What retirements prove: instructions stay in order and move one stage in a clock at most. One
 * that retires K clocks after the event was at stage STAGES - K then, or later in the pipeline. So
 * all that retire sooner than an instruction of the event's stage could were ahead of it; if they
 * are as many as the later stages hold, these were full of them, and who comes next, as soon as it
 * can, was at the event's stage.
 */
#include <softpt/address.h>

/* Where the walk is */
struct walk {
	const struct softpt_frozen *in;
	unsigned int stage;
	bool told;		/* the event says how many were ahead */
	size_t landing;		/* what retired last, with the event or before it */
	size_t first;		/* what retires first, with the event or behind it */
	uint64_t before;	/* cycles from @landing to the event */
	long bad;		/* the record that is the reason */
};

/* Stages behind the event's */
static uint64_t later(const struct walk *w)
{
	return w->in->pipeline.stages - w->stage;
}

/* Instructions that a stage holds, 0: not told */
static uint64_t capacity(const struct walk *w, unsigned int stage)
{
	return w->in->capacity ? w->in->capacity[stage - 1] : 0;
}

/* Those that all stages behind the event's hold. Return: whether all are told */
static bool room(const struct walk *w, uint64_t *n)
{
	unsigned int i;

	*n = 0;
	for (i = w->stage + 1; i <= w->in->pipeline.stages; i++) {
		if (!capacity(w, i))
			return false;
		*n += capacity(w, i);
	}
	return capacity(w, w->stage);
}

/* The last record, of a clock that retired nothing */
static bool is_origin(const struct walk *w, size_t i)
{
	const struct softpt_retirement *r = &w->in->record[i];

	return i == w->in->n - 1 && !r->count && !(r->flags & SOFTPT_RETIRED) && !r->ip;
}

/* Several can retire in one clock, and which of them it is can be known. */
static bool is_wide(const struct walk *w)
{
	uint64_t last = capacity(w, w->in->pipeline.stages);

	return last > 1 || (w->told && !last);
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
	if (r->count > 1 || (!r->cycles && !is_wide(w)))
		return SOFTPT_ADDRESS_GROUP;
	return SOFTPT_ADDRESS_KNOWN;
}

/* Back in cycles, every record on the way judged, and all of the event's clock */
static enum softpt_address_status walk_back(struct walk *w, uint64_t reach)
{
	const struct softpt_retirement *r = w->in->record;
	enum softpt_address_status status;
	uint64_t back = 0;
	size_t i = w->in->n - 1;
	bool landed = false;

	for (;; i--) {
		w->bad = i;
		status = judge(w, i);
		if (status)
			return status;
		if (back >= reach && !is_origin(w, i)) {
			w->landing = landed ? w->landing : i;
			landed = true;
			if (back > reach || r[i].cycles)
				break;
		}
		if (!i)
			return SOFTPT_ADDRESS_TOO_OLD;
		if (__builtin_add_overflow(back, r[i].cycles, &back))
			back = UINT64_MAX;
	}
	w->before = back - reach;
	w->first = w->before ? w->landing + 1 : i;
	w->bad = w->landing;
	return SOFTPT_ADDRESS_KNOWN;
}

/*
 * When the instruction retired that is the @n-th behind @first, in cycles from the event.
 * Return: whether it is there
 */
static bool clock_of(const struct walk *w, uint64_t n, uint64_t *clock)
{
	const struct softpt_frozen *in = w->in;
	size_t i, to = w->first + n;

	if (n >= in->n || to >= in->n || is_origin(w, to))
		return false;
	*clock = 0;
	for (i = w->landing + 1; i <= to; i++)
		if (__builtin_add_overflow(*clock, in->record[i].cycles, clock))
			*clock = UINT64_MAX;
	*clock -= to > w->landing ? w->before : 0;
	return true;
}

/* All later stages were full of @n instructions, and the event's retired as soon as it could. */
static bool is_full(const struct walk *w, uint64_t n)
{
	uint64_t clock;

	if (!clock_of(w, n, &clock) || clock != later(w))
		return false;
	return !n || (clock_of(w, n - 1, &clock) && clock < later(w));
}

/* As many instructions as the event says were ahead */
static enum softpt_address_status walk_told(struct walk *w)
{
	uint64_t n = w->in->freeze.occupied, most, clock;
	size_t i;

	if (room(w, &most) && n > most + capacity(w, w->stage) - 1)
		return SOFTPT_ADDRESS_CONTRADICTION;
	if (!clock_of(w, n, &clock))
		return SOFTPT_ADDRESS_NOT_RETIRED;
	if (clock < later(w))
		return SOFTPT_ADDRESS_CONTRADICTION;
	/* what came in the event's own clock may be noted with its retirement */
	for (i = w->first; i <= w->first + n; i++) {
		w->bad = i;
		if (w->in->record[i].flags & SOFTPT_RETIRED_SQUASHED)
			return SOFTPT_ADDRESS_SQUASHED;
	}
	w->landing = w->first + n;
	return SOFTPT_ADDRESS_KNOWN;
}

/* As many as the stages hold, where the records prove that they did */
static enum softpt_address_status walk_full(struct walk *w)
{
	uint64_t n, clock = 0;
	bool known = room(w, &n), there, single = n == later(w);

	if (!known)
		return SOFTPT_ADDRESS_UNTOLD;
	if (capacity(w, w->stage) > 1)
		return SOFTPT_ADDRESS_SHARED;
	if (is_full(w, n)) {
		w->landing = w->first + n;
		return SOFTPT_ADDRESS_KNOWN;
	}
	there = clock_of(w, n, &clock);
	if (there && clock < later(w))
		return SOFTPT_ADDRESS_CONTRADICTION;
	if (!single)
		return SOFTPT_ADDRESS_PARTLY;
	return w->before || there ? SOFTPT_ADDRESS_BUBBLE : SOFTPT_ADDRESS_NOT_RETIRED;
}

static enum softpt_address_status find(struct walk *w)
{
	const struct softpt_frozen *in = w->in;
	int64_t reach = softpt_pipeline_reach(&in->pipeline);
	enum softpt_address_status status;
	uint64_t n;

	if (!in->n)
		return SOFTPT_ADDRESS_NOT_FROZEN;
	if (!w->stage || w->stage > in->pipeline.stages)
		return SOFTPT_ADDRESS_NO_STAGE;
	if (reach < 0)
		return SOFTPT_ADDRESS_NOT_WRITTEN;
	status = walk_back(w, reach);
	if (status)
		return status;
	/* full: nobody can have left unseen */
	if (!w->told || (room(w, &n) && capacity(w, w->stage) == 1 && n == in->freeze.occupied &&
			 is_full(w, n)))
		return walk_full(w);
	return walk_told(w);
}

int softpt_address_find(const struct softpt_frozen *frozen, unsigned int stage,
			struct softpt_address *address)
{
	const struct softpt_freeze *f = &frozen->freeze;
	struct walk w = {
		.in = frozen, .stage = stage, .bad = -1,
		.told = f->occupied_known && f->stage == stage,
	};
	enum softpt_address_status status = find(&w);

	*address = (struct softpt_address){
		.events = f->events, .status = status, .record = w.bad,
		.available = f->available,
	};
	if (!status) {
		address->ip = frozen->record[w.landing].ip;
		address->record = w.landing;
		address->data_known = f->data_known && (!f->stage || f->stage == stage);
		address->data = address->data_known ? f->data : 0;
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
