// SPDX-License-Identifier: BSD-2-Clause
#include "chart/chart.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A function that has not returned. @merged: short slices below it that are not kept yet */
struct chart_frame {
	struct softpt_flow_time when;
	uint64_t executed;
	uint32_t what;
	uint32_t depth;
	struct chart_slice merged;
};

int chart_begin(struct chart *c, uint64_t shortest, size_t marks_max)
{
	*c = (struct chart){ .shortest = shortest, .marks_max = marks_max };
	return groups_begin(&c->groups, REPORT_BY_FUNCTION);
}

/* ---- what is kept ---- */

static void keep(struct chart *c, const struct chart_slice *slice)
{
	struct chart_slice *grown;

	if (c->slices == c->slices_room) {
		grown = reallocarray(c->slice, c->slices_room + 1024, 2 * sizeof(*grown));
		if (!grown) {
			c->failed = true;
			return;
		}
		c->slice = grown;
		c->slices_room = 2 * (c->slices_room + 1024);
	}
	c->slice[c->slices++] = *slice;
}

static void keep_merged(struct chart *c, struct chart_slice *merged)
{
	if (merged->calls)
		keep(c, merged);
	merged->calls = 0;
}

/* A slice that is too short joins those that were called right before it. */
static void merge(struct chart *c, struct chart_slice *merged, const struct chart_slice *slice)
{
	if (merged->calls && slice->begin - merged->end >= c->shortest)
		keep_merged(c, merged);
	if (!merged->calls) {
		*merged = *slice;
		return;
	}
	if (merged->what != slice->what)
		merged->what = CHART_MERGED;
	if (merged->off < slice->off)
		merged->off = slice->off;
	merged->end = slice->end;
	merged->calls += slice->calls;
	merged->instructions += slice->instructions;
}

/* Quarters of a power of two: the 2 bits behind the first one */
static unsigned int length_class(uint64_t ticks)
{
	unsigned int power;

	if (ticks < 4)
		return ticks;
	power = 63 - __builtin_clzll(ticks);
	return 4 * (power - 1) + (ticks >> (power - 2) & 3);
}

static uint64_t class_length(unsigned int n)
{
	return n < 4 ? n : (4 + (uint64_t)n % 4) << (n / 4 - 1);
}

uint64_t chart_shortest(const struct chart *c, uint64_t most)
{
	unsigned int n = sizeof(c->length) / sizeof(c->length[0]);
	uint64_t sum = 0;

	while (n && sum + c->length[n - 1] <= most)
		sum += c->length[--n];
	return n ? class_length(n) : 0;
}

static uint64_t off_by(const struct softpt_flow_time *t)
{
	if (!t->bounded)
		return UINT64_MAX;
	return t->max - t->tsc > t->tsc - t->min ? t->max - t->tsc : t->tsc - t->min;
}

/* A slice has ended. @merged: those before it that its caller called */
static void add(struct chart *c, struct chart_slice *merged, const struct chart_slice *slice)
{
	const uint64_t ticks = slice->end - slice->begin;

	if (c->shortest == UINT64_MAX) {
		c->length[length_class(ticks)]++;
	} else if (ticks < c->shortest) {
		merge(c, merged, slice);
	} else {
		keep_merged(c, merged);
		keep(c, slice);
	}
}

/* ---- functions that have not returned ---- */

static struct chart_frame *top(const struct chart_lane *l)
{
	return l->frames ? &l->frame[l->frames - 1] : NULL;
}

static void leave(struct chart *c, struct chart_lane *l, const struct softpt_flow_time *when,
		  uint64_t executed)
{
	struct chart_frame f = l->frame[--l->frames];
	struct chart_slice slice = {
		.begin = f.when.tsc, .end = when->tsc > f.when.tsc ? when->tsc : f.when.tsc,
		.off = off_by(&f.when), .what = f.what, .lane = l - c->lane, .depth = f.depth,
		.calls = 1, .instructions = executed - f.executed,
	};
	const uint64_t off = off_by(when);

	if (slice.off < off)
		slice.off = off;
	/* What is merged with its neighbours shows nothing of what it called. */
	if (slice.end - slice.begin >= c->shortest)
		keep_merged(c, &f.merged);
	add(c, l->frames ? &top(l)->merged : &l->merged, &slice);
}

static void leave_to(struct chart *c, struct chart_lane *l, uint32_t depth,
		     const struct softpt_flow_row *row)
{
	while (l->frames && top(l)->depth >= depth)
		leave(c, l, &row->when, row->executed);
}

static void enter(struct chart *c, struct chart_lane *l, uint32_t what,
		  const struct softpt_flow_time *when, const struct softpt_flow_row *row)
{
	struct chart_frame *grown;

	if (l->frames == l->room) {
		grown = reallocarray(l->frame, l->room + 32, 2 * sizeof(*grown));
		if (!grown) {
			c->failed = true;
			return;
		}
		l->frame = grown;
		l->room = 2 * (l->room + 32);
	}
	l->frame[l->frames++] = (struct chart_frame){
		.when = *when, .executed = row->executed, .what = what, .depth = row->depth,
	};
}

/* ---- rows ---- */

static struct chart_lane *lane_of(struct chart *c, const struct softpt_flow_row *row)
{
	uint32_t *number = index_at(&c->by_thread, (uintptr_t)row->thread, 0);
	struct chart_lane *grown;

	if (!number)
		return NULL;
	if (*number == INDEX_NEW) {
		grown = reallocarray(c->lane, c->lanes + 1, sizeof(*grown));
		if (!grown)
			return NULL;
		c->lane = grown;
		c->lane[c->lanes] = (struct chart_lane){ 0 };
		*number = c->lanes++;
	}
	c->lane[*number].executed = row->executed;
	c->lane[*number].pid = row->pid;
	c->lane[*number].tid = row->tid;
	snprintf(c->lane[*number].comm, sizeof(c->lane->comm), "%s", row->comm);
	return &c->lane[*number];
}

static void mark(struct chart *c, const struct chart_lane *l, const struct softpt_flow_row *row)
{
	if (c->marks == c->marks_max) {
		c->marks_left++;
		return;
	}
	if (!c->mark)
		c->mark = calloc(c->marks_max, sizeof(*c->mark));
	if (!c->mark) {
		c->failed = true;
		return;
	}
	c->mark[c->marks++] = (struct chart_mark){
		.at = row->when.tsc, .value = row->value, .lane = l - c->lane, .event = row->event,
	};
}

static void wait(struct chart *c, const struct chart_lane *l, const struct softpt_flow_row *row)
{
	const uint64_t off = off_by(&row->since);
	struct chart_wait *w;

	if (c->waits == c->marks_max) {
		c->waits_left++;
		return;
	}
	if (!c->wait)
		c->wait = calloc(c->marks_max, sizeof(*c->wait));
	if (!c->wait) {
		c->failed = true;
		return;
	}
	w = &c->wait[c->waits++];
	*w = (struct chart_wait){
		.begin = row->since.tsc, .end = row->when.tsc, .off = off_by(&row->when),
		.lane = l - c->lane, .why = l->why,
	};
	if (w->off < off)
		w->off = off;
}

static void call(struct chart *c, struct chart_lane *l, const struct softpt_flow_row *row)
{
	const uint32_t group = groups_find(&c->groups, row->thread, row->ip);

	leave_to(c, l, row->depth, row);
	if (group == INDEX_NEW)
		c->failed = true;
	else
		enter(c, l, group, &row->when, row);
	c->calls++;
}

/* Instructions of the kernel are not counted. */
static void in_kernel(struct chart *c, struct chart_lane *l, const struct softpt_flow_row *row)
{
	if (!row->since.tsc)
		return;
	leave_to(c, l, row->depth, row);
	enter(c, l, l->call ? CHART_SYSCALL + l->call - 1 : CHART_KERNEL, &row->since, row);
	if (!c->failed)
		leave(c, l, &row->when, row->executed);
}

bool chart_take(struct chart *c, const struct softpt_flow_row *row)
{
	struct chart_lane *l = lane_of(c, row);

	if (!l)
		c->failed = true;
	if (c->failed)
		return false;
	if (!c->begin)
		c->begin = row->when.tsc;
	if (c->end < row->when.tsc)
		c->end = row->when.tsc;
	switch (row->event) {
	case SOFTPT_FLOW_CALL:
	case SOFTPT_FLOW_JUMP:
	case SOFTPT_FLOW_BEGIN:
		call(c, l, row);
		break;
	case SOFTPT_FLOW_RETURN:
		leave_to(c, l, row->depth, row);
		break;
	case SOFTPT_FLOW_KERNEL:
		in_kernel(c, l, row);
		l->call = 0;
		break;
	case SOFTPT_FLOW_SYSCALL:
		l->call = row->value < CHART_SYSCALLS ? row->value + 1 : 0;
		break;
	case SOFTPT_FLOW_SWITCH_OUT:
		l->why = row->value;
		break;
	case SOFTPT_FLOW_SWITCH_IN:
		wait(c, l, row);
		break;
	case SOFTPT_FLOW_END:
		leave_to(c, l, 0, row);
		break;
	default:
		mark(c, l, row);
	}
	return !c->failed;
}

int chart_finish(struct chart *c)
{
	const struct softpt_flow_time when = { .tsc = c->end };
	uint32_t i;

	for (i = 0; i < c->lanes; i++) {
		while (c->lane[i].frames)
			leave(c, &c->lane[i], &when, c->lane[i].executed);
		keep_merged(c, &c->lane[i].merged);
	}
	return c->failed ? -ENOMEM : 0;
}

void chart_free(struct chart *c)
{
	uint32_t i;

	for (i = 0; i < c->lanes; i++)
		free(c->lane[i].frame);
	free(c->lane);
	free(c->slice);
	free(c->mark);
	free(c->wait);
	groups_free(&c->groups);
	index_free(&c->by_thread);
}
