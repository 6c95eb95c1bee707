// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the records of a translated thread mean: the events that a stepper would give
 * (ptrace.c). Nothing in the shared file is believed: the program may write to it.
 */
#include <errno.h>
#include <string.h>

#include <softpt/packets.h>

#include "../../../kmod/x86/decode.h"
#include "source/fuse.h"
#include "source/runs.h"
#include "source/translate.h"
#include "sim/sim.h"

#define KERNEL	0	/* the address, as far as the unit is concerned */

static const uint16_t event_of[] = {
	[SOFTPT_X86_JCC]	= SOFTPT_EV_JCC,
	[SOFTPT_X86_LOOP]	= SOFTPT_EV_JCC,
	[SOFTPT_X86_JMP]	= SOFTPT_EV_JMP,
	[SOFTPT_X86_CALL]	= SOFTPT_EV_CALL,
	[SOFTPT_X86_IJMP]	= SOFTPT_EV_IJMP,
	[SOFTPT_X86_ICALL]	= SOFTPT_EV_ICALL,
	[SOFTPT_X86_RET]	= SOFTPT_EV_RET,
	[SOFTPT_X86_SHORT]	= 0,
};

static uint64_t address(const struct xl_unit *u, uint32_t number)
{
	return softpt_xl_address(u->runs->process->far, number);
}

/* Where a step begins; 0: there is none */
static uint64_t addr_at(const struct xl_unit *u, uint32_t i)
{
	struct softpt_xl_step step;

	return xl_step_at(u->runs->process, i, &step) ? address(u, step.addr) : 0;
}

/* ---- events ---- */

/* What the unit refuses means nothing: a time that runs backwards, or no number of a thing. */
static void latch(struct xl_unit *u, int err)
{
	u->err = err == -EINVAL || err == -ERANGE || err == -EFBIG ? -EBADMSG : err;
}

static void send(struct xl_unit *u, struct softpt_event *ev)
{
	const char *why;

	if (u->outside)
		return;
	ev->tsc = u->model ? u->cycles : u->now;
	if (!u->err)
		latch(u, sim_event(u->sim, ev, &why));
}

static void send_transfer(struct xl_unit *u, uint16_t kind, uint64_t ip, uint64_t target,
			  uint8_t cpl)
{
	struct softpt_event ev = { .kind = kind, .ip = ip, .target = target, .cpl = cpl };

	send(u, &ev);
}

static void send_branch(struct xl_unit *u, uint8_t kind, uint64_t ip, uint8_t len, bool taken,
			uint64_t target)
{
	struct softpt_event ev = {
		.kind = event_of[kind], .ip = ip, .target = target, .len = len, .cpl = 3,
	};

	if (ev.kind == SOFTPT_EV_JCC) {
		ev.flags = SOFTPT_EVF_TARGET | (taken ? SOFTPT_EVF_TAKEN : 0);
		u->branches++;
	}
	send(u, &ev);
}

/* A trigger event, where the thread is now */
static void send_mark(struct xl_unit *u, struct xl_mark *mark)
{
	struct softpt_event trig = { .kind = SOFTPT_EV_TRIG, .arg = mark->bits };
	struct softpt_event psb = { .kind = SOFTPT_EV_PSB };

	if (mark->bits)
		send(u, &trig);
	if (mark->psb)
		send(u, &psb);
	*mark = (struct xl_mark){ .bits = 0 };
}

/* What is known now: where the last indirect branch went */
static void arrive(struct xl_unit *u, uint64_t at)
{
	uint8_t kind = u->kind;

	u->kind = SOFTPT_X86_OTHER;
	if (kind != SOFTPT_X86_OTHER)
		send_branch(u, kind, u->ip, u->len, false, at);
	send_mark(u, &u->late);
}

/* Trigger events of a step, when it is @behind the thread or when the thread has come there */
static void send_marks(struct xl_unit *u, uint32_t step, bool behind)
{
	unsigned int i;

	for (i = 0; i < u->nr_marks; i++) {
		if (u->mark[i].step != step || u->mark[i].behind != behind)
			continue;
		if (!behind || u->kind == SOFTPT_X86_OTHER) {
			send_mark(u, &u->mark[i]);
			continue;
		}
		u->late.bits |= u->mark[i].bits;
		u->late.psb |= u->mark[i].psb;
		u->mark[i] = (struct xl_mark){ .bits = 0 };
	}
}

/* All that are left */
static void send_last_marks(struct xl_unit *u)
{
	unsigned int i;

	send_mark(u, &u->late);
	for (i = 0; i < u->nr_marks; i++)
		send_mark(u, &u->mark[i]);
}

/* The time of what was before: none of it is later, and nothing behind it earlier. */
static void anchor(struct xl_unit *u, uint64_t tsc)
{
	if (tsc > u->now)
		u->now = tsc;
	if (u->model || u->err || u->outside)
		return;
	latch(u, sim_anchor(u->sim, u->now));
}

static void leave_user(struct xl_unit *u, uint16_t kind, uint64_t ip, uint64_t tsc)
{
	anchor(u, tsc);
	send_transfer(u, kind, ip, KERNEL, 0);
	anchor(u, tsc);
	u->in_kernel = true;
}

static void call_kernel(struct xl_unit *u, uint64_t number, uint64_t tsc)
{
	struct softpt_event ev = {
		.kind = SOFTPT_EV_EVD, .arg = number, .arg2 = SOFTPT_EVD_CALL,
	};

	if (u->numbers)
		send(u, &ev);
	leave_user(u, SOFTPT_EV_FAR, u->ip, tsc);
}

static void enter_user(struct xl_unit *u, uint64_t to, uint64_t tsc)
{
	if (tsc > u->now)
		u->now = tsc;
	send_transfer(u, SOFTPT_EV_FAR, KERNEL, to, 3);
	u->in_kernel = false;
}

/* ---- records ---- */

/* All of a step; its last branch is @taken, and goes to @next. 0: that is not known yet */
static void do_step(struct xl_unit *u, const struct softpt_xl_step *s, bool taken, uint64_t next)
{
	const uint64_t last = address(u, s->last);
	const uint64_t target = address(u, s->target);

	u->cycles += s->insns;
	switch (s->kind) {
	case SOFTPT_X86_JCC:
	case SOFTPT_X86_LOOP:
		send_branch(u, s->kind, last, s->len, taken, taken ? target : last + s->len);
		break;
	case SOFTPT_X86_JMP:
	case SOFTPT_X86_CALL:
		send_branch(u, s->kind, last, s->len, true, target);
		break;
	case SOFTPT_X86_SYSCALL:
		u->ip = last;
		break;
	case SOFTPT_X86_IJMP:
	case SOFTPT_X86_ICALL:
	case SOFTPT_X86_RET:
		u->kind = s->kind;
		u->ip = last;
		u->len = s->len;
		if (next)
			arrive(u, next);
		break;
	}
}

static void do_steps(struct xl_unit *u, uint32_t first, uint32_t n, bool last_taken, bool whole)
{
	struct softpt_xl_step s;
	uint64_t next;
	uint32_t i;

	if (n > SOFTPT_XL_PATH)
		u->err = -EBADMSG;
	for (i = 0; i < n && !u->err; i++) {
		if (!xl_step_at(u->runs->process, first + i, &s)) {
			u->err = -EBADMSG;
			return;
		}
		if (!i)
			arrive(u, address(u, s.addr));
		send_marks(u, i, false);
		next = i + 1 < n || !whole ? addr_at(u, first + i + 1) : 0;
		do_step(u, &s, i + 1 == n && whole ? last_taken : s.taken, next);
		send_marks(u, i, true);
	}
}

/* ---- the same in bulk, where all of it has one time ---- */

/* What do_step() leaves of the last exit */
static void leave_bulk(struct xl_unit *u, uint32_t record, uint32_t known)
{
	struct softpt_xl_exit x;

	u->kind = SOFTPT_X86_OTHER;
	if (!xl_exit_at(u->runs->process, record, known, &x))
		return;
	u->ip = address(u, x.last);
	u->len = x.len;
	if (xl_end_of(x.kind))
		u->kind = x.kind;
}

/* Return: the first record that was not done */
static const uint32_t *in_bulk(struct xl_unit *u, const uint32_t *from, const uint32_t *to,
			       uint32_t known)
{
	struct softpt_runs r = {
		.run = u->runs->run, .op = u->runs->op, .bytes = u->runs->bytes,
		.back = u->ip + u->len, .end = xl_end_of(u->kind),
	};
	struct xl_batch batch;
	struct softpt_engine *e;
	struct softpt_sink s;
	uint32_t done;

	e = sim_bulk(u->sim, &s, &u->err);
	if (u->err || !softpt_engine_takes_runs(e, u->now, &s))
		return from;
	xl_fuse(u->runs, from, to, known, &batch);
	r.nr = batch.nr;
	done = softpt_engine_run(e, u->now, &r, batch.run, batch.n, &s);
	sim_bulk_end(u->sim, &s);
	u->branches += r.branches;
	u->cycles += r.insns;
	if (!done)
		return from;
	from += xl_batch_exits(&batch, done);
	leave_bulk(u, from[-1], known);
	return from;
}

/* Return: whether the run of an exit was made just now */
static bool make_run(struct xl_unit *u, uint32_t record, uint32_t known)
{
	return record < known && !u->runs->run[record].most &&
	       xl_runs_make(u->runs, record, known);
}

/* One record or more, at one time. Return: the first that was not done */
static const uint32_t *take_exits(struct xl_unit *u, const uint32_t *from, const uint32_t *to,
				  uint32_t known)
{
	const bool single = u->model || u->nr_marks;
	const uint32_t *next = single ? from : in_bulk(u, from, to, known);
	struct softpt_xl_exit x;

	if (next != from || u->err || (!single && make_run(u, *from, known)))
		return next;
	if (xl_exit_at(u->runs->process, *from, known, &x))
		do_steps(u, x.first, x.nsteps, x.taken, true);
	else
		u->err = -EBADMSG;
	return from + 1;
}

const uint32_t *xl_unit_exits(struct xl_unit *u, const uint32_t *from, const uint32_t *to)
{
	const uint32_t *next;
	uint32_t known;

	if (!u->sim)
		return from;
	known = __atomic_load_n(&u->runs->process->exits, __ATOMIC_ACQUIRE);
	if (known > SOFTPT_XL_EXITS)
		known = SOFTPT_XL_EXITS;
	xl_runs_look(u->runs);
	for (; u->outside && from < to && *from != SOFTPT_XL_ESCAPE; from++)
		u->over = 0;
	for (; from < to && *from != SOFTPT_XL_ESCAPE && !u->err; from = next) {
		next = take_exits(u, from, u->over ? from + 1 : to, known);
		if (next == from || !u->over)
			continue;
		anchor(u, u->over);
		u->over = 0;
	}
	return from;
}

/* So many steps, and instructions of the next, were done before @e->from. */
static void do_part(struct xl_unit *u, const struct softpt_xl_escape *e)
{
	uint64_t addr = addr_at(u, e->first + e->steps);

	if (!e->steps && !e->insns && !e->first)
		return;
	if (!addr) {
		u->err = -EBADMSG;
		return;
	}
	do_steps(u, e->first, e->steps, false, false);
	if (!e->steps)
		arrive(u, addr);
	u->cycles += e->insns;
}

/* PTWRITE, which the last exit has ended with */
static void write_value(struct xl_unit *u, const struct softpt_xl_escape *e)
{
	struct softpt_event ev = {
		.kind = SOFTPT_EV_PTW, .ip = e->from, .arg = e->to, .flags = SOFTPT_EVF_IP,
	};

	if (!u->in_kernel)
		send(u, &ev);
	send_last_marks(u);
}

/* A signal: at an instruction, or on the way back from a system call */
static void signalled(struct xl_unit *u, const struct softpt_xl_escape *e)
{
	if (e->flags & SOFTPT_XL_UNDONE) {
		if (u->kind != SOFTPT_X86_OTHER)
			u->cycles--;
		u->kind = SOFTPT_X86_OTHER;
	} else if (!u->in_kernel) {
		do_part(u, e);
		arrive(u, e->from);
	}
	send_last_marks(u);
	if (e->what == SOFTPT_XL_GO_ON && !u->in_kernel)
		return;
	if (!u->in_kernel && e->flags & SOFTPT_XL_TRAPPED)
		leave_user(u, SOFTPT_EV_FAR, e->from - 1, e->tsc);
	else if (!u->in_kernel)
		leave_user(u, SOFTPT_EV_INTR, e->from, e->tsc);
	if (e->to)
		enter_user(u, e->to, e->tsc);
}

static void trace_on(struct xl_unit *u, uint64_t at)
{
	struct softpt_event enable = { .kind = SOFTPT_EV_ENABLE, .ip = at };

	u->outside = false;
	u->kind = SOFTPT_X86_OTHER;
	send(u, &enable);
}

static void trace_off(struct xl_unit *u, uint64_t at, uint64_t tsc)
{
	struct softpt_event disable = {
		.kind = SOFTPT_EV_DISABLE, .ip = at, .flags = SOFTPT_EVF_IP,
	};

	arrive(u, at);
	anchor(u, tsc);
	send(u, &disable);
	anchor(u, tsc);
	u->outside = true;
}

/* Return: whether a call that begins is recorded */
static bool wants_call(struct xl_calls *c)
{
	const bool turn = !c->every || c->begun % c->every == 0;

	c->begun++;
	return turn && (!c->most || c->taken < c->most);
}

static void end_call(struct xl_unit *u, uint64_t at, uint64_t tsc)
{
	u->in_call = false;
	if (u->outside)
		return;
	trace_off(u, at, tsc);
	u->calls->open--;
	if (u->calls->over && !u->err)
		u->calls->over(u);
}

/*
 * A call begins: another one, unless it is within the one that the thread is in. That one has ended
 * without a return if the stack is where it was, or above.
 */
static void enter_door(struct xl_unit *u, const struct softpt_xl_escape *e)
{
	if (u->in_call && (e->to < u->inside ||
			   (e->to == u->inside && !(e->flags & SOFTPT_XL_CALLED))))
		return;
	if (!u->calls) {
		u->err = -EBADMSG;
		return;
	}
	if (u->in_call)
		end_call(u, e->from, e->tsc);
	u->in_call = true;
	u->inside = e->to;
	u->entered = e->tsc;
	if (u->err || !wants_call(u->calls))
		return;
	u->calls->taken++;
	u->calls->open++;
	anchor(u, e->tsc);
	trace_on(u, e->from);
}

/* The return address is no more on the stack of the call that has ended. */
static void leave_door(struct xl_unit *u, const struct softpt_xl_escape *e)
{
	if (u->in_call && (e->to > u->inside || e->flags & SOFTPT_XL_STOPPED))
		end_call(u, e->from, e->tsc);
}

void xl_unit_escape(struct xl_unit *u, const struct softpt_xl_escape *e)
{
	if (u->err || !u->sim)
		return;
	switch (e->what) {
	case SOFTPT_XL_CALL:
		send_last_marks(u);
		if (!u->in_kernel)
			call_kernel(u, e->from, e->tsc);
		break;
	case SOFTPT_XL_RETURN:
		if (u->in_kernel)
			enter_user(u, e->to, e->tsc);
		break;
	case SOFTPT_XL_TIME:
		u->over = e->tsc;
		break;
	case SOFTPT_XL_VALUE:
		write_value(u, e);
		break;
	case SOFTPT_XL_DOOR:
		enter_door(u, e);
		break;
	case SOFTPT_XL_BACK:
		leave_door(u, e);
		break;
	case SOFTPT_XL_THREAD:
	case SOFTPT_XL_END:
		break;
	case SOFTPT_XL_GO_ON ... 64:
		signalled(u, e);
		break;
	default:
		u->err = -EBADMSG;
	}
}

void xl_unit_begin(struct xl_unit *u, uint64_t to, uint64_t tsc)
{
	struct softpt_event mode = { .kind = SOFTPT_EV_MODE, .arg = 64 };
	struct softpt_event cpl = { .kind = SOFTPT_EV_CPL, .cpl = 3 };
	struct softpt_event enable = { .kind = SOFTPT_EV_ENABLE, .ip = to };

	const bool outside = u->outside;

	u->now = tsc;
	u->outside = false;
	send(u, &mode);
	send(u, &cpl);
	u->outside = outside;
	send(u, &enable);
}

/* Its place is known only in the kernel's case. */
void xl_unit_end(struct xl_unit *u, uint64_t tsc)
{
	struct softpt_event disable = { .kind = SOFTPT_EV_DISABLE };

	if (!u->sim)
		return;
	anchor(u, tsc);
	send(u, &disable);
	if (u->in_call && !u->outside)
		u->calls->open--;
	if (!u->err)
		u->err = sim_finish(u->sim);
}
