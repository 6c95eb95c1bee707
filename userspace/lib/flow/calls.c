// SPDX-License-Identifier: BSD-2-Clause
#include "flow/calls.h"

#include <stdlib.h>

#include "flow/land.h"

void flow_calls_push(struct flow_lanes *w, struct flow_lane *l, struct flow_frame *frame)
{
	struct softpt_flow_thread *t = l->thread;
	struct flow_frame *grown;

	if (t->frames == FRAMES_MAX) {
		t->beyond++;
		return;
	}
	if (!(t->frames % FRAMES)) {
		grown = reallocarray(t->frame, t->frames + FRAMES, sizeof(*grown));
		if (!grown) {
			w->enough = true;
			return;
		}
		t->frame = grown;
	}
	frame->when = l->when;
	t->frame[t->frames++] = *frame;
}

/* A function is left, by a return or by a jump into another. */
static void leave(struct flow_lanes *w, const struct flow_lane *l)
{
	const struct flow_frame *f = flow_top(l->thread);

	if (f->ip && flow_wants(w, SOFTPT_FLOW_RETURN))
		flow_put_row(w, l, &(struct softpt_flow_row){
			.event = SOFTPT_FLOW_RETURN, .ip = f->ip, .depth = flow_depth(l->thread),
			.since = f->when,
		});
}

void flow_calls_pop(struct flow_lanes *w, const struct flow_lane *l, unsigned int frames)
{
	if (l->thread->frames > frames)
		l->thread->beyond = 0;
	while (l->thread->frames > frames) {
		leave(w, l);
		l->thread->frames--;
	}
}

/* The function on top is left for another, which control came to by no call. */
static void replace_top(struct flow_lanes *w, struct flow_lane *l)
{
	struct flow_frame *f = flow_top(l->thread);

	leave(w, l);
	f->ip = l->step.to;
	f->when = l->when;
}

/* What is called through a stub is known when the stub jumps there. */
void flow_calls_call(struct flow_lanes *w, struct flow_lane *l)
{
	struct flow_frame frame = { .back = l->step.behind, .ip = l->step.to };
	struct softpt_flow_row row = {
		.event = SOFTPT_FLOW_CALL, .ip = l->step.to, .from = l->step.from,
	};
	const bool stub = flow_note_call(&l->step, l->thread->process->symbols);

	w->totals->calls++;
	if (stub) {
		frame.ip = 0;
		frame.from = l->step.from;
	}
	flow_calls_push(w, l, &frame);
	row.depth = flow_depth(l->thread);
	if (!stub)
		flow_put_row(w, l, &row);
}

void flow_calls_begin(struct flow_lanes *w, const struct flow_lane *l)
{
	struct softpt_flow_row row = {
		.event = SOFTPT_FLOW_BEGIN, .ip = l->step.to, .depth = flow_depth(l->thread),
	};

	flow_put_row(w, l, &row);
}

/* An exception is caught, or the recording has no call of the function that returns. */
static void land(struct flow_lanes *w, struct flow_lane *l)
{
	const struct softpt_flow_thread *t = l->thread;
	unsigned int frames = flow_land(t, l->step.to);

	if (frames)
		flow_calls_pop(w, l, frames);
	if (frames || flow_top(t)->back)
		return;
	replace_top(w, l);
	flow_calls_begin(w, l);
}

/* Several functions may be left at once. */
void flow_calls_return(struct flow_lanes *w, struct flow_lane *l)
{
	struct softpt_flow_thread *t = l->thread;
	unsigned int i;

	if (t->beyond) {
		t->beyond--;
		return;
	}
	for (i = t->frames; i-- > 0;)
		if (t->frame[i].back == l->step.to) {
			flow_calls_pop(w, l, i);
			return;
		}
	if (t->frames && flow_top(t)->handler)
		flow_top(t)->done = true;
	else if (t->frames)
		land(w, l);
}

/* A stub jumps for who called it. */
static uint64_t caller_of(const struct flow_lane *l)
{
	const struct softpt_flow_thread *t = l->thread;
	const struct flow_frame *top = t->beyond ? NULL : flow_top(t);

	return top && !top->ip && top->from ? top->from : l->step.from;
}

static void enter(struct flow_lanes *w, struct flow_lane *l)
{
	struct softpt_flow_thread *t = l->thread;
	struct softpt_flow_row row = {
		.event = SOFTPT_FLOW_JUMP, .ip = l->step.to, .depth = flow_depth(t),
		.from = caller_of(l),
	};

	if (t->frames && !t->beyond)
		replace_top(w, l);
	flow_put_row(w, l, &row);
}

/* longjmp leaves several functions at once; code that shares its end with others leaves none. */
void flow_calls_jump(struct flow_lanes *w, struct flow_lane *l)
{
	enum flow_move move;
	unsigned int frames;

	if (!l->step.taken)
		return;
	move = flow_note_jump(&l->step, l->thread->process->symbols);
	if (move == FLOW_MOVE_ENTERS)
		enter(w, l);
	if (move != FLOW_MOVE_LANDS)
		return;
	frames = flow_land(l->thread, l->step.to);
	if (frames)
		flow_calls_pop(w, l, frames);
}

bool flow_calls_settle(struct flow_lanes *w, struct flow_lane *l)
{
	struct softpt_flow_thread *t = l->thread;
	struct flow_frame frame = { .ip = l->step.to };
	unsigned int frames = flow_land(t, l->step.to);

	t->beyond = 0;
	if (frames || t->frames > FRAMES_MAX / 2)
		flow_calls_pop(w, l, frames);
	if (frames)
		return false;
	if (!t->frames || flow_top(t)->back || flow_top(t)->handler)
		flow_calls_push(w, l, &frame);
	else
		replace_top(w, l);
	return true;
}
