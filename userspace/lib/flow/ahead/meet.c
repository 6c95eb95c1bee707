// SPDX-License-Identifier: BSD-2-Clause
/*
 * Whether two walks of a stream are at the same place, and will make the same steps, but for
 * flow_step.resumed
 */
#include "base/digest.h"
#include "flow/blockwalk.h"
#include "flow/blockstate.h"
#include "time/digest.h"

uint64_t block_walk_past(const struct block_walk *w)
{
	return flow_records_before(&w->records);
}

bool block_walk_begun(const struct block_walk *w)
{
	return w->begun;
}

void block_walk_set_begun(struct block_walk *w, bool begun)
{
	w->begun = begun;
}

static uint64_t add_calls(uint64_t digest, const struct block_walk *w)
{
	unsigned int i;

	for (i = 1; i <= w->calls; i++)
		digest = digest_add(digest, w->back[(w->top - i) % RETURNS]);
	return digest_add(digest, w->calls);
}

static uint64_t add_place(uint64_t digest, const struct block_walk *w)
{
	digest = digest_add(digest, w->on ? w->ip : 0);
	digest = digest_add(digest, w->on ? w->aimless : 0);
	return digest_add(digest, w->on | w->waits << 1 | w->told << 2 | w->untold << 3 |
			  w->done << 5 | !w->lost << 6 | w->speculative << 7 |
			  w->aborts << 8 | w->aborted << 9 | w->async << 10 |
			  (uint64_t)w->bits << 16 | (uint64_t)w->next_bits << 24);
}

/* What the next step has of what is past */
static uint64_t add_untold(uint64_t digest, const struct block_walk *w)
{
	digest = digest_add(digest, w->instructions);
	digest = digest_add(digest, w->undone);
	digest = digest_add(digest, w->branches);
	digest = digest_add(digest, w->instructions ? w->start : 0);
	digest = digest_add(digest, w->last);
	return digest_add(digest, w->last_size | w->last_bits << 8 | w->last_undone << 16);
}

static uint64_t add_time(uint64_t digest, const struct softpt_flow_time *when)
{
	digest = digest_add(digest, when->tsc);
	digest = digest_add(digest, when->min);
	return digest_add(digest_add(digest, when->max), when->bounded);
}

static uint64_t add_records(uint64_t digest, const struct flow_records *r)
{
	digest = digest_add(digest, flow_records_before(r));
	digest = digest_add(digest, flow_records_offset(r));
	digest = digest_add(digest, flow_records_bits(r));
	digest = digest_add(digest, r->taken);
	digest = digest_add(digest, r->damage ? r->damage_at : 0);
	digest = digest_add(digest, r->damage);
	digest = digest_add(digest, r->call);
	digest = digest_add(digest, r->late);
	digest = add_time(digest, &r->last);
	digest = add_time(digest, &r->end);
	if (r->next)
		digest = softpt_record_digest(digest, r->next);
	return digest_add(digest, softpt_decoder_digest(r->d));
}

uint64_t block_walk_digest(const struct block_walk *w)
{
	return add_records(add_untold(add_calls(add_place(0, w), w), w), &w->records);
}
