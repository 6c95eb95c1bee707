// SPDX-License-Identifier: BSD-2-Clause
/*
 * The path of each thread through the traces of all CPUs: steps are taken in the order of time, a
 * thread's functions are stacked as it calls them, and rows are made of both.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "flow/path.h"
#include "flow/process.h"
#include "flow/walk.h"

#define DEPTH_MAX	4096

/* The trace of a CPU, or of a thread, and its next step */
struct lane {
	const struct input_stream *stream;
	struct flow_walk *walk;
	struct flow_step step;
	struct softpt_flow_time when;
	struct softpt_flow_time before;	/* the step before that ended a block */
	struct softpt_flow_thread *thread;
	bool more;
};

struct walk {
	struct flow_path *path;
	struct flow_processes *processes;
	struct lane *lane;
	unsigned int nr;
	struct flow_step first;	/* that lost the way */
	bool enough;
	bool no_memory;
};

static bool wants(const struct walk *w, enum softpt_flow_event event)
{
	return w->path->wanted & 1u << event;
}

static unsigned int depth_of(const struct softpt_flow_thread *t)
{
	return t->frames ? t->frames - 1 : 0;
}

static void put_row(struct walk *w, const struct lane *l, struct softpt_flow_row *row)
{
	if (!wants(w, row->event) || w->enough)
		return;
	row->cpu = l->stream->cpu;
	row->thread = l->thread;
	row->pid = l->thread->pid;
	row->tid = l->thread->tid;
	row->comm = l->thread->comm;
	row->error = l->step.error;
	if (row->event != SOFTPT_FLOW_ABORT && row->event != SOFTPT_FLOW_LOST)
		row->undone |= l->step.undone && row->event != SOFTPT_FLOW_BLOCK;
	if (!row->when.tsc)
		row->when = l->when;
	w->enough = !w->path->row(w->path->context, row);
}

/* ---- functions ---- */

static struct flow_frame *top(const struct softpt_flow_thread *t)
{
	return t->frames ? &t->frame[t->frames - 1] : NULL;
}

static void push(struct walk *w, struct lane *l, struct flow_frame *frame)
{
	struct softpt_flow_thread *t = l->thread;
	struct flow_frame *grown;

	if (t->frames == DEPTH_MAX)
		return;
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
static void leave(struct walk *w, const struct lane *l)
{
	const struct flow_frame *f = top(l->thread);

	if (f->ip && wants(w, SOFTPT_FLOW_RETURN))
		put_row(w, l, &(struct softpt_flow_row){
			.event = SOFTPT_FLOW_RETURN, .ip = f->ip, .depth = depth_of(l->thread),
			.since = f->when,
		});
}

static void pop_to(struct walk *w, const struct lane *l, unsigned int frames)
{
	while (l->thread->frames > frames) {
		leave(w, l);
		l->thread->frames--;
	}
}

static bool enters(const struct softpt_flow_thread *t, uint64_t from, uint64_t to)
{
	struct softpt_symbol a, b;

	symbols_find(t->process->symbols, to, &b);
	if (b.plt)
		return false;
	symbols_find(t->process->symbols, from, &a);
	return (b.name && b.start == to && b.start != a.start) || a.plt;
}

/* The answer is noted where that is possible: it takes longer than the step. */
static bool is_entered(struct lane *l)
{
	uint8_t *note = l->step.note, answer = note ? *note : 0;

	if (!answer)
		answer = enters(l->thread, l->step.from, l->step.to) ? CODE_ENTERS : CODE_STAYS;
	if (note)
		*note = answer;
	return answer == CODE_ENTERS;
}

/* What is called through a stub is known when the stub jumps there. */
static void call(struct walk *w, struct lane *l)
{
	struct flow_frame frame = { .back = l->step.behind, .ip = l->step.to };
	struct softpt_symbol sym;

	w->path->totals.calls++;
	symbols_find(l->thread->process->symbols, l->step.to, &sym);
	if (sym.plt)
		frame.ip = 0;
	push(w, l, &frame);
	if (!sym.plt && wants(w, SOFTPT_FLOW_CALL))
		put_row(w, l, &(struct softpt_flow_row){
			.event = SOFTPT_FLOW_CALL, .ip = l->step.to, .depth = depth_of(l->thread),
		});
}

/* longjmp and the like leave several functions at once; a stray return leaves none. */
static void return_to(struct walk *w, const struct lane *l)
{
	struct softpt_flow_thread *t = l->thread;
	unsigned int i;

	for (i = t->frames; i-- > 0;)
		if (t->frame[i].back == l->step.to) {
			pop_to(w, l, i);
			return;
		}
	if (t->frames && top(t)->handler)
		top(t)->done = true;
}

static void jump(struct walk *w, struct lane *l)
{
	struct softpt_flow_thread *t = l->thread;

	if (!l->step.taken || !is_entered(l))
		return;
	if (t->frames) {
		leave(w, l);
		top(t)->ip = l->step.to;
		top(t)->when = l->when;
	}
	if (wants(w, SOFTPT_FLOW_JUMP))
		put_row(w, l, &(struct softpt_flow_row){
			.event = SOFTPT_FLOW_JUMP, .ip = l->step.to, .depth = depth_of(t),
		});
}

/* ---- other steps ---- */

static void back_from_kernel(struct walk *w, struct lane *l)
{
	struct softpt_flow_thread *t = l->thread;
	struct softpt_flow_row row = {
		.event = SOFTPT_FLOW_KERNEL, .ip = l->step.to, .depth = depth_of(t) + 1,
		.since = t->left_at,
	};

	if (t->left)
		put_row(w, l, &row);
	if (t->frames && top(t)->done)
		pop_to(w, l, t->frames - 1);
}

/* The kernel goes on where it came from, or calls a handler. */
static bool is_handler(const struct softpt_flow_thread *t, uint64_t to)
{
	struct softpt_symbol sym;

	if (!t->left || !t->frames || to == t->left_from || to == t->left_behind)
		return false;
	symbols_find(t->process->symbols, to, &sym);
	return sym.name && sym.start == to;
}

/* Back from the kernel, or at the begin */
static void begin(struct walk *w, struct lane *l)
{
	struct softpt_flow_row row = { .event = SOFTPT_FLOW_BEGIN, .ip = l->step.to };
	struct flow_frame frame = { .ip = l->step.to };
	struct softpt_flow_thread *t = l->thread;
	bool first = !t->frames;	/* or a program that was executed */

	frame.handler = is_handler(t, l->step.to);
	back_from_kernel(w, l);
	if (first || frame.handler)
		push(w, l, &frame);
	row.depth = depth_of(t);
	if (first || frame.handler || !t->left)
		put_row(w, l, &row);
	t->left = false;
}

/* Who runs there, and what code. Return: false without memory, or where nobody is known */
static bool find_thread(struct walk *w, struct lane *l)
{
	w->no_memory = flow_processes_until(w->processes, l->when.tsc);
	l->thread = w->no_memory ? NULL : flow_processes_on(w->processes, l->stream);
	if (l->thread) {
		flow_walk_set_code(l->walk, l->thread->process->code);
		return true;
	}
	w->no_memory = true;
	w->enough = true;
	return false;
}

static void come(struct walk *w, struct lane *l)
{
	struct softpt_flow_row row = { .event = SOFTPT_FLOW_ON, .ip = l->step.to };

	if (!find_thread(w, l))
		return;
	/* Amid code that is not known either: it is lost still. */
	if (l->step.resumed && !code_image_has(l->thread->process->code, l->step.to))
		return;
	put_row(w, l, &row);
	begin(w, l);
}

static void go(struct walk *w, struct lane *l)
{
	struct softpt_flow_row row = { .event = SOFTPT_FLOW_OFF };

	l->thread->left = true;
	l->thread->left_at = l->when;
	l->thread->left_from = l->step.from;
	l->thread->left_behind = l->step.behind;
	put_row(w, l, &row);
}

static void other(struct walk *w, struct lane *l)
{
	struct softpt_flow_row row = {
		.event = SOFTPT_FLOW_LOST, .ip = l->step.from, .depth = depth_of(l->thread),
		.offset = l->step.offset,
	};

	if (l->step.kind == FLOW_OVERFLOW)
		row.event = SOFTPT_FLOW_OVERFLOW;
	else if (!w->path->totals.unknown++)
		w->first = l->step;
	w->path->totals.lost++;
	l->thread->left = false;	/* it may have come and gone meanwhile */
	put_row(w, l, &row);
}

/* What a transaction called has not happened: the thread is where it was before. */
static void abort_transaction(struct walk *w, struct lane *l)
{
	struct softpt_flow_thread *t = l->thread;
	struct softpt_flow_row row = { .event = SOFTPT_FLOW_ABORT, .ip = l->step.to };

	if (t->frames > t->kept)
		t->frames = t->kept;
	row.depth = depth_of(t);
	put_row(w, l, &row);
}

static void interrupt(struct walk *w, struct lane *l)
{
	struct softpt_flow_row row = {
		.event = SOFTPT_FLOW_INTERRUPT, .ip = l->step.to, .depth = depth_of(l->thread),
	};

	put_row(w, l, &row);
}

/* ---- instructions ---- */

static void block(struct walk *w, const struct lane *l)
{
	struct softpt_flow_row row = {
		.event = SOFTPT_FLOW_BLOCK, .ip = l->step.start, .depth = depth_of(l->thread),
		.instructions = l->step.instructions, .bytes = l->step.behind - l->step.start,
		.undone = l->step.undone_instructions, .when = l->before,
	};

	if (l->step.instructions && l->step.kind != FLOW_INSN)
		put_row(w, l, &row);
}

static void insn(struct walk *w, const struct lane *l)
{
	struct softpt_flow_row row = {
		.event = SOFTPT_FLOW_INSN, .ip = l->step.from, .depth = depth_of(l->thread),
		.code = l->step.raw, .size = l->step.size, .bits = l->step.bits,
		.is_branch = l->step.kind != FLOW_INSN, .to = l->step.to,
	};

	put_row(w, l, &row);
}

static void ptwrite(struct walk *w, const struct lane *l)
{
	struct softpt_flow_row row = {
		.event = SOFTPT_FLOW_PTW, .ip = l->step.from, .depth = depth_of(l->thread) + 1,
		.value = l->step.value,
	};

	put_row(w, l, &row);
}

static void tell_branch(struct walk *w, const struct lane *l)
{
	struct softpt_flow_row row = {
		.event = SOFTPT_FLOW_BRANCH, .from = l->step.from, .ip = l->step.to,
		.depth = depth_of(l->thread),
	};

	put_row(w, l, &row);
}

static void branch(struct walk *w, const struct lane *l)
{
	if (wants(w, SOFTPT_FLOW_INSN))
		insn(w, l);
	if (l->step.taken && wants(w, SOFTPT_FLOW_BRANCH))
		tell_branch(w, l);
}

/* ---- the lanes ---- */

/* Packets were lost: another thread may run behind them. */
static void overflow(struct walk *w, struct lane *l)
{
	other(w, l);
	if (find_thread(w, l))
		l->thread->left = false;
}

static void take_step(struct walk *w, struct lane *l)
{
	if (l->thread && wants(w, SOFTPT_FLOW_BLOCK))
		block(w, l);
	if (l->step.kind == FLOW_BEGIN) {
		come(w, l);
		return;
	}
	if (!l->thread)
		l->thread = flow_processes_on(w->processes, l->stream);
	if (!l->thread)
		return;
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
		call(w, l);
		return;
	case FLOW_RETURN:
		branch(w, l);
		return_to(w, l);
		return;
	case FLOW_JUMP:
		branch(w, l);
		jump(w, l);
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

static void advance(struct lane *l)
{
	if (l->step.kind != FLOW_PTWRITE)
		l->before = l->when;
	l->more = flow_walk_next(l->walk, &l->step);
	if (l->more)
		l->when = l->step.when;
}

/* Of lanes at the same time the first comes first. */
static bool is_before(const struct lane *a, const struct lane *b)
{
	return a->when.tsc != b->when.tsc ? a->when.tsc < b->when.tsc : a < b;
}

/* The lane whose step comes next, but for @but */
static struct lane *earliest(struct walk *w, const struct lane *but)
{
	struct lane *best = NULL;
	unsigned int i;

	for (i = 0; i < w->nr; i++)
		if (w->lane[i].more && &w->lane[i] != but &&
		    (!best || is_before(&w->lane[i], best)))
			best = &w->lane[i];
	return best;
}

static void count(struct softpt_flow_totals *totals, const struct lane *l)
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

static void follow(struct walk *w)
{
	struct lane *l, *next;

	for (l = earliest(w, NULL); l; l = next) {
		next = earliest(w, l);
		while (l->more && !w->enough && (!next || is_before(l, next))) {
			count(&w->path->totals, l);
			take_step(w, l);
			advance(l);
		}
		if (w->enough)
			return;
	}
}

static int no_memory(const struct flow_path *path)
{
	return error_tell(path->errors, path->in->path, -ENOMEM, "out of memory");
}

static enum flow_level level_of(const struct walk *w)
{
	if (wants(w, SOFTPT_FLOW_INSN))
		return FLOW_INSNS;
	if (wants(w, SOFTPT_FLOW_BRANCH) || wants(w, SOFTPT_FLOW_BLOCK))
		return FLOW_BRANCHES;
	return FLOW_CALLS;
}

static int open_lane(struct walk *w, const struct input_stream *stream)
{
	const struct flow_path *path = w->path;
	struct lane *l = &w->lane[w->nr];

	if (!stream->len)
		return 0;
	l->stream = stream;
	l->walk = flow_walk_new(stream, path->in, level_of(w));
	if (!l->walk)
		return no_memory(path);
	w->nr++;
	advance(l);
	return 0;
}

static int walk(struct walk *w)
{
	const struct input *in = w->path->in;
	unsigned int i;
	int err = 0;

	w->path->many = flow_processes_many(w->processes);
	for (i = 0; i < in->nr && !err; i++)
		err = open_lane(w, &in->streams[i]);
	if (!err)
		follow(w);
	if (w->no_memory)
		err = no_memory(w->path);
	else if (!err && w->path->totals.unknown)
		err = error_tell_at(w->path->errors, in->path, -EILSEQ, w->first.offset, "%s%s",
				    w->first.error, w->path->totals.unknown > 1 ?
				    " (the first of what is lost)" : "");
	for (i = 0; i < in->nr; i++)
		flow_walk_free(w->lane[i].walk);
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

int flow_path_walk(struct flow_path *path)
{
	struct walk w = { .path = path };
	int err = flow_path_check(path);

	if (err)
		return err;
	path->totals = (struct softpt_flow_totals){ 0 };
	w.processes = flow_processes_new(path->in->perf, path->root, path->errors);
	w.lane = calloc(path->in->nr + 1, sizeof(*w.lane));
	err = w.processes && w.lane ? walk(&w) : no_memory(path);
	free(w.lane);
	flow_processes_free(w.processes);
	return err;
}
