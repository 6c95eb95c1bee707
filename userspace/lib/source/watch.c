// SPDX-License-Identifier: BSD-2-Clause
/*
 * A run of instructions between two branches that touches the range of a trigger is one hit: when
 * the thread has come to a range where the run begins, or when the run ends. (The judge is
 * kmod/engine/watch/trigger.c, of the events that these records become.)
 */
#include "source/watch.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "../../../kmod/x86/decode.h"
#include "source/runs.h"

#define MADE	1	/* it was looked at */
#define NEAR	2	/* it touches a range, or does not end with a branch */

#define INSNS_SIZE	(SOFTPT_XL_EXITS * sizeof(uint16_t))

/* Pages are there when something is in them. */
static void *reserve(size_t size)
{
	void *map = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return map == MAP_FAILED ? NULL : map;
}

int xl_watch_init(struct xl_watch *w, const struct softpt_xl_process *process,
		  const struct softpt_trigger *trigger, unsigned int nr)
{
	*w = (struct xl_watch){
		.process = process, .trigger = trigger, .nr = nr,
		.flags = reserve(SOFTPT_XL_EXITS), .insns = reserve(INSNS_SIZE),
	};
	if (w->flags && w->insns)
		return 0;
	xl_watch_free(w);
	return -ENOMEM;
}

void xl_watch_free(struct xl_watch *w)
{
	if (w->flags)
		munmap(w->flags, SOFTPT_XL_EXITS);
	if (w->insns)
		munmap(w->insns, INSNS_SIZE);
	w->flags = NULL;
	w->insns = NULL;
}

void xl_watch_look(struct xl_watch *w)
{
	const uint32_t flushes = __atomic_load_n(&w->process->flushes, __ATOMIC_ACQUIRE);

	if (flushes == w->flushes)
		return;
	madvise(w->flags, SOFTPT_XL_EXITS, MADV_DONTNEED);
	w->flushes = flushes;
}

/* ---- runs of instructions ---- */

static bool touches(const struct softpt_trigger *t, uint64_t from, uint64_t to)
{
	return t->source == SOFTPT_ON_IP && from <= t->mask && to >= t->value;
}

static void tell(const struct xl_hits *hits, unsigned int trigger, uint16_t step, bool behind,
		 uint64_t ip)
{
	const struct xl_hit hit = {
		.trigger = trigger, .step = step, .behind = behind, .ip = ip,
	};

	hits->hit(hits->ctx, &hit);
}

/* Those that have @ip in their range */
static uint8_t triggers_at(const struct xl_watch *w, uint64_t ip)
{
	uint8_t set = 0;
	unsigned int i;

	for (i = 0; i < w->nr; i++)
		set |= touches(&w->trigger[i], ip, ip) << i;
	return set;
}

/* Execution was interrupted where a run had begun. Of too many, the innermost are lost. */
static void hold(struct xl_visit *v, uint64_t ip)
{
	if (v->held < SOFTPT_TRIGGER_HELD && !(v->held && v->held_ip[v->held - 1] == ip))
		v->held_ip[v->held++] = ip;
}

/* Execution returns to @ip if that was held; then later interrupts are over, too. */
static bool goes_on(struct xl_visit *v, uint64_t ip)
{
	unsigned int i;

	for (i = v->held; i; i--)
		if (v->held_ip[i - 1] == ip) {
			v->held = i - 1;
			return true;
		}
	return false;
}

/* A branch led to @ip, or the kernel. */
static void arrive(const struct xl_watch *w, struct xl_visit *v, uint64_t ip, uint16_t step,
		   const struct xl_hits *hits)
{
	uint8_t left;

	v->counted = triggers_at(w, ip);
	v->pending = 0;
	v->run = ip;
	v->on = true;
	if (goes_on(v, ip))
		return;
	for (left = v->counted; left; left &= left - 1)
		tell(hits, __builtin_ctz(left), step, false, ip);
}

/* Execution ran on up to @to. */
static void run_on(const struct xl_watch *w, struct xl_visit *v, uint64_t to)
{
	const uint64_t from = v->run;
	unsigned int i;

	for (i = 0; i < w->nr; i++) {
		if (v->counted >> i & 1 || !touches(&w->trigger[i], from, to))
			continue;
		v->counted |= 1u << i;
		v->pending |= 1u << i;
		v->ip[i] = from > w->trigger[i].value ? from : w->trigger[i].value;
	}
}

/* A branch, a system call or an interrupt ends the run. */
static void end_run(struct xl_visit *v, uint16_t step, const struct xl_hits *hits)
{
	uint8_t left;

	for (left = v->pending; left; left &= left - 1)
		tell(hits, __builtin_ctz(left), step, true, v->ip[__builtin_ctz(left)]);
	v->pending = 0;
	v->on = false;
}

/* ---- exits ---- */

static uint64_t address(const struct xl_watch *w, uint32_t number)
{
	return softpt_xl_address(w->process->far, number);
}

static bool ends_run(uint8_t kind)
{
	return kind >= SOFTPT_X86_JCC && kind <= SOFTPT_X86_SYSCALL;
}

/* Return: instructions, or -EBADMSG */
static int walk(const struct xl_watch *w, struct xl_visit *v, uint32_t first, uint32_t n,
		const struct xl_hits *hits)
{
	struct softpt_xl_step s;
	uint32_t i;
	int insns = 0;

	if (n > SOFTPT_XL_PATH)
		return -EBADMSG;
	for (i = 0; i < n; i++) {
		if (!xl_step_at(w->process, first + i, &s))
			return -EBADMSG;
		if (!v->on)
			arrive(w, v, address(w, s.addr), i, hits);
		run_on(w, v, address(w, s.last));
		if (ends_run(s.kind))
			end_run(v, i, hits);
		insns += s.insns;
	}
	return insns;
}

static bool is_near(const struct xl_watch *w, const struct softpt_xl_step *s)
{
	unsigned int i;

	for (i = 0; i < w->nr; i++)
		if (touches(&w->trigger[i], address(w, s->addr), address(w, s->last)))
			return true;
	return !ends_run(s->kind);
}

/* Return: 0 or -EBADMSG */
static int look_at_exit(struct xl_watch *w, uint32_t record, const struct softpt_xl_exit *x)
{
	uint8_t flags = MADE;
	struct softpt_xl_step s;
	uint32_t i;

	if (x->nsteps > SOFTPT_XL_PATH)
		return -EBADMSG;
	for (i = 0; i < x->nsteps; i++) {
		if (!xl_step_at(w->process, x->first + i, &s))
			return -EBADMSG;
		flags |= is_near(w, &s) ? NEAR : 0;
	}
	w->flags[record] = flags;
	w->insns[record] = x->insns;
	return 0;
}

int xl_watch_exit(struct xl_watch *w, struct xl_visit *v, uint32_t record, uint32_t known,
		  const struct xl_hits *hits)
{
	struct softpt_xl_exit x;

	if (record < known && w->flags[record] == MADE && !v->on)
		return w->insns[record];
	if (!xl_exit_at(w->process, record, known, &x))
		return -EBADMSG;
	if (!w->flags[record] && look_at_exit(w, record, &x))
		return -EBADMSG;
	return walk(w, v, x.first, x.nsteps, hits);
}

/* ---- escapes ---- */

/* Of a superblock, up to @e->from, which was not executed. Return: instructions, or -EBADMSG */
static int walk_part(const struct xl_watch *w, struct xl_visit *v,
		     const struct softpt_xl_escape *e, const struct xl_hits *hits)
{
	struct softpt_xl_step s = { .addr = 0 };
	uint64_t addr = e->from;
	int insns = walk(w, v, e->first, e->steps, hits);

	if (insns < 0)
		return insns;
	if (e->steps || e->insns || e->first) {
		if (!xl_step_at(w->process, e->first + e->steps, &s))
			return -EBADMSG;
		addr = address(w, s.addr);
	}
	if (!v->on)
		arrive(w, v, addr, XL_STEP_END, hits);
	if (e->from > v->run)
		run_on(w, v, e->from - 1);
	return insns + e->insns;
}

static int signalled(const struct xl_watch *w, struct xl_visit *v,
		     const struct softpt_xl_escape *e, bool in_kernel, const struct xl_hits *hits)
{
	int insns = 0;

	if (e->flags & SOFTPT_XL_UNDONE)
		insns = -1;	/* the last instruction of the exit before */
	else if (!in_kernel)
		insns = walk_part(w, v, e, hits);
	if (e->what == SOFTPT_XL_GO_ON && !in_kernel)
		return insns;
	if (!in_kernel && v->on && v->run == e->from)
		hold(v, e->from);
	end_run(v, XL_STEP_END, hits);
	return insns;
}

int xl_watch_escape(struct xl_watch *w, struct xl_visit *v, const struct softpt_xl_escape *e,
		    bool in_kernel, const struct xl_hits *hits)
{
	switch (e->what) {
	case SOFTPT_XL_THREAD:
		*v = (struct xl_visit){ .on = false };
		return 0;
	case SOFTPT_XL_VALUE:
		end_run(v, XL_STEP_END, hits);
		v->run = e->from;
		v->on = true;
		return 0;
	case SOFTPT_XL_RETURN:
		v->on = false;
		return 0;
	case SOFTPT_XL_GO_ON ... 64:
		return signalled(w, v, e, in_kernel, hits);
	}
	return 0;
}
