// SPDX-License-Identifier: BSD-2-Clause
/* How far off the times of a stream are, and whether their bounds hold */
#include "truth/judge.h"

#include <errno.h>

static bool is_inside(const struct softpt_record *rec, uint64_t tsc)
{
	return (!(rec->flags & SOFTPT_REC_HAS_MIN) || tsc >= rec->tsc_min) &&
	       (!(rec->flags & SOFTPT_REC_HAS_MAX) || tsc <= rec->tsc_max);
}

int truth_judge(struct truth_cursor *c, struct truth_sum *sum, const struct softpt_record *rec,
		struct truth_judged *out)
{
	const struct truth_row *row;
	uint64_t error;

	*out = (struct truth_judged){ 0 };
	if (!c->rows || c->at == c->rows->n || c->rows->v[c->at].kind != rec->kind)
		return -EPROTO;
	row = &c->rows->v[c->at++];
	sum->rows++;
	sum->known += row->known;
	if (!row->known)
		return 0;
	out->known = true;
	out->tsc = row->tsc;
	out->inside = is_inside(rec, row->tsc);
	out->timed = rec->flags & SOFTPT_REC_HAS_MIN;
	out->error = rec->tsc - row->tsc;
	sum->outside += !out->inside;
	if (!out->timed)
		return 0;
	error = out->error < 0 ? -(uint64_t)out->error : (uint64_t)out->error;
	sum->timed++;
	sum->total += error;
	sum->worst = error > sum->worst ? error : sum->worst;
	return 0;
}
