// SPDX-License-Identifier: BSD-2-Clause
/*
 * The path of each thread through the traces of all CPUs: steps are taken in the order of time, a
 * thread's functions are stacked as it calls them, and rows are made of both.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "flow/ahead/lanes.h"
#include "flow/calls.h"
#include "flow/kernel/tell.h"
#include "flow/lane.h"
#include "flow/path.h"
#include "flow/slice/slice.h"
#include "flow/stride/rows.h"

/* ---- other steps ---- */

static void back_from_kernel(struct flow_lanes *w, struct flow_lane *l)
{
	struct softpt_flow_thread *t = l->thread;
	struct softpt_flow_row row = {
		.event = SOFTPT_FLOW_KERNEL, .ip = l->step.to, .depth = flow_depth(t) + 1,
		.from = t->left_from, .since = t->left_at,
	};

	if (t->left)
		flow_put_row(w, l, &row);
	if (t->frames && flow_top(t)->done)
		flow_calls_pop(w, l, t->frames - 1);
}

/* Where what was interrupted goes on; one handler may come directly behind another. */
static uint64_t interrupted_at(const struct softpt_flow_thread *t)
{
	const struct flow_frame *top = flow_top(t);

	return top && top->handler && top->done ? top->interrupted : t->left_behind;
}

/* The kernel goes on where it came from, or calls a handler. */
static bool is_handler(const struct softpt_flow_thread *t, uint64_t to)
{
	struct softpt_symbol sym;

	if (!t->left || !t->frames || to == t->left_from || to == t->left_behind ||
	    to == interrupted_at(t))
		return false;
	symbols_find(t->process->symbols, to, &sym);
	return sym.name && sym.start == to;
}

/* Back from the kernel, or at the begin */
static void begin(struct flow_lanes *w, struct flow_lane *l)
{
	struct softpt_flow_thread *t = l->thread;
	struct flow_frame frame = { .ip = l->step.to, .interrupted = interrupted_at(t) };
	bool first = !t->frames;	/* or a program that was executed */

	frame.handler = is_handler(t, l->step.to);
	kernel_tell_back(w, l);
	back_from_kernel(w, l);
	if (first || frame.handler)
		flow_calls_push(w, l, &frame);
	else if (t->lost)
		flow_calls_settle(w, l);
	if (first || frame.handler || !t->left)
		flow_calls_begin(w, l);
	t->came = l->step.to;
	t->came_executed = t->executed;
	t->left = false;
	t->lost = false;
}

/* Steps that wait have notes of blocks, which may be gone when code changes, or go on beyond it. */
static void forget_code(struct flow_lanes *w)
{
	unsigned int i;

	for (i = 0; i < w->nr; i++) {
		w->lane[i].step.note = NULL;
		if (w->lane[i].walk)
			flow_walk_cut(w->lane[i].walk);
	}
}

/* Of memory */
static void run_out(struct flow_lanes *w)
{
	w->no_memory = true;
	w->enough = true;
}

/* Who runs there, and what code. Return: false without memory, or where nobody is known */
static bool find_thread(struct flow_lanes *w, struct flow_lane *l)
{
	int told;

	flow_lanes_settle(w, w->path->in, l->when.tsc);
	told = flow_processes_until(w->processes, l->when.tsc);
	if (told) {
		forget_code(w);
		flow_lanes_go_on(w);
	}
	w->no_memory = told < 0;
	l->thread = w->no_memory ? NULL : flow_processes_on(w->processes, l->stream);
	if (l->thread) {
		flow_lane_set(w, l);
		return true;
	}
	run_out(w);
	return false;
}

static void come(struct flow_lanes *w, struct flow_lane *l)
{
	struct softpt_flow_row row = { .event = SOFTPT_FLOW_ON, .ip = l->step.to };
	int came;

	if (!find_thread(w, l))
		return;
	l->on = true;
	/* Amid code that is not known either: it is lost still. */
	if (l->step.resumed && !code_image_has(l->thread->process->code, l->step.to))
		return;
	came = flow_slice_come(&w->path->slice, l);
	if (came < 0)
		run_out(w);
	if (came)
		return;
	flow_put_row(w, l, &row);
	begin(w, l);
}

/* It has done nothing since it came: the last instruction is that before. */
static bool is_idle(const struct softpt_flow_thread *t)
{
	return t->came && t->executed == t->came_executed;
}

static void go(struct flow_lanes *w, struct flow_lane *l)
{
	struct softpt_flow_row row = { .event = SOFTPT_FLOW_OFF };
	const bool idle = is_idle(l->thread);

	kernel_tell_leave(w, l);
	l->on = false;
	l->thread->left = true;
	l->thread->left_at = l->when;
	l->thread->left_from = idle ? l->thread->came : l->step.from;
	l->thread->left_behind = l->step.behind;
	flow_put_row(w, l, &row);
}

static void other(struct flow_lanes *w, struct flow_lane *l)
{
	struct softpt_flow_row row = {
		.event = SOFTPT_FLOW_LOST, .ip = l->step.from, .depth = flow_depth(l->thread),
		.offset = l->step.offset,
	};

	if (l->step.kind == FLOW_OVERFLOW)
		row.event = SOFTPT_FLOW_OVERFLOW;
	else if (!w->path->totals.unknown++)
		w->first = l->step;
	w->path->totals.lost++;
	l->thread->left = false;	/* it may have come and gone meanwhile */
	l->thread->lost = true;
	flow_put_row(w, l, &row);
}

/* What a transaction called has not happened: the thread is where it was before. */
static void abort_transaction(struct flow_lanes *w, struct flow_lane *l)
{
	struct softpt_flow_thread *t = l->thread;
	struct softpt_flow_row row = { .event = SOFTPT_FLOW_ABORT, .ip = l->step.to };

	if (t->frames > t->kept) {
		t->frames = t->kept;
		t->beyond = 0;
	}
	row.depth = flow_depth(t);
	flow_put_row(w, l, &row);
}

static void interrupt(struct flow_lanes *w, struct flow_lane *l)
{
	struct softpt_flow_row row = {
		.event = SOFTPT_FLOW_INTERRUPT, .ip = l->step.to, .depth = flow_depth(l->thread),
	};

	flow_put_row(w, l, &row);
}

/* ---- instructions ---- */

static void block(struct flow_lanes *w, const struct flow_lane *l)
{
	struct softpt_flow_row row = {
		.event = SOFTPT_FLOW_BLOCK, .ip = l->step.start, .depth = flow_depth(l->thread),
		.instructions = l->step.instructions, .bytes = l->step.behind - l->step.start,
		.undone = l->step.undone_instructions, .when = l->before,
	};

	row.is_branch = l->step.kind == FLOW_JUMP || l->step.kind == FLOW_CALL ||
			l->step.kind == FLOW_RETURN;
	if (row.is_branch)
		row.to = l->step.to;
	if (l->step.instructions && l->step.kind != FLOW_INSN)
		flow_put_row(w, l, &row);
}

static void insn(struct flow_lanes *w, const struct flow_lane *l)
{
	struct softpt_flow_row row = {
		.event = SOFTPT_FLOW_INSN, .ip = l->step.from, .depth = flow_depth(l->thread),
		.code = l->step.raw, .size = l->step.size, .bits = l->step.bits,
		.is_branch = l->step.kind != FLOW_INSN, .to = l->step.to,
	};

	flow_put_row(w, l, &row);
}

static void ptwrite(struct flow_lanes *w, const struct flow_lane *l)
{
	struct softpt_flow_row row = {
		.event = SOFTPT_FLOW_PTW, .ip = l->step.from, .depth = flow_depth(l->thread) + 1,
		.value = l->step.value,
	};

	flow_put_row(w, l, &row);
}

/* Also behind the end: it belongs to no thread. */
static void put_count(void *ctx, struct flow_process *process, const struct code_run *run)
{
	struct flow_lanes *w = ctx;
	const struct softpt_flow_thread nobody = { .pid = process->pid, .process = process };
	const struct softpt_flow_row row = {
		.event = SOFTPT_FLOW_COUNT, .cpu = -1, .pid = process->pid, .comm = nobody.comm,
		.thread = &nobody, .ip = run->addr, .from = run->last,
		.instructions = run->insns, .bytes = run->end - run->addr, .times = run->times,
		.taken = run->taken,
	};

	if (!w->enough)
		w->enough = !w->row(w->context, &row);
}

/* What a walk that does not count itself has come to */
static void count_step(struct flow_lanes *w, const struct flow_lane *l)
{
	const struct flow_step *s = &l->step;

	if (s->instructions && s->kind != FLOW_INSN)
		put_count(w, l->thread->process, &(struct code_run){
			.addr = s->start, .last = s->from, .end = s->from + s->size,
			.insns = s->instructions, .times = 1,
			.taken = s->kind == FLOW_JUMP && s->taken,
		});
}

static void tell_branch(struct flow_lanes *w, const struct flow_lane *l)
{
	struct softpt_flow_row row = {
		.event = SOFTPT_FLOW_BRANCH, .from = l->step.from, .ip = l->step.to,
		.depth = flow_depth(l->thread),
	};

	flow_put_row(w, l, &row);
}

static void branch(struct flow_lanes *w, const struct flow_lane *l)
{
	if (flow_wants(w, SOFTPT_FLOW_INSN))
		insn(w, l);
	if (l->step.taken && flow_wants(w, SOFTPT_FLOW_BRANCH))
		tell_branch(w, l);
}

/* ---- the lanes ---- */

/* The trace ends, and the thread runs. */
static void end(struct flow_lanes *w)
{
	struct softpt_flow_row row;
	unsigned int i;

	for (i = 0; i < w->nr; i++) {
		const struct flow_lane *l = &w->lane[i];

		row = (struct softpt_flow_row){ .event = SOFTPT_FLOW_END };
		if (!l->thread || !l->on || l->thread->left)
			continue;
		row.depth = flow_depth(l->thread);
		flow_put_row(w, l, &row);
	}
}

/* Packets were lost: another thread may run behind them. */
static void overflow(struct flow_lanes *w, struct flow_lane *l)
{
	other(w, l);
	if (!find_thread(w, l))
		return;
	l->thread->left = false;
	if (!l->step.to || !l->thread->frames)
		return;
	l->thread->lost = false;
	if (flow_calls_settle(w, l))
		flow_calls_begin(w, l);
}

static void take_step(struct flow_lanes *w, struct flow_lane *l)
{
	if (l->thread && flow_wants(w, SOFTPT_FLOW_BLOCK))
		block(w, l);
	if (l->thread && flow_wants(w, SOFTPT_FLOW_COUNT) && !flow_walk_counts(l->walk))
		count_step(w, l);
	if (l->step.kind == FLOW_BEGIN) {
		come(w, l);
		return;
	}
	if (!l->thread)
		l->thread = flow_processes_on(w->processes, l->stream);
	if (!l->thread)
		return;
	l->thread->executed += l->step.instructions;
	if (!l->step.undone || l->step.branches)
		l->thread->kept = l->thread->frames;
	if (l->step.aborted)
		abort_transaction(w, l);
	switch (l->step.kind) {
	case FLOW_END:
		go(w, l);
		return;
	case FLOW_CALL:
		branch(w, l);
		flow_calls_call(w, l);
		return;
	case FLOW_RETURN:
		branch(w, l);
		flow_calls_return(w, l);
		return;
	case FLOW_JUMP:
		branch(w, l);
		flow_calls_jump(w, l);
		return;
	case FLOW_INSN:
		insn(w, l);
		return;
	case FLOW_PTWRITE:
		ptwrite(w, l);
		return;
	case FLOW_CUT:
		return;
	case FLOW_INTERRUPT:
		if (!l->step.aborted)
			interrupt(w, l);
		return;
	case FLOW_OVERFLOW:
		overflow(w, l);
		return;
	default:
		other(w, l);
	}
}

static bool comes_itself(const void *ctx, uint32_t tid)
{
	const struct flow_lanes *w = ctx;
	unsigned int i;

	for (i = 0; i < w->nr; i++)
		if (w->lane[i].more && (uint32_t)w->lane[i].stream->tid == tid)
			return true;
	return false;
}

/*
 * What threads did whose streams are not walked, if it may have been before the step: the step may
 * lead into what they mapped. What the others have done is told when they are back.
 */
static void tell_others(struct flow_lanes *w, const struct flow_lane *l)
{
	const uint64_t until = l->when.bounded ? l->when.max : l->when.tsc;
	const int told = flow_processes_others(w->processes, until, comes_itself, w);

	if (told)
		forget_code(w);
	if (told < 0)
		run_out(w);
}

static void advance(struct flow_lanes *w, struct flow_lane *l)
{
	if (l->step.kind != FLOW_PTWRITE && l->step.kind != FLOW_STRIDE)
		l->before = l->when;
	if (l->kernel) {
		l->more = kernel_events_next(l->kernel, &l->event);
		l->when = l->event.when;
		return;
	}
	l->more = flow_lane_next(l);
	if (l->points)
		flow_slice_pass(&w->path->slice, l);
	if (!l->more)
		return;
	if (l->step.kind != FLOW_STRIDE)
		l->when = l->step.when;
	else if (w->nr > 1)
		flow_stride_begin(l);
	if (w->needs && l->thread)
		tell_others(w, l);
}

/* The lane whose step comes next, but for @but */
static struct flow_lane *earliest(struct flow_lanes *w, const struct flow_lane *but)
{
	struct flow_lane *best = NULL;
	unsigned int i;

	for (i = 0; i < w->nr; i++)
		if (w->lane[i].more && &w->lane[i] != but &&
		    (!best || flow_is_before(&w->lane[i], w->lane[i].when.tsc, best)))
			best = &w->lane[i];
	return best;
}

static void count(struct softpt_flow_totals *totals, const struct flow_lane *l)
{
	uint64_t widest = l->step.widest;

	totals->instructions += l->step.instructions;
	totals->undone += l->step.undone_instructions;
	totals->branches += l->step.branches;
	if (l->step.kind != FLOW_INSN && l->step.kind != FLOW_PTWRITE && l->step.kind != FLOW_CUT) {
		totals->branches++;
		if (l->step.packet != FLOW_NO_PACKET && flow_bound(&l->when) > widest)
			widest = flow_bound(&l->when);
	}
	if (widest > totals->widest)
		totals->widest = widest;
}

/* Return: whether all of the step is taken: of a stride what comes behind @next is not */
static bool take(struct flow_lanes *w, struct flow_lane *l, const struct flow_lane *next)
{
	if (l->kernel) {
		kernel_tell(w, l);
		return true;
	}
	if (l->step.kind == FLOW_STRIDE)
		return flow_stride_take(w, l, next);
	count(&w->path->totals, l);
	take_step(w, l);
	return true;
}

static void follow(struct flow_lanes *w)
{
	struct flow_lane *l, *next;

	for (l = earliest(w, NULL); l && !w->enough; l = next) {
		next = earliest(w, l);
		while (l->more && !w->enough && (!next || flow_is_before(l, l->when.tsc, next)) &&
		       take(w, l, next))
			advance(w, l);
		if (l->walk && !l->ahead)
			flow_walk_keep(l->walk);
	}
	end(w);
}

static int no_memory(const struct flow_path *path)
{
	return error_tell(path->errors, path->in->path, -ENOMEM, "out of memory");
}

static enum flow_level level_of(const struct flow_lanes *w)
{
	if (flow_wants(w, SOFTPT_FLOW_INSN))
		return FLOW_INSNS;
	if (flow_wants(w, SOFTPT_FLOW_BRANCH) || flow_wants(w, SOFTPT_FLOW_BLOCK))
		return FLOW_STRIDES;
	return w->wanted == 1u << SOFTPT_FLOW_COUNT ? FLOW_COUNTS : FLOW_CALLS;
}

static int open_lane(struct flow_lanes *w, unsigned int i)
{
	const struct flow_path *path = w->path;
	const struct input_stream *stream = &path->in->streams[i];
	struct flow_lane *l = &w->lane[w->nr];

	if (!stream->len || (w->needs && !w->needs[i]) || flow_slice_is_past(&path->slice, i))
		return 0;
	l->stream = stream;
	if (kernel_events_are(path->in, stream))
		l->kernel = kernel_events_new(path->in, stream);
	else
		l->walk = flow_walk_new(stream, path->in, level_of(w),
					flow_wants(w, SOFTPT_FLOW_COUNT));
	if (!l->walk && !l->kernel)
		return no_memory(path);
	flow_lane_open(w, path->in, l);
	w->kernel |= !l->walk;
	w->nr++;
	flow_slice_begin(&path->slice, path->in, l, i);
	advance(w, l);
	return 0;
}

static void free_lane(struct flow_lane *l)
{
	flow_lane_close(l);
	kernel_events_free(l->kernel);
}

static int walk(struct flow_lanes *w)
{
	const struct input *in = w->path->in;
	unsigned int i;
	int err = 0;

	w->path->many = flow_processes_many(w->processes);
	w->needs = flow_slice_needs(&w->path->slice, in);
	if (level_of(w) == FLOW_CALLS && !w->path->slice.index)	/* whose points are of one walk */
		flow_lanes_open(w, in, w->path->threads);
	for (i = 0; i < in->nr && !err; i++)
		err = open_lane(w, i);
	if (!err)
		follow(w);
	if (!err && flow_wants(w, SOFTPT_FLOW_COUNT))
		flow_processes_ran(w->processes);
	if (w->no_memory)
		err = no_memory(w->path);
	else if (!err && w->path->totals.unknown)
		err = error_tell_at(w->path->errors, in->path, -EILSEQ, w->first.offset, "%s%s",
				    w->first.error, w->path->totals.unknown > 1 ?
				    " (the first of what is lost)" : "");
	for (i = 0; i < in->nr; i++)
		free_lane(&w->lane[i]);
	flow_lanes_close(w);
	return err;
}

int flow_path_check(const struct flow_path *path)
{
	if (!path->in->perf)
		return error_tell(path->errors, path->in->path, -EINVAL,
				  "raw packets don't say what program ran (softpt record does)");
	if (!flow_followed(path->in->perf))
		return error_tell(path->errors, path->in->path, -EINVAL,
				  "no program's path is in it, but what the system did (softpt decode)");
	return 0;
}

/* What is asked for comes before what an archive has. */
static const char *root_of(const struct flow_path *path)
{
	return *path->root || !path->in->root ? path->root : path->in->root;
}

int flow_path_walk(struct flow_path *path)
{
	struct flow_lanes w = {
		.path = path, .wanted = path->wanted, .row = path->row, .context = path->context,
		.stride = path->stride, .totals = &path->totals,
	};
	int err = flow_path_check(path);

	if (err)
		return err;
	path->totals = (struct softpt_flow_totals){ 0 };
	w.processes = flow_processes_new(path->in->perf, root_of(path), path->errors);
	w.lane = calloc(path->in->nr + 1, sizeof(*w.lane));
	if (w.processes && flow_wants(&w, SOFTPT_FLOW_COUNT))
		flow_processes_count(w.processes, put_count, &w);
	err = w.processes && w.lane ? walk(&w) : no_memory(path);
	if (path->end && (!err || err == -EILSEQ))
		path->end(path->context);
	free(w.needs);
	free(w.lane);
	flow_processes_free(w.processes);
	return err;
}
