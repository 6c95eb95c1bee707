// SPDX-License-Identifier: BSD-2-Clause
/*
 * Instructions one after another, as events. Where an instruction leads is where the
 * next one is; nothing else is known of the program, neither registers nor signals.
 */
#include <inttypes.h>
#include <string.h>

#include "../../../kmod/x86/branch.h"
#include "source/insns.h"

#define KERNEL	0	/* the address, as far as the unit is concerned */

static void send(struct import_flow *f, struct softpt_event ev)
{
	ev.tsc = f->now;
	if (!f->err)
		f->err = f->send(f->ctx, &ev);
}

static void send_mode(struct import_flow *f, bool long_mode)
{
	f->long_mode = long_mode;
	send(f, (struct softpt_event){ .kind = SOFTPT_EV_MODE, .arg = long_mode ? 64 : 32 });
}

static void send_enable(struct import_flow *f, uint64_t ip)
{
	f->enabled = true;
	send(f, (struct softpt_event){ .kind = SOFTPT_EV_ENABLE, .ip = ip });
}

/* Without @at it is not known how far it has come. */
static void send_disable(struct import_flow *f, const uint64_t *at)
{
	f->enabled = false;
	send(f, (struct softpt_event){
		.kind = SOFTPT_EV_DISABLE, .ip = at ? *at : 0, .flags = at ? SOFTPT_EVF_IP : 0,
	});
}

/* ---- through the kernel ---- */

static void send_syscall(struct import_flow *f)
{
	send(f, (struct softpt_event){
		.kind = SOFTPT_EV_FAR, .ip = f->last.ip, .target = KERNEL,
	});
}

static void send_interrupt(struct import_flow *f)
{
	send(f, (struct softpt_event){
		.kind = SOFTPT_EV_INTR, .ip = f->last.ip, .target = KERNEL,
	});
}

static void send_return(struct import_flow *f, uint64_t next)
{
	send(f, (struct softpt_event){
		.kind = SOFTPT_EV_FAR, .ip = KERNEL, .target = next, .cpl = 3,
	});
}

/* ---- an instruction has run ---- */

/* Where a direct branch leads: the displacement is its last byte, or its last four. */
static uint64_t direct_target(const struct import_step *s)
{
	const uint8_t *end = s->code + s->n;
	int32_t displacement = (int8_t)end[-1];
	uint64_t target;

	if ((s->n >= 5 && (end[-5] & 0xfe) == 0xe8) ||
	    (s->n >= 6 && end[-6] == 0x0f && (end[-5] & 0xf0) == 0x80))
		memcpy(&displacement, end - 4, sizeof(displacement));
	target = s->ip + s->n + displacement;
	return s->long_mode ? target : (uint32_t)target;
}

/* Whether a branch may lead to @next; a direct one has one target, or two. */
static bool may_lead(struct softpt_insn insn, const struct import_step *s, uint64_t next)
{
	switch (insn.kind) {
	case SOFTPT_INSN_JCC:
		return next == s->ip + s->n || next == direct_target(s);
	case SOFTPT_INSN_JMP:
	case SOFTPT_INSN_CALL:
		return next == direct_target(s);
	}
	return true;
}

/* It was interrupted by a signal before or after it ran: a gap says that the log does not tell. */
static void send_gap(struct import_flow *f, uint64_t next)
{
	send_disable(f, &f->last.ip);
	send_enable(f, next);
	f->gaps++;
}

/* REP stays where it is until its count is used up. */
static void run_on(struct import_flow *f, uint64_t next)
{
	if (next == f->last.ip || next == f->last.ip + f->last.n)
		return;
	send_interrupt(f);
	send_return(f, next);
}

static const char *classify(const struct import_step *s, struct softpt_insn *insn)
{
	*insn = softpt_insn_classify(s->code, s->n, s->long_mode);
	if (insn->kind == SOFTPT_INSN_SHORT)
		return "these bytes are only the begin of an instruction";
	if (insn->len && insn->len != s->n)
		return "these bytes are more than one instruction";
	return NULL;
}

/* @f->last leads to @next. */
static const char *retire(struct import_flow *f, uint64_t next)
{
	struct softpt_event ev;
	struct softpt_insn insn;
	const char *why;

	if (!f->last.n) {
		send_interrupt(f);
		send_return(f, next);
		return NULL;
	}
	why = classify(&f->last, &insn);
	if (why)
		return why;
	ev = softpt_branch_event(insn, f->last.ip, next);
	if (insn.kind == SOFTPT_INSN_SYSCALL || insn.kind == SOFTPT_INSN_TRAP) {
		send_syscall(f);
		send_return(f, next);
	} else if (!ev.kind) {
		run_on(f, next);
	} else if (may_lead(insn, &f->last, next)) {
		send(f, ev);
	} else {
		send_gap(f, next);
	}
	return NULL;
}

/* ---- what a log tells ---- */

static void begin(struct import_flow *f, const struct import_step *step)
{
	send_mode(f, step->long_mode);
	send(f, (struct softpt_event){ .kind = SOFTPT_EV_CPL, .cpl = 3 });
	send_enable(f, step->ip);
}

const char *import_flow_step(struct import_flow *f, const struct import_step *step)
{
	const char *why = NULL;

	if (!f->enabled) {
		begin(f, step);
	} else {
		if (step->long_mode != f->long_mode)
			send_mode(f, step->long_mode);
		if (f->pending) {
			why = retire(f, step->ip);
		} else if (step->ip != f->last.ip) {
			send_interrupt(f);
			send_return(f, step->ip);
		}
	}
	f->last = *step;
	f->pending = true;
	f->now += f->ticks;
	return why;
}

bool import_flow_stop(struct import_flow *f, uint64_t ip)
{
	if (!f->pending || f->last.ip != ip)
		return false;
	f->pending = false;
	f->now -= f->ticks;
	return true;
}

/* A program ends in a system call, or is killed wherever it is. */
const char *import_flow_end(struct import_flow *f)
{
	struct softpt_insn insn = { .kind = SOFTPT_INSN_OTHER };
	const char *why = NULL;

	if (f->pending && f->last.n)
		why = classify(&f->last, &insn);
	if (why)
		return why;
	if (insn.kind == SOFTPT_INSN_SYSCALL) {
		send_syscall(f);
		send_disable(f, NULL);
	} else {
		send_disable(f, &f->last.ip);
	}
	return NULL;
}
