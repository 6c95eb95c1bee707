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
	uint32_t n[XL_COUNTS];
	uint8_t kind;
	bool made;
};

struct xl_tally {
	const struct softpt_xl_process *process;
	struct sum *exit;
	uint32_t flushes;	/* of the process, when @exit was begun */
	uint32_t known;		/* exits that were taken are below */
	uint64_t gone[XL_COUNTS];	/* what was counted besides, and before that */
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

static void add(uint64_t to[XL_COUNTS], const struct sum *s, uint64_t times)
{
	unsigned int i;

	for (i = 0; i < XL_COUNTS; i++)
		to[i] += s->n[i] * times;
}

void xl_tally_add(const struct xl_tally *t, uint64_t sum[XL_COUNTS])
{
	uint32_t i;

	for (i = 0; i < t->known; i++)
		add(sum, &t->exit[i], t->exit[i].times);
	for (i = 0; i < XL_COUNTS; i++)
		sum[i] += t->gone[i];
}

/* All descriptions have gone, and numbers mean others from here on. */
static void look_at_flushes(struct xl_tally *t)
{
	const uint32_t flushes = __atomic_load_n(&t->process->flushes, __ATOMIC_ACQUIRE);
	uint32_t i;

	if (flushes == t->flushes)
		return;
	for (i = 0; i < t->known; i++)
		add(t->gone, &t->exit[i], t->exit[i].times);
	memset(t->exit, 0, t->known * sizeof(*t->exit));
	t->known = 0;
	t->flushes = flushes;
}

/* Which count a kind of instruction is of; 0: of none but instructions */
static const uint8_t count_of[] = {
	[SOFTPT_X86_JCC]	= XL_CONDITIONAL,
	[SOFTPT_X86_LOOP]	= XL_CONDITIONAL,
	[SOFTPT_X86_JMP]	= XL_JUMPS,
	[SOFTPT_X86_CALL]	= XL_CALLS,
	[SOFTPT_X86_IJMP]	= XL_INDIRECT_JUMPS,
	[SOFTPT_X86_ICALL]	= XL_INDIRECT_CALLS,
	[SOFTPT_X86_RET]	= XL_RETURNS,
	[SOFTPT_X86_SHORT]	= 0,
};

/* A branch at the end of a step */
static void add_branch(struct sum *s, uint8_t kind, bool taken)
{
	const uint8_t count = kind <= SOFTPT_X86_SHORT ? count_of[kind] : 0;

	if (!count)
		return;
	s->n[count]++;
	s->n[XL_TAKEN] += count == XL_CONDITIONAL && taken;
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
		s->n[XL_INSNS] += step.insns;
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
	struct sum s = { .n = { [XL_INSNS] = 1 } };

	if (record >= t->known || !xl_end_of(t->exit[record].kind))
		return;
	add_branch(&s, t->exit[record].kind, false);
	add(t->gone, &s, -1ull);
}

static int take_escape(struct xl_tally *t, const struct softpt_xl_escape *e, uint32_t last)
{
	struct sum s = { .n = { [XL_INSNS] = e->insns } };
	int err;

	if (e->what == SOFTPT_XL_CALL)
		t->gone[XL_SYSCALLS]++;
	if (e->what > 64)
		return 0;
	if (e->flags & SOFTPT_XL_UNDONE) {
		undo(t, last);
		return 0;
	}
	err = add_steps(t, &s, e->first, e->steps, false, false);
	if (!err)
		add(t->gone, &s, 1);
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
