// SPDX-License-Identifier: BSD-2-Clause
/*
 * Counts by exits: what an exit means is summed up when it is first taken, and how often it was
 * taken is all that is counted from there on.
 */
#include "source/tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../../../kmod/x86/decode.h"
#include "source/runs.h"

#define ESCAPE_WORDS	(sizeof(struct softpt_xl_escape) / sizeof(uint32_t))

/* An exit: how often, and what it is each time; @kind: of its last instruction */
struct sum {
	uint64_t times;
	uint32_t insns;
	uint16_t conditional;
	uint16_t taken;
	uint16_t jumps;
	uint16_t calls;
	uint16_t returns;
	uint16_t indirect_jumps;
	uint16_t indirect_calls;
	uint8_t kind;
	bool made;
};

struct xl_tally {
	const struct softpt_xl_process *process;
	struct sum *exit;
	uint32_t flushes;	/* of the process, when @exit was begun */
	uint32_t known;		/* exits that were taken are below */
	struct xl_counts gone;	/* what was counted besides, and before that */
};

#define SUMS_SIZE	(SOFTPT_XL_EXITS * sizeof(struct sum))

struct xl_tally *xl_tally_new(const struct softpt_xl_process *process)
{
	struct xl_tally *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->process = process;
	/* Pages are there when something is in them. */
	t->exit = mmap(NULL, SUMS_SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (t->exit != MAP_FAILED)
		return t;
	free(t);
	return NULL;
}

void xl_tally_free(struct xl_tally *t)
{
	if (!t)
		return;
	munmap(t->exit, SUMS_SIZE);
	free(t);
}

static void add(struct xl_counts *to, const struct sum *s, uint64_t times)
{
	to->insns += s->insns * times;
	to->conditional += s->conditional * times;
	to->taken += s->taken * times;
	to->jumps += s->jumps * times;
	to->calls += s->calls * times;
	to->returns += s->returns * times;
	to->indirect_jumps += s->indirect_jumps * times;
	to->indirect_calls += s->indirect_calls * times;
}

void xl_tally_add(struct xl_tally *t, struct xl_counts *sum)
{
	const struct xl_counts *g = &t->gone;
	uint32_t i;

	for (i = 0; i < t->known; i++)
		add(sum, &t->exit[i], t->exit[i].times);
	sum->insns += g->insns;
	sum->conditional += g->conditional;
	sum->taken += g->taken;
	sum->jumps += g->jumps;
	sum->calls += g->calls;
	sum->returns += g->returns;
	sum->indirect_jumps += g->indirect_jumps;
	sum->indirect_calls += g->indirect_calls;
	sum->syscalls += g->syscalls;
}

/* All descriptions have gone, and numbers mean others from here on. */
static void look_at_flushes(struct xl_tally *t)
{
	const uint32_t flushes = __atomic_load_n(&t->process->flushes, __ATOMIC_ACQUIRE);
	struct xl_counts sum = { 0 };

	if (flushes == t->flushes)
		return;
	xl_tally_add(t, &sum);
	t->gone = sum;
	memset(t->exit, 0, t->known * sizeof(*t->exit));
	t->known = 0;
	t->flushes = flushes;
}

/* A branch at the end of a step */
static void add_branch(struct sum *s, uint8_t kind, bool taken)
{
	switch (kind) {
	case SOFTPT_X86_JCC:
	case SOFTPT_X86_LOOP:
		s->conditional++;
		s->taken += taken;
		break;
	case SOFTPT_X86_JMP:
		s->jumps++;
		break;
	case SOFTPT_X86_IJMP:
		s->indirect_jumps++;
		break;
	case SOFTPT_X86_ICALL:
		s->indirect_calls++;
		break;
	case SOFTPT_X86_CALL:
		s->calls++;
		break;
	case SOFTPT_X86_RET:
		s->returns++;
		break;
	}
}

/* @n steps from @first on; the last branch of them is @taken if @whole. Return: 0, -EBADMSG */
static int add_steps(const struct xl_tally *t, struct sum *s, uint32_t first, uint32_t n,
		     bool whole, bool taken)
{
	struct softpt_xl_step step;
	uint32_t i;

	if (n > SOFTPT_XL_PATH)
		return -EBADMSG;
	for (i = 0; i < n; i++) {
		if (!xl_step_at(t->process, first + i, &step))
			return -EBADMSG;
		s->insns += step.insns;
		/* One that leads to the next instruction counts as not taken. */
		add_branch(s, step.kind, (whole && i + 1 == n ? taken : step.taken) &&
			   step.target != step.last + step.len);
	}
	return 0;
}

static int make_sum(struct xl_tally *t, uint32_t number, uint32_t known)
{
	struct sum s = { .made = true };
	struct softpt_xl_exit x;
	int err;

	if (!xl_exit_at(t->process, number, known, &x))
		return -EBADMSG;
	s.kind = x.kind;
	err = add_steps(t, &s, x.first, x.nsteps, true, x.taken);
	t->exit[number] = s;
	if (number >= t->known)
		t->known = number + 1;
	return err;
}

/* The branch at the end of an exit was not done. */
static void undo(struct xl_tally *t, uint32_t record)
{
	struct sum s = { .insns = 1 };

	if (record >= t->known || !xl_end_of(t->exit[record].kind))
		return;
	add_branch(&s, t->exit[record].kind, false);
	add(&t->gone, &s, -1ull);
}

static int take_escape(struct xl_tally *t, const struct softpt_xl_escape *e, uint32_t last)
{
	struct sum s = { .insns = e->insns };
	int err;

	if (e->what == SOFTPT_XL_CALL)
		t->gone.syscalls++;
	if (e->what > 64)
		return 0;
	if (e->flags & SOFTPT_XL_UNDONE) {
		undo(t, last);
		return 0;
	}
	err = add_steps(t, &s, e->first, e->steps, false, false);
	if (!err)
		add(&t->gone, &s, 1);
	return err;
}

int xl_tally_records(struct xl_tally *t, const uint32_t *from, const uint32_t *to,
		     uint32_t *last)
{
	const uint32_t known = __atomic_load_n(&t->process->exits, __ATOMIC_ACQUIRE);
	struct softpt_xl_escape e;
	int err = 0;

	look_at_flushes(t);
	for (; from < to && !err; from++) {
		if (*from != SOFTPT_XL_ESCAPE) {
			*last = *from;
			if (*from >= SOFTPT_XL_EXITS)
				return -EBADMSG;
			if (!t->exit[*from].made)
				err = make_sum(t, *from, known);
			t->exit[*from].times++;
			continue;
		}
		if ((size_t)(to - from) < ESCAPE_WORDS)
			return -EBADMSG;
		memcpy(&e, from, sizeof(e));
		err = take_escape(t, &e, *last);
		from += ESCAPE_WORDS - 1;
	}
	return err;
}
