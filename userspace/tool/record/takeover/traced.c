// SPDX-License-Identifier: BSD-2-Clause
#include "traced.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sideband/system.h"

#define NAP_NS	20000
#define NAPS	100000	/* until a thread is given up that does not stop: some seconds */

/* ---- one thread ---- */

/* One that has executed another program is another process's matter. */
static void take_status(struct traced_thread *t, int status)
{
	t->status = status;
	t->stopped = WIFSTOPPED(status);
	t->gone = !t->stopped;
	if (t->stopped && status >> 16 == PTRACE_EVENT_EXEC) {
		ptrace(PTRACE_DETACH, t->tid, 0, 0);
		t->gone = true;
	}
}

pid_t traced_waitpid(const struct traced *p, const struct traced_thread *t, int *status, int how)
{
	siginfo_t info = { 0 };

	if (t->tid != p->child)
		return waitpid(t->tid, status, __WALL | how);
	if (waitid(P_PID, (id_t)t->tid, &info, WSTOPPED | WEXITED | WNOWAIT | __WALL | how))
		return -1;
	if (!info.si_pid)
		return 0;
	*status = 0;
	info.si_pid = 0;
	if (info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED)
		return t->tid;
	if (!waitid(P_PID, (id_t)t->tid, &info, WSTOPPED | __WALL | WNOHANG) && info.si_pid)
		*status = info.si_status << 8 | 0x7f;
	return t->tid;
}

bool traced_look(const struct traced *p, struct traced_thread *t)
{
	int status;
	pid_t got;

	if (t->gone || t->stopped)
		return true;
	got = traced_waitpid(p, t, &status, WNOHANG);
	if (!got)
		return false;
	if (got < 0)
		t->gone = true;
	else
		take_status(t, status);
	return true;
}

bool traced_is_plain(const struct traced_thread *t)
{
	return t->status >> 16 == PTRACE_EVENT_STOP;
}

/* One that is being killed cannot: waitpid() tells. */
void traced_go(struct traced_thread *t, int signo)
{
	t->stopped = false;
	ptrace(PTRACE_CONT, t->tid, 0, (long)signo);
}

void traced_wait(struct traced *p, struct traced_thread *t)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };
	unsigned int naps = 0;
	int status;
	pid_t got;

	while (!t->stopped && !t->gone) {
		got = traced_waitpid(p, t, &status, WNOHANG);
		if (got > 0) {
			take_status(t, status);
		} else if (!got) {
			if (p->idle)
				p->idle(p->ctx);
			nanosleep(&nap, NULL);
			if (++naps > NAPS)
				return;
		} else if (errno != EINTR) {
			t->gone = true;
		}
	}
}

/* A signal that comes first is delivered, and the stop comes behind it. */
void traced_stop(struct traced *p, struct traced_thread *t)
{
	if (!t->stopped && !t->gone)
		ptrace(PTRACE_INTERRUPT, t->tid, 0, 0);
	for (;;) {
		traced_wait(p, t);
		if (t->gone || !t->stopped || traced_is_plain(t))
			return;
		traced_go(t, t->status >> 16 ? 0 : WSTOPSIG(t->status));
	}
}

int traced_get(const struct traced_thread *t, struct user_regs_struct *r)
{
	struct iovec v = { .iov_base = r, .iov_len = sizeof(*r) };

	if (ptrace(PTRACE_GETREGSET, t->tid, NT_PRSTATUS, &v))
		return -errno;
	return v.iov_len == sizeof(*r) ? 0 : -ENOEXEC;	/* 32-bit */
}

int traced_set(const struct traced_thread *t, const struct user_regs_struct *r)
{
	struct iovec v = { .iov_base = (void *)r, .iov_len = sizeof(*r) };

	return ptrace(PTRACE_SETREGSET, t->tid, NT_PRSTATUS, &v) ? -errno : 0;
}

uint64_t traced_mask(const struct traced_thread *t)
{
	uint64_t mask = 0;

	ptrace(PTRACE_GETSIGMASK, t->tid, sizeof(mask), &mask);
	return mask;
}

void traced_set_mask(const struct traced_thread *t, uint64_t mask)
{
	ptrace(PTRACE_SETSIGMASK, t->tid, sizeof(mask), &mask);
}

bool traced_status(pid_t pid, pid_t tid, const char *format, void *value)
{
	char path[64], line[256];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)pid, (int)tid);
	f = fopen(path, "re");
	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, format, value) == 1;
	if (f)
		fclose(f);
	return found;
}

FILE *traced_open(const struct traced *p, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)p->pid, (int)p->alive, name);
	return fopen(path, "re");
}

struct traced_signals traced_signals(const struct traced *p, const struct traced_thread *t)
{
	struct traced_signals s = { 0 };

	traced_status(p->pid, t->tid, "SigPnd: %llx", &s.own);
	traced_status(p->pid, t->tid, "ShdPnd: %llx", &s.shared);
	traced_status(p->pid, t->tid, "SigCgt: %llx", &s.caught);
	return s;
}

/* ---- memory ---- */

int traced_read(const struct traced *p, uint64_t from, void *to, size_t len)
{
	ssize_t n = pread(p->mem, to, len, (off_t)from);

	return n == (ssize_t)len ? 0 : n < 0 ? -errno : -EIO;
}

int traced_write(const struct traced *p, uint64_t to, const void *from, size_t len)
{
	ssize_t n = pwrite(p->mem, from, len, (off_t)to);

	return n == (ssize_t)len ? 0 : n < 0 ? -errno : -EIO;
}

/* ---- all threads ---- */

struct finding {
	struct traced *p;
	bool any;
};

static struct traced_thread *thread_of(struct traced *p, pid_t tid)
{
	unsigned int i;

	for (i = 0; i < p->nr; i++)
		if (p->thread[i].tid == tid)
			return &p->thread[i];
	return NULL;
}

static int add(struct traced *p, pid_t tid)
{
	struct traced_thread *more = reallocarray(p->thread, p->nr + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	p->thread = more;
	p->thread[p->nr++] = (struct traced_thread){ .tid = tid };
	return 0;
}

static char state_of(pid_t pid, pid_t tid)
{
	char state = 'X';

	traced_status(pid, tid, "State: %c", &state);
	return state;
}

/* A thread that the traced ones make is traced from its begin; another tracer's is not ours. */
static int seize(pid_t tid, void *arg)
{
	const long options = PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC;
	struct finding *f = arg;
	int err, tracer = 0;
	char state;

	if (thread_of(f->p, tid))
		return 0;
	state = state_of(f->p->pid, tid);
	if (state == 'Z' || state == 'X')
		return 0;
	err = ptrace(PTRACE_SEIZE, tid, 0, options) ? -errno : 0;
	if (err == -EPERM && traced_status(f->p->pid, tid, "TracerPid: %d", &tracer) &&
	    tracer == getpid())
		err = 0;
	if (err)
		return err == -ESRCH ? 0 : err;
	err = add(f->p, tid);
	f->any = !err;
	return err;
}

int traced_find(struct traced *p)
{
	struct finding f = { .p = p };
	int err;

	err = process_threads(p->pid, seize, &f);
	return err ? err : f.any;
}

/* By a signal, before it was asked to stop */
static bool was_stopped(const struct traced_thread *t)
{
	return t->stopped && traced_is_plain(t) && WSTOPSIG(t->status) != SIGTRAP;
}

/*
 * A signal that has a handler comes first: the kernel knows what becomes of the system call that
 * it interrupts.
 */
static void settle(struct traced *p, struct traced_thread *t)
{
	struct traced_signals s;
	unsigned int i;

	for (i = 0; i < 50 && t->stopped; i++) {
		s = traced_signals(p, t);
		if (!((s.own | s.shared) & s.caught & ~traced_mask(t)))
			return;
		traced_go(t, 0);
		traced_stop(p, t);
	}
}

static int stop_thread(struct traced *p, struct traced_thread *t, bool even_stopped)
{
	traced_stop(p, t);
	if (!t->stopped && !t->gone)
		return -ETIMEDOUT;
	if (!was_stopped(t)) {
		if (!even_stopped)
			settle(p, t);
		return t->stopped || t->gone ? 0 : -ETIMEDOUT;
	}
	t->kept = SIGSTOP;
	return even_stopped ? 0 : -ECANCELED;
}

static int stop_all(struct traced *p, bool even_stopped)
{
	unsigned int i;
	int more, err;

	do {
		more = traced_find(p);
		for (i = 0; i < p->nr; i++) {
			err = stop_thread(p, &p->thread[i], even_stopped);
			if (err)
				return err;
		}
	} while (more > 0);
	if (more < 0)
		return more;
	return traced_first(p) ? 0 : -ESRCH;
}

static int is_alive(pid_t tid, void *arg)
{
	struct traced *p = arg;
	const char state = state_of(p->pid, tid);

	if (state == 'Z' || state == 'X')
		return 0;
	p->alive = tid;
	return 1;
}

bool traced_choose(struct traced *p, pid_t pid)
{
	p->pid = pid;
	return process_threads(pid, is_alive, p) > 0;
}

int traced_begin(struct traced *p, bool even_stopped)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/mem", (int)p->pid, (int)p->alive);
	p->mem = open(path, O_RDWR | O_CLOEXEC);
	if (p->mem < 0)
		return errno == ENOENT ? -ESRCH : errno == EACCES ? -EPERM : -errno;
	return stop_all(p, even_stopped);
}

struct traced_thread *traced_first(struct traced *p)
{
	unsigned int i;

	for (i = 0; i < p->nr && p->thread[i].gone; i++)
		;
	return i < p->nr ? &p->thread[i] : NULL;
}

static void detach(const struct traced *p, struct traced_thread *t)
{
	ptrace(PTRACE_DETACH, t->tid, 0, 0);
	if (t->kept)
		syscall(SYS_tgkill, p->pid, t->tid, t->kept);
	t->gone = true;
}

/* Who runs has to stop for that, which may take time: the others do not wait for it. */
void traced_end(struct traced *p)
{
	struct traced_thread *t;

	for (t = p->thread; t < p->thread + p->nr; t++)
		if (!t->gone && t->stopped)
			detach(p, t);
	for (t = p->thread; t < p->thread + p->nr; t++) {
		traced_stop(p, t);
		if (!t->gone)
			detach(p, t);
	}
	free(p->thread);
	p->thread = NULL;
	p->nr = 0;
	if (p->mem >= 0)
		close(p->mem);
	p->mem = -1;
}
