// SPDX-License-Identifier: BSD-2-Clause
#include "flow/stride/rows.h"
#include "flow/stride/stride.h"

/* An estimate, apart from its bounds: those of all bits of a stride are the same. */
struct moment {
	uint64_t tsc;
	const struct softpt_flow_time *bounds;
};

/* A row is written once for a stride, but for what is of one branch. */
struct row {
	struct softpt_flow_row row;
	bool wanted;
	bool of_bits;		/* its bounds are those of bits */
};

/* Rows of a stride, and what their times point to */
struct rows {
	struct row block;
	struct row branch;
	struct softpt_flow_time bits;
	struct softpt_flow_time other[2];	/* of what needs no bit, in turn */
	unsigned int turn;
};

static void begin_row(const struct flow_lanes *w, const struct flow_lane *l, struct row *row,
		      enum softpt_flow_event event)
{
	const struct softpt_flow_thread *t = l->thread;

	row->wanted = flow_wants(w, event);
	row->of_bits = false;
	if (!row->wanted)
		return;
	row->row = (struct softpt_flow_row){
		.event = event, .cpu = l->stream->cpu, .pid = t->pid, .tid = t->tid,
		.comm = t->comm, .thread = t, .depth = flow_depth(t),
		.is_branch = event == SOFTPT_FLOW_BLOCK,
	};
}

static void begin_rows(const struct flow_lanes *w, const struct flow_lane *l, struct rows *rows)
{
	begin_row(w, l, &rows->block, SOFTPT_FLOW_BLOCK);
	begin_row(w, l, &rows->branch, SOFTPT_FLOW_BRANCH);
	rows->bits = flow_records_bounds(l->step.stride->records);
	rows->turn = 0;
}

static void set_time(struct softpt_flow_time *when, struct moment m)
{
	*when = *m.bounds;
	when->tsc = m.tsc;
}

/* When the branch happened that is told next */
static inline struct moment next_moment(const struct flow_stride *s, struct rows *rows)
{
	struct softpt_flow_time *other;

	if (s->branch[s->told].bit)
		return (struct moment){ s->tsc[s->bits], &rows->bits };
	other = &rows->other[rows->turn++ % 2];
	*other = flow_records_before_bit(s->records, s->bits);
	return (struct moment){ other->tsc, other };
}

static void put(struct flow_lanes *w, const struct flow_lane *l, struct row *row, struct moment m,
		bool of_bits)
{
	if (!row->of_bits || !of_bits)
		row->row.when = *m.bounds;
	row->of_bits = of_bits;
	row->row.when.tsc = m.tsc;
	row->row.executed = l->thread->executed;
	if (!w->enough)
		w->enough = !w->row(w->context, &row->row);
}

static void put_block(struct flow_lanes *w, const struct flow_lane *l, struct rows *rows,
		      const struct stride_branch *b, struct moment m)
{
	const uint64_t start = flow_stride_start(l->step.stride);
	struct softpt_flow_row *row = &rows->block.row;

	row->ip = start;
	row->to = b->to;
	row->instructions = b->instructions;
	row->bytes = b->from + b->size - start;
	put(w, l, &rows->block, m, m.bounds == &rows->bits);
}

static void put_branch(struct flow_lanes *w, const struct flow_lane *l, struct rows *rows,
		       const struct stride_branch *b, struct moment m)
{
	rows->branch.row.from = b->from;
	rows->branch.row.ip = b->to;
	put(w, l, &rows->branch, m, m.bounds == &rows->bits);
}

static inline void count(struct softpt_flow_totals *totals, const struct stride_branch *b,
			 struct moment m)
{
	totals->instructions += b->instructions;
	totals->branches++;
	if (!b->bit || !m.bounds->bounded)
		return;
	if (m.tsc - m.bounds->min > totals->widest)
		totals->widest = m.tsc - m.bounds->min;
	if (m.bounds->max - m.tsc > totals->widest)
		totals->widest = m.bounds->max - m.tsc;
}

/* Return: whether all was told before @next */
static bool tell_rows(struct flow_lanes *w, struct flow_lane *l, const struct flow_lane *next)
{
	struct moment now = { l->when.tsc, &l->when }, before = { l->before.tsc, &l->before };
	struct flow_stride *s = l->step.stride;
	const struct stride_branch *b;
	bool behind = false;
	struct rows rows;

	begin_rows(w, l, &rows);
	while (!behind) {
		b = &s->branch[s->told];
		count(w->totals, b, now);
		if (rows.block.wanted)
			put_block(w, l, &rows, b, before.tsc ? before : now);
		l->thread->executed += b->instructions;
		if (b->taken && rows.branch.wanted)
			put_branch(w, l, &rows, b, now);
		flow_stride_pass(s);
		if (s->told == s->n || w->enough)
			break;
		before = now;
		now = next_moment(s, &rows);
		behind = next && !flow_is_before(l, now.tsc, next);
	}
	set_time(&l->before, behind ? before : now);
	if (behind)	/* @before may have pointed to it */
		set_time(&l->when, now);
	return !behind;
}

/* ---- as a whole ---- */

static bool is_whole(const struct flow_lane *l, const struct flow_lane *next)
{
	const struct flow_stride *s = l->step.stride;

	return !s->told && !s->cut &&
	       (!next || flow_is_before(l, s->tsc[s->outcomes - 1], next));
}

/* Bounds of bits are the same, and their estimates between those of the first and the last. */
static void widen(struct softpt_flow_totals *totals, const struct flow_stride *s)
{
	struct softpt_flow_time when = flow_records_bounds(s->records);
	unsigned int i;

	if (!when.bounded || when.max - when.min <= totals->widest)
		return;
	for (i = 0; i < s->outcomes; i += s->outcomes > 1 ? s->outcomes - 1 : 1) {
		when = flow_records_at_bit(s->records, i);
		if (flow_bound(&when) > totals->widest)
			totals->widest = flow_bound(&when);
	}
}

static void tell_whole(struct flow_lanes *w, struct flow_lane *l)
{
	struct flow_stride *s = l->step.stride;

	widen(w->totals, s);
	w->totals->instructions += s->instructions;
	w->totals->branches += s->n;
	l->thread->executed += s->instructions;
	w->enough = !w->stride(w->context, l->thread, s);
	s->told = s->n;
}

/* ---- both ---- */

void flow_stride_begin(struct flow_lane *l)
{
	flow_stride_find_times(l->step.stride);
	flow_stride_time(l->step.stride, &l->when);
}

bool flow_stride_take(struct flow_lanes *w, struct flow_lane *l, const struct flow_lane *next)
{
	l->thread->kept = l->thread->frames;
	if (w->stride && is_whole(l, next)) {
		tell_whole(w, l);
		return true;
	}
	if (!l->step.stride->timed)
		flow_stride_begin(l);
	return tell_rows(w, l, next);
}
