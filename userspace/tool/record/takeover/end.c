// SPDX-License-Identifier: BSD-2-Clause
/*
 * Each thread is brought to where its registers are the program's and nothing is left to be told:
 *
 * - one that waits in a system call has its registers on the runtime's stack. It is sent out of
 *   the runtime from there, and makes the system call anew: as the kernel does after a stop;
 * - another one is asked by a signal of the runtime's to come to the dispatcher, which does so;
 * - one that executes the program itself (userspace/translate/native.h) is there already.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../cli/tool.h"
#include "context.h"
#include "inject.h"
#include "takeover.h"

#define TRAP		(1ull << (SIGTRAP - 1))
#define LOOK_NS		200000
#define ROUNDS		20000		/* looks, until a thread is given up */
#define PASSES		100
#define PASS_NS		5000000		/* between them: a child begins meanwhile */

struct giving {
	const struct xl_share *share;
	struct softpt_xl_process *process;
	struct traced threads;
	const struct injected *in;
	unsigned long long caught;	/* signals that the program has handlers for */
};

/*
 * The words of a thread, which the process shares; NULL: it has none, or not yet: a new thread has
 * its maker's GS.
 */
static const struct softpt_xl_words *words_of(const struct giving *g,
					      const struct traced_thread *t,
					      const struct user_regs_struct *r)
{
	const struct softpt_xl_words *w;
	const uint64_t area = g->process->map +
			      ((char *)g->process - (char *)g->share->map);
	const uint64_t at = r->gs_base - area;

	if (at >= SOFTPT_XL_AREA - sizeof(struct softpt_xl_words) || at % 8)
		return NULL;
	w = (const void *)((const char *)g->process + at);
	return w->tid == (uint32_t)t->tid ? w : NULL;
}

/* ---- one thread ---- */

/* The runtime holds its lock meanwhile, or has told what comes: and none of these waits. */
static bool is_the_runtimes(uint64_t nr)
{
	return nr == SYS_mmap || nr == SYS_munmap || nr == SYS_mprotect || nr == SYS_mremap ||
	       nr == SYS_brk || nr == SYS_pkey_mprotect || nr == SYS_execve ||
	       nr == SYS_execveat;
}

/* Signals that the runtime would get: its own, too */
static bool is_signalled(const struct giving *g, const struct traced_thread *t)
{
	const struct traced_signals s = traced_signals(&g->threads, t);

	return (s.own | s.shared) & s.caught & ~traced_mask(t);
}

/* It has not done the system call, or is about to make it. */
static bool waits_in_call(const struct giving *g, const struct traced_thread *t,
			  const struct user_regs_struct *r)
{
	if (r->rip >= g->in->entries.call && r->rip < g->in->entries.called)
		return true;
	return r->rip == g->in->entries.called && context_restarts(r) && !is_signalled(g, t);
}

/* It is in a system call of the program's, and has not done it. Return: whether it was sent out */
static bool leave_call(struct giving *g, struct traced_thread *t, struct user_regs_struct *r)
{
	const struct softpt_xl_words *w = words_of(g, t, r);
	struct context c;
	uint64_t at;

	if (!w || w->pending || !waits_in_call(g, t, r))
		return false;
	at = w->stack - sizeof(c);
	if (traced_read(&g->threads, at, &c, sizeof(c)) || is_the_runtimes(c.rax))
		return false;
	t->nr = c.rax;
	t->code = r->rip == g->in->entries.called ? (int)(int64_t)r->rax : 0;
	r->rip = g->in->entries.give_back;
	r->rsp = at;
	r->orig_rax = -1;
	traced_set_mask(t, CONTEXT_BLOCKED);
	return !traced_set(t, r);
}

/* The runtime's signal waits for it: it would be the program's then. */
static bool has_trap(const struct giving *g, const struct traced_thread *t)
{
	return traced_signals(&g->threads, t).own & TRAP;
}

static bool is_parked(const struct giving *g, const struct traced_thread *t,
		      const struct user_regs_struct *r)
{
	const struct softpt_xl_words *w = words_of(g, t, r);

	return w && w->parked;
}

/*
 * It executes the program itself. With a signal on its way it does not yet: that goes through the
 * runtime, as a breakpoint does.
 */
static bool is_native(const struct giving *g, const struct traced_thread *t,
		      const struct user_regs_struct *r)
{
	const struct softpt_xl_attach *e = &g->in->entries;
	unsigned int i;

	if (!traced_is_plain(t) || has_trap(g, t) ||
	    r->rip - e->cache[0] < e->cache[1] || !r->rip)
		return false;
	for (i = 0; i < g->in->nr; i++)
		if (r->rip - g->in->segment[i].at < g->in->segment[i].size)
			return false;
	return true;
}

/* It is given back. The runtime's signal, if it waits, comes now, and is not delivered. */
static void parked(struct giving *g, struct traced_thread *t)
{
	unsigned int i;

	for (i = 0; i < 10 && !t->gone && has_trap(g, t); i++) {
		traced_set_mask(t, ~TRAP);
		traced_go(t, 0);
		traced_wait(&g->threads, t);
		if (t->stopped && !(t->status >> 16) && WSTOPSIG(t->status) != SIGTRAP)
			t->kept = WSTOPSIG(t->status);
	}
	traced_set_mask(t, ~0ull);
	t->done = t->stopped;
}

/* SIGTRAP of the runtime's own (userspace/translate/signals/signal.c) */
static void ask(const struct giving *g, const struct traced_thread *t)
{
	siginfo_t info = { .si_signo = SIGTRAP, .si_code = SI_QUEUE };

	info.si_value.sival_ptr = (void *)SOFTPT_XL_LEAVE;
	syscall(SYS_rt_tgsigqueueinfo, g->threads.pid, t->tid, SIGTRAP, &info);
}

/* It has stopped: it is ready, or goes on to where it is. */
static void judge(struct giving *g, struct traced_thread *t, bool asks)
{
	const int signo = t->status >> 16 ? 0 : WSTOPSIG(t->status);
	struct user_regs_struct r;

	if (traced_get(t, &r))
		return;
	if (is_parked(g, t, &r)) {
		parked(g, t);
		return;
	}
	if (is_native(g, t, &r)) {
		t->native = true;
		t->done = true;
		return;
	}
	if (!signo && asks && !leave_call(g, t, &r))
		ask(g, t);
	traced_go(t, signo);
}

/* ---- all threads ---- */

static bool all_done(const struct giving *g)
{
	unsigned int i;

	for (i = 0; i < g->threads.nr; i++)
		if (!g->threads.thread[i].done && !g->threads.thread[i].gone)
			return false;
	return true;
}

static void look_all(struct giving *g)
{
	struct traced_thread *t;
	unsigned int i;

	for (i = 0; i < g->threads.nr; i++) {
		t = &g->threads.thread[i];
		if (!t->done && !t->gone && traced_look(&g->threads, t) && t->stopped)
			judge(g, t, false);
	}
}

/* Who waits in a system call is sent out of that; who does not is asked. */
static void push(struct giving *g, struct traced_thread *t)
{
	traced_stop(&g->threads, t);
	if (!t->gone && t->stopped)
		judge(g, t, traced_is_plain(t));
}

static void push_all(struct giving *g)
{
	unsigned int i;

	for (i = 0; i < g->threads.nr; i++)
		if (!g->threads.thread[i].done && !g->threads.thread[i].gone)
			push(g, &g->threads.thread[i]);
}

/* Return: 0 or -errno */
static int bring_out(struct giving *g)
{
	const struct timespec nap = { .tv_nsec = LOOK_NS };
	unsigned int round;
	int more;

	for (round = 0; round < ROUNDS; round++) {
		if (!(round % 10))
			push_all(g);
		look_all(g);
		g->threads.idle(g->threads.ctx);
		if (!all_done(g)) {
			nanosleep(&nap, NULL);
			continue;
		}
		more = traced_find(&g->threads);
		if (more <= 0)
			return more;
	}
	return -ETIMEDOUT;
}

/*
 * The kernel finds what it has left when the stop came: it makes the system call anew, or ends it
 * for a signal. What it would not make anew begins anew here, unless a signal is there.
 */
static void resume_call(const struct giving *g, const struct traced_thread *t,
			struct user_regs_struct *r, uint64_t mask)
{
	const struct traced_signals s = traced_signals(&g->threads, t);
	const bool signalled = (s.own | s.shared) & g->caught & ~mask;

	if (!t->code || (t->code == -EINTR && !signalled))
		return;
	r->rip += SOFTPT_XL_SYSCALL;
	r->rax = (uint64_t)(int64_t)t->code;
	r->orig_rax = t->nr;
}

/* The program's registers, which are on the runtime's stack. Return: whether there are such */
static bool native(const struct giving *g, const struct traced_thread *t,
		   struct user_regs_struct *r, uint64_t *mask)
{
	const struct softpt_xl_words *w;
	struct context c;

	if (t->gone || traced_get(t, r))
		return false;
	w = words_of(g, t, r);
	if (!w || traced_read(&g->threads, w->stack - sizeof(c), &c, sizeof(c)))
		return false;
	context_to(r, &c);
	r->rip = w->native_pc;
	r->rsp = w->rsp;
	r->gs_base = 0;
	r->orig_rax = -1;
	*mask = w->native_mask;
	resume_call(g, t, r, *mask);
	return true;
}

/* It leaves the runtime, and goes on where it is: with the system call that the stop has ended. */
static void release(struct giving *g, struct traced_thread *t)
{
	const uint64_t none[6] = { 0 };
	const struct softpt_xl_words *w;
	struct traced_signals s;
	struct remote r;
	uint64_t ret;

	if (t->gone || remote_begin(&r, &g->threads, t))
		return;
	w = words_of(g, t, &r.regs);
	inject_use(g->in, &r);
	if (w && !remote_call(&r, g->in->entries.release, none, &ret))
		r.mask = w->native_mask;
	s = traced_signals(&g->threads, t);
	if (r.regs.rax == (uint64_t)-EINTR && !((s.own | s.shared) & g->caught & ~r.mask))
		context_restart(&r.regs);
	r.regs.gs_base = 0;
	remote_end(&r);
}

static void let_go(const struct giving *g, const struct traced_thread *t)
{
	struct user_regs_struct r;
	uint64_t mask;

	if (!native(g, t, &r, &mask))
		return;
	traced_set(t, &r);
	traced_set_mask(t, mask);
}

/* One of the threads takes away what is the runtime's. */
static int clean(struct giving *g)
{
	struct traced_thread *t = traced_first(&g->threads);
	const uint64_t none[6] = { 0 };
	struct remote r;
	unsigned int i;
	uint64_t ret;
	int err;

	if (!t)
		return 0;
	err = remote_begin(&r, &g->threads, t);
	if (err)
		return err;
	inject_use(g->in, &r);
	err = remote_call(&r, g->in->entries.end, none, &ret);
	if (!err && !ret)
		err = -EACCES;	/* a breakpoint stays */
	if (err) {
		remote_end(&r);
		return err;
	}
	g->caught = traced_signals(&g->threads, t).caught;
	remote_end(&r);
	for (i = 0; i < g->threads.nr; i++)
		if (g->threads.thread[i].native)
			release(g, &g->threads.thread[i]);
		else if (&g->threads.thread[i] != t)
			let_go(g, &g->threads.thread[i]);
	err = remote_begin(&r, &g->threads, t);
	if (err)
		return err;
	inject_use(g->in, &r);
	if (!t->native)
		native(g, t, &r.regs, &r.mask);
	inject_undo(g->in, &r, g->process);
	remote_end(&r);
	return err;
}

/* Whether it has mapped our file: its number is what a process has written there. */
static bool shares(const struct giving *g)
{
	unsigned int major, minor;
	unsigned long inode;
	bool found = false;
	char line[512];
	struct stat st;
	FILE *f;

	f = fstat(g->share->fd, &st) ? NULL : traced_open(&g->threads, "maps");
	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, " /memfd:" XL_SHARE_NAME " (deleted)\n") &&
			sscanf(line, "%*s %*s %*s %x:%x %lu", &major, &minor, &inode) == 3 &&
			inode == st.st_ino && makedev(major, minor) == st.st_dev;
	if (f)
		fclose(f);
	return found;
}

/* Real, effective, saved and that of files. Return: whether there are all */
static bool read_users(const char *text, unsigned int user[4])
{
	return sscanf(text, "%u %u %u %u", &user[0], &user[1], &user[2], &user[3]) == 4;
}

static bool has_user(const unsigned int user[4], unsigned int who)
{
	unsigned int i;

	for (i = 0; i < 4 && user[i] != who && user[i]; i++)
		;
	return i < 4;
}

/* None that a program it has executed has gained: root may become anybody. */
static bool has_no_more_users(const struct giving *g, const struct takeover *k)
{
	unsigned int before[4], now[4], i = 0;
	char users[64] = "";

	traced_status(g->threads.pid, g->threads.alive, "Uid: %63[^\n]", users);
	if (!read_users(k->users, before) || !read_users(users, now))
		return false;
	while (i < 4 && has_user(before, now[i]))
		i++;
	return i == 4;
}

static int give_back(struct giving *g, const struct takeover *k)
{
	int err;

	if (!traced_choose(&g->threads, (pid_t)g->process->pid) || !shares(g))
		return 0;
	err = traced_begin(&g->threads, true);
	if (err) {
		traced_end(&g->threads);
		return err == -ESRCH ? 0 : err;
	}
	if (!shares(g) || !has_no_more_users(g, k))
		err = -EPERM;
	if (!err) {
		__atomic_store_n(&g->process->leave, 1, __ATOMIC_SEQ_CST);
		err = bring_out(g);
	}
	if (!err)
		err = clean(g);
	if (err)		/* who waits goes on in translation */
		__atomic_store_n(&g->process->leave, 0, __ATOMIC_SEQ_CST);
	traced_end(&g->threads);
	if (!err)
		__atomic_store_n(&g->process->state, SOFTPT_XL_ENDED, __ATOMIC_RELEASE);
	return err;
}

/* Return: whether a process may have been made meanwhile; @status: EXIT_REFUSED after a message */
static bool give_back_all(const struct xl_share *share, const struct takeover *k,
			  void (*look)(void *ctx), void *ctx, int *status)
{
	const struct softpt_xl_shared *shared = share->map;
	bool any = false;
	char name[32];
	uint32_t i;
	int err;

	for (i = 0; i < shared->taken && i < SOFTPT_XL_PROCESSES; i++) {
		struct giving g = {
			.share = share, .in = &k->in, .process = xl_process(share, i),
			.threads = { .child = k->child, .idle = look, .ctx = ctx, .mem = -1 },
		};

		any |= g.process->state == SOFTPT_XL_STARTING || g.process->forks;
		if (g.process->state != SOFTPT_XL_LIVE || !g.process->attached)
			continue;
		err = give_back(&g, k);
		any |= !err && g.process->state == SOFTPT_XL_ENDED;
		snprintf(name, sizeof(name), "%u", g.process->pid);
		if (err)
			*status = refuse(name, "not given back, it goes on in translation: %s",
					 strerror(-err));
	}
	return any && !*status;
}

int takeover_end(const struct xl_share *share, const struct takeover *k, void (*look)(void *ctx),
		 void *ctx)
{
	const struct timespec nap = { .tv_nsec = PASS_NS };
	unsigned int i;
	int status = 0;

	for (i = 0; i < PASSES && give_back_all(share, k, look, ctx, &status); i++) {
		look(ctx);
		nanosleep(&nap, NULL);
	}
	return status;
}
