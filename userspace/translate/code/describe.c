// SPDX-License-Identifier: BSD-2-Clause
/* What the records mean. Descriptions are only appended; counts are stored last. */
#include <linux/mman.h>

#include "../sys.h"
#include "describe.h"
#include "number.h"

struct softpt_xl_process *process;

/* Of the superblock at hand */
static struct {
	u64 bits;
	u32 nbits;
	u32 step;
	u32 op;
	u32 insns;
} open;

static struct softpt_xl_step *steps(void)
{
	return area_at(SOFTPT_XL_STEPS_AT);
}

static struct softpt_xl_op *ops(void)
{
	return area_at(SOFTPT_XL_OPS_AT);
}

static u8 *lens(void)
{
	return area_at(SOFTPT_XL_LENS_AT);
}

/* Counts are the recorder's bounds for what is below them: store after what they count. */
#define APPENDED(count) __atomic_store_n(&(count), (count) + 1, __ATOMIC_RELEASE)

/* The recorder looks at the first @n areas from now on. */
static void count_area(struct softpt_xl_shared *s, u32 n)
{
	u32 taken = READ_ONCE(s->taken);

	while (taken < n && !__atomic_compare_exchange_n(&s->taken, &taken, n, false,
							 __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		;
}

static bool set_state(struct softpt_xl_process *p, u32 from, u32 to)
{
	return __atomic_compare_exchange_n(&p->state, &from, to, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_RELAXED);
}

/* Where the recorder is gone nobody frees areas: one of a process that is gone, too, is taken. */
static bool is_left(struct softpt_xl_shared *s, struct softpt_xl_process *p)
{
	const u32 state = READ_ONCE(p->state), recorder = READ_ONCE(s->recorder);
	u32 i;

	if (state == SOFTPT_XL_STARTING || READ_ONCE(p->forks) ||
	    (recorder && sys(__NR_kill, recorder, 0) != -ESRCH) ||
	    sys(__NR_kill, p->pid, 0) != -ESRCH || !set_state(p, state, SOFTPT_XL_STARTING))
		return false;
	for (i = 0; i < p->slots && i < SOFTPT_XL_THREADS; i++)
		memset((u8 *)p + softpt_xl_words_at(i), 0, sizeof(struct softpt_xl_words));
	return true;
}

static bool is_free(struct softpt_xl_shared *s, struct softpt_xl_process *p)
{
	(void)s;
	return set_state(p, SOFTPT_XL_FREE, SOFTPT_XL_STARTING);
}

/* The first area that @takes takes. Return: whether there is one: @process */
static bool find_area(struct softpt_xl_shared *s,
		      bool (*takes)(struct softpt_xl_shared *s, struct softpt_xl_process *p))
{
	u32 i;

	for (i = 0; i < SOFTPT_XL_PROCESSES; i++) {
		process = (void *)((u8 *)s + softpt_xl_area(i));
		if (!takes(s, process))
			continue;
		count_area(s, i + 1);
		return true;
	}
	return false;
}

void area_take(void *map, u32 parent)
{
	struct softpt_xl_shared *s = map;

	if (!find_area(s, is_free) && !find_area(s, is_left))
		die("more processes than can be recorded at a time", SOFTPT_XL_PROCESSES);
	process->order = __atomic_fetch_add(&s->begun, 1, __ATOMIC_SEQ_CST);
	process->pid = (u32)sys_pid();
	process->parent = parent;
	process->map = (uintptr_t)map;
	process->slots = 0;
	process->exits = 0;
	process->steps = 0;
	process->ops = 0;
	process->lens = 0;
	process->code = 0;
	process->forks = 0;
	process->flushes = 0;
	process->attached = 0;
	process->leave = 0;
	process->mapped = 0;
	process->asked = 0;
	process->answered = 0;
	process->edition = 0;
	process->places[0] = 0;
	process->places[1] = 0;
	process->native = 0;
	process->known = 0;
	process->made = 0;
	process->children = 0;
	process->exe[0] = 0;
}

void area_fork(void)
{
	const struct softpt_xl_process *parent = process;
	const u8 *from = (const u8 *)parent;
	u8 *map = (u8 *)(uintptr_t)parent->map;

	area_take(map, parent->pid);
	memcpy(area_at(SOFTPT_XL_EXITS_AT), from + SOFTPT_XL_EXITS_AT,
	       parent->exits * sizeof(struct softpt_xl_exit));
	memcpy(steps(), from + SOFTPT_XL_STEPS_AT, parent->steps * sizeof(struct softpt_xl_step));
	memcpy(ops(), from + SOFTPT_XL_OPS_AT, parent->ops * sizeof(struct softpt_xl_op));
	memcpy(lens(), from + SOFTPT_XL_LENS_AT, parent->lens);
	process->exits = parent->exits;
	process->steps = parent->steps;
	process->ops = parent->ops;
	process->lens = parent->lens;
	number_forked(process->far);
	process->attached = parent->attached;
	process->native = parent->native;
	process->known = parent->known;
	process->made = parent->made;
	process->children = parent->children;
	process->mapped = parent->mapped;
	process->base = parent->base;
	memcpy(process->exe, parent->exe, str_len(parent->exe) + 1);
}

void describe_begin(void)
{
	open.bits = 0;
	open.nbits = 0;
	open.step = process->steps;
	open.op = process->ops;
	open.insns = 0;
}

void describe_step(const struct block *b, bool taken)
{
	struct softpt_xl_step *step = &steps()[process->steps];
	u32 i;

	*step = (struct softpt_xl_step){
		.addr = b->addr, .target = b->target, .last = b->last, .lens = process->lens,
		.insns = b->insns, .kind = b->kind, .len = (u8)(b->end - b->last),
		.taken = taken,
	};
	for (i = 0; i < b->insns; i++)
		lens()[process->lens++] = block_insn[i].len;
	open.insns += b->insns;
	APPENDED(process->steps);
}

void describe_bit(bool taken)
{
	open.bits = open.bits << 1 | taken;
	open.nbits++;
}

static void describe_op(u32 addr, u8 kind, bool push)
{
	ops()[process->ops] = (struct softpt_xl_op){
		.addr = addr, .bits = open.nbits, .kind = kind, .push = push,
	};
	APPENDED(process->ops);
}

void describe_call(const struct block *b)
{
	if (b->kind == SOFTPT_X86_ICALL || b->target != b->end)
		describe_op(b->end, b->kind, true);
}

void describe_target(u32 addr, u8 kind)
{
	describe_op(addr, kind, false);
}

/* Behind a step, as far as it says so */
static u32 goes_on(const struct softpt_xl_step *s, bool taken)
{
	switch (s->kind) {
	case SOFTPT_X86_JMP:
	case SOFTPT_X86_CALL:
		return s->target;
	case SOFTPT_X86_JCC:
	case SOFTPT_X86_LOOP:
		return taken ? s->target : s->last + s->len;
	case SOFTPT_X86_OTHER:
		return s->last + s->len;
	}
	return 0;
}

u32 describe_exit(u8 kind, int taken)
{
	struct softpt_xl_exit *x = area_at(SOFTPT_XL_EXITS_AT);
	const struct softpt_xl_step *last = &steps()[process->steps - 1];
	bool bit = taken >= 0;

	x[process->exits] = (struct softpt_xl_exit){
		.bits = bit ? open.bits << 1 | (taken > 0) : open.bits,
		.head = steps()[open.step].addr, .last = last->last, .len = last->len,
		.to = goes_on(last, taken > 0), .insns = (u16)open.insns,
		.first = open.step, .op = open.op,
		.nsteps = process->steps - open.step, .nops = process->ops - open.op,
		.nbits = open.nbits + bit, .kind = kind, .taken = taken > 0,
	};
	APPENDED(process->exits);
	return process->exits - 1;
}

const struct softpt_xl_exit *describe_exit_at(u32 record)
{
	return (const struct softpt_xl_exit *)area_at(SOFTPT_XL_EXITS_AT) + record;
}

u32 describe_bits(void)
{
	return open.nbits;
}

u32 describe_step_first(void)
{
	return open.step;
}

u32 describe_step_last(void)
{
	return process->steps - 1;
}

const struct softpt_xl_step *describe_step_at(u32 step)
{
	return &steps()[step];
}

u32 describe_insns_before(u32 step, u64 addr)
{
	const struct softpt_xl_step *s = &steps()[step];
	u64 at = number_addr(s->addr);
	u32 n = 0;

	while (n < s->insns && at < addr)
		at += lens()[s->lens + n++];
	return n;
}

void describe_clear(void)
{
	process->exits = 0;
	process->steps = 0;
	process->ops = 0;
	process->lens = 0;
	process->code = 0;
	APPENDED(process->flushes);
}

bool describe_full(void)
{
	return process->code > SOFTPT_XL_CODE - SOFTPT_XL_BLOCK ||
	       process->steps > SOFTPT_XL_STEPS - 1024 || process->ops > SOFTPT_XL_OPS - 1024 ||
	       process->exits > SOFTPT_XL_EXITS - 1024 ||
	       process->lens > SOFTPT_XL_LENS - 256 * BLOCK_INSNS;
}
