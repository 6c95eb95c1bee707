// SPDX-License-Identifier: BSD-2-Clause
/* Threads: each has a slot of the process's area, and stacks of the runtime's own */
#include <linux/mman.h>
#include <linux/sched.h>
#include <linux/signal.h>

#include "code/describe.h"
#include "code/record.h"
#include "guest.h"
#include "signals/signal.h"
#include "sys.h"
#include "threads.h"

static struct thread threads[SOFTPT_XL_THREADS];
static u32 alive = 1;
static struct lock slots_lock;

struct thread *thread_of(u32 slot)
{
	return &threads[slot];
}

void threads_leave(const struct thread *me)
{
	struct ksiginfo info = {
		.signo = SIGTRAP, .code = SI_QUEUE, .rest = { [0] = SOFTPT_XL_LEAVE },
	};
	struct thread *t;

	for (t = threads; t < threads + SOFTPT_XL_THREADS; t++)
		while (t != me && t->words && READ_ONCE(t->inside) && READ_ONCE(t->words->tid)) {
			sys(__NR_rt_tgsigqueueinfo,
			    t->vforked ? t->words->tid : process->pid, t->words->tid, SIGTRAP,
			    &info);
			sys_nap(100);
		}
}

bool thread_alone(void)
{
	return __atomic_load_n(&alive, __ATOMIC_SEQ_CST) == 1;
}

static bool has_stack(struct thread *t)
{
	long at;

	if (t->stack)
		return true;
	at = map_room(STACK_SIZE + ALT_SIZE, 0);
	if (at < 0)
		return false;
	t->stack = (u64)at;
	return true;
}

static void take_words(struct thread *t)
{
	if (!t->words) {
		t->words = area_at(softpt_xl_words_at(t->slot));
		record_guard(t);
	}
	t->words->self = (uintptr_t)t;
	t->words->stack = t->stack + STACK_SIZE;
	t->words->pending = 0;
}

static void reset(struct thread *t)
{
	t->held = 0;
	t->waits = false;
	t->stepping = false;
	t->in_call = false;
	t->inside = false;
	t->vforked = false;
	t->actions = NULL;
	t->ended = false;
	memset(t->rooms, 0, sizeof(t->rooms));
	t->entered = false;
	t->undone = false;
	t->native = false;
	t->stays = false;
	t->broke = false;
	t->handler_rsp = 0;
	t->inside_rsp = 0;
	t->traced = false;
	t->restarts = 0;
	t->ends = 0;
	t->rseq.at = 0;
	t->alt = (struct altstack){ .flags = 2 };
}

/* The recorder reads of slots that are counted only. */
static void count_slot(u32 slot)
{
	lock(&slots_lock);
	if (slot >= process->slots)
		__atomic_store_n(&process->slots, slot + 1, __ATOMIC_RELEASE);
	unlock(&slots_lock);
}

/* words.tid is 1 until the thread has its number. */
struct thread *thread_new(void)
{
	struct softpt_xl_words *w;
	struct thread *t;
	u32 i;

	for (i = 0; i < SOFTPT_XL_THREADS; i++) {
		u32 none = 0;

		w = area_at(softpt_xl_words_at(i));
		if (!__atomic_compare_exchange_n(&w->tid, &none, 1, false, __ATOMIC_ACQUIRE,
						 __ATOMIC_RELAXED))
			continue;
		t = &threads[i];
		t->slot = i;
		if (!has_stack(t)) {
			WRITE_ONCE(w->tid, 0);
			return NULL;
		}
		take_words(t);
		reset(t);
		record_begin(t);
		count_slot(i);
		return t;
	}
	return NULL;
}

void thread_drop(struct thread *t)
{
	WRITE_ONCE(t->words->tid, 0);
}

void threads_none(void)
{
	alive = 0;
}

struct thread *thread_take(u32 tid)
{
	struct thread *t = thread_new();

	if (!t)
		return NULL;
	t->words->tid = tid;
	alive++;
	return t;
}

struct thread *thread_first(void)
{
	struct thread *t = thread_new();

	if (!t)
		die("no memory for a thread", 0);
	t->words->tid = process->pid;
	sys(__NR_arch_prctl, 0x1001, t->words);
	return t;
}

/* The process of a vfork() is gone. What it has changed of this one's memory is left as it is. */
static void end_vforked(struct thread *n)
{
	u32 i;

	for (i = 0; i < ARRAY_LEN(n->rooms); i++)
		if (n->rooms[i].size)
			sys(__NR_munmap, n->rooms[i].at, n->rooms[i].size);
	thread_executes(n);
	record_drain(n);
	thread_drop(n);
}

/* Its signal handlers are its own, although it is in memory that is shared. */
static long clone_vforked(long flags, struct context *begin, const struct clone_args *args,
			  struct thread *n)
{
	struct ksigaction actions[SIGNALS + 1];
	long ret;

	memcpy(actions, signal_actions_of(current()), sizeof(actions));
	n->actions = actions;
	ret = clone_thread(flags, begin, (long)args->parent_tid, (long)args->child_tid,
			   (long)args->tls, n);
	if (ret < 0)
		thread_drop(n);
	else
		end_vforked(n);
	return ret;
}

long thread_clone(struct thread *t, const struct context *c, const struct clone_args *args,
		  u64 next)
{
	const long flags = (long)(args->flags | args->exit_signal);
	struct context *begin;
	struct thread *n;
	long ret;

	signal_block_all();
	if (t->words->pending)
		return XL_ABORT;
	n = thread_new();
	if (!n) {
		signal_unblock(t);
		return -EAGAIN;
	}
	begin = (struct context *)n->words->stack - 1;
	*begin = *c;
	begin->rax = 0;
	n->words->rsp = args->stack ? args->stack + args->stack_size : t->words->rsp;
	n->pc = next;
	n->mask = t->mask;
	n->vforked = !(flags & CLONE_THREAD);
	if (n->vforked) {
		ret = clone_vforked(flags, begin, args, n);
		signal_unblock(t);
		return ret;
	}
	__atomic_fetch_add(&alive, 1, __ATOMIC_SEQ_CST);
	ret = clone_thread(flags, begin, (long)args->parent_tid, (long)args->child_tid,
			   (long)args->tls, n);
	if (ret < 0) {
		__atomic_fetch_sub(&alive, 1, __ATOMIC_SEQ_CST);
		thread_drop(n);
	}
	signal_unblock(t);
	return ret;
}

/* Its next program has an area of its own, whose records must not come before these. */
void thread_executes(struct thread *t)
{
	if (t->ended)
		return;
	t->ended = true;
	record_escape(t, SOFTPT_XL_END, 0, NULL, 0, 0);
	record_wait_seen(t->words);
}

void thread_stays(struct thread *t)
{
	t->ended = false;
	t->in_call = false;
	t->inside_rsp = 0;
	record_escape(t, SOFTPT_XL_THREAD, 0, NULL, t->words->tid, t->pc);
}

void thread_exit(struct thread *t, long code)
{
	t->inside = false;
	t->ended = true;
	record_escape(t, SOFTPT_XL_END, 0, NULL, 0, 0);
	if (t->vforked)		/* the parent gives the slot back */
		sys(__NR_exit_group, code);
	__atomic_sub_fetch(&alive, 1, __ATOMIC_SEQ_CST);
	record_drain(t);
	signal_block_all();
	thread_gone(&t->words->tid, code);
}

/* The other slots are the parent's threads'. The parent has gone on, with words that it shares. */
void thread_forked(struct thread *t, const struct softpt_xl_words *was)
{
	u32 i;

	area_fork();
	for (i = 0; i < SOFTPT_XL_THREADS; i++) {
		threads[i].words = NULL;
		if (&threads[i] != t && threads[i].stack) {
			sys(__NR_munmap, threads[i].stack, STACK_SIZE + ALT_SIZE);
			threads[i].stack = 0;
		}
	}
	alive = 1;
	slots_lock.taken = 0;
	take_words(t);
	t->words->rcx = was->rcx;
	t->words->link = was->link;
	t->words->target = was->target;
	t->words->rsp = was->rsp;
	t->words->jump = was->jump;
	t->words->stack = was->stack;
	t->words->chunk = 0;
	memset(t->words->filled, 0, sizeof(t->words->filled));
	record_begin(t);
	t->words->tid = process->pid;
	count_slot(t->slot);
	sys(__NR_arch_prctl, 0x1001, t->words);
	t->in_call = false;
	t->inside_rsp = 0;
	t->traced = false;
	__atomic_store_n(&process->state, SOFTPT_XL_LIVE, __ATOMIC_RELEASE);
	record_escape(t, SOFTPT_XL_THREAD, 0, NULL, t->words->tid, t->pc);
}
