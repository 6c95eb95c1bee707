// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../cli/tool.h"
#include "context.h"
#include "inject.h"
#include "takeover.h"

#define RSEQ_CONFIGURATION	0x420f	/* PTRACE_GET_RSEQ_CONFIGURATION, since Linux 5.13 */
#define USER_CS			0x33
#define PIECES_FREE		480	/* of SOFTPT_XL_PIECES: some are left for later code */

struct taking {
	pid_t pid;
	struct xl_share *share;
	struct traced threads;
	struct remote remote;
	struct injected *in;
	const struct softpt_xl_process *process;	/* its area; NULL: none yet */
	bool begun;		/* it has the runtime's signal handlers */
	struct takeover *taken;
};

static const char *text_of(int err)
{
	switch (err) {
	case -ESRCH:
		return "no such process, or a kernel thread";
	case -EPERM:
		return "it may not be traced, or is traced: as root, or kernel.yama.ptrace_scope=0";
	case -ECANCELED:
		return "it is stopped: kill -CONT first";
	case -EEXIST:
		return "it has mapped memory where the translation belongs, or is recorded already";
	case -ENOEXEC:
		return "it is no 64-bit process for x86";
	case -EACCES:
		return "it has a seccomp filter, which may kill it for system calls of the runtime";
	case -EXDEV:
		return "it is in another PID namespace, a container's: softpt must be in that, too";
	case -ENOLCK:
		return "it locks its memory (mlockall)";
	case -ETIMEDOUT:
		return "a thread does not stop: it waits for a vfork(), or for a device";
	case -EADDRINUSE:
		return "it uses the GS segment";
	case -E2BIG:
		return "it has more code than can be translated where it is";
	case -EAGAIN:
		return "it has more threads than can be translated (256)";
	}
	return strerror(-err);
}

/* Code above 2 GB has numbers, piece by piece. The runtime's own memory has a place of its own. */
static int check_maps(const struct traced *p)
{
	uint64_t from, to, pieces = 0, last = 0;
	char line[512], prot[8];
	int err = 0;
	FILE *f;

	f = traced_open(p, "maps");
	if (!f)
		return errno == EACCES ? -EPERM : -errno;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s", &from, &to, prot) != 3)
			continue;
		if (strstr(line, "/memfd:" XL_SHARE_NAME))
			err = -EEXIST;
		if (prot[2] != 'x' || from < SOFTPT_XL_FAR || from >> 47)
			continue;
		from >>= SOFTPT_XL_PIECE;
		to = ((to - 1) >> SOFTPT_XL_PIECE) + 2;	/* what begins there ends behind it */
		pieces += to - (from > last ? from : last);
		last = to;
	}
	fclose(f);
	return pieces > PIECES_FREE ? -E2BIG : err;
}

/* Numbers of processes are the recorder's; all memory that is mapped would be there at once. */
static int check_process(const struct traced *p)
{
	unsigned long locked = 0;
	int outer, inner[2];
	char names[64] = "";

	if (!traced_status(p->pid, p->alive, "NSpid: %63[^\n]", names))
		return -ESRCH;
	if (sscanf(names, "%d %d", &outer, inner) != 1)
		return -EXDEV;
	traced_status(p->pid, p->alive, "VmLck: %lu", &locked);
	return locked ? -ENOLCK : check_maps(p);
}

/* Its own descriptor: the file is not opened again, with the recorder's rights. */
static int get_descriptor(pid_t pid, int there)
{
	int process = (int)syscall(SYS_pidfd_open, pid, 0), fd, err;

	if (process < 0)
		return -errno;
	fd = (int)syscall(SYS_pidfd_getfd, process, there, 0);
	err = -errno;
	close(process);
	return fd < 0 ? err : fd;
}

/*
 * The process makes the file: it may have no right to open one of the recorder's.
 *
 * Return: its descriptor there, or -errno
 */
static long open_share(struct taking *k)
{
	const uint64_t at = k->remote.stack - 4096;
	const uint64_t args[6] = { at, MFD_CLOEXEC | MFD_ALLOW_SEALING };
	int err = traced_write(&k->threads, at, XL_SHARE_NAME, sizeof(XL_SHARE_NAME)), fd;
	long there;

	if (err)
		return err;
	there = remote_syscall(&k->remote, SYS_memfd_create, args);
	if (there < 0)
		return there;
	fd = get_descriptor(k->pid, (int)there);
	err = fd < 0 ? fd : xl_share_adopt(k->share, fd);
	if (!err)
		return there;
	remote_syscall(&k->remote, SYS_close, (const uint64_t[6]){ there });
	return err;
}

/* The area that the process has taken; NULL: none */
static const struct softpt_xl_process *find_area(const struct taking *k)
{
	const struct softpt_xl_shared *shared = k->share->map;

	return shared && shared->taken ? xl_process(k->share, 0) : NULL;
}

static int begin_runtime(struct taking *k)
{
	uint64_t args[6] = { 0 }, ret;
	long fd = open_share(k);
	int err;

	if (fd < 0)
		return (int)fd;
	args[0] = fd;
	err = remote_call(&k->remote, k->in->entries.begin, args, &ret);
	k->process = find_area(k);
	k->begun = !err;
	if (err == -EPROTO) {
		refuse("record", "process %d: %s: %s (--how=module)", (int)k->pid, k->remote.why,
		       k->threads.child ? "it is ended" : "it goes on as it was");
		return -ECONNREFUSED;
	}
	return err ? err : k->process ? 0 : -ENOEXEC;
}

/* ---- threads ---- */

/* As the kernel has it: struct ptrace_rseq_configuration */
struct rseq {
	uint64_t at;
	uint32_t size;
	uint32_t signature;
	uint32_t flags;
	uint32_t pad;
};

/* As the kernel has it: struct rseq_cs */
struct sequence {
	uint32_t version, flags;
	uint64_t start, len, abort;
};

/* A thread that is in such a sequence goes on at its abort, as when the kernel moves it. */
static void leave_sequence(const struct taking *k, const struct rseq *rseq,
			   struct user_regs_struct *r)
{
	struct sequence s;
	uint64_t at = 0;

	if (!rseq->at || traced_read(&k->threads, rseq->at + 8, &at, sizeof(at)) || !at ||
	    traced_read(&k->threads, at, &s, sizeof(s)))
		return;
	if (r->rip - s.start < s.len)
		r->rip = s.abort;
}

static int take_thread(struct taking *k, struct traced_thread *t)
{
	struct user_regs_struct regs;
	struct context c;
	struct rseq rseq = { 0 };
	uint64_t words, stack, nr, ends, args[6];
	const uint64_t mask = t == k->remote.t ? k->remote.mask : traced_mask(t);
	int err = traced_get(t, &regs);

	if (err)
		return err;
	nr = regs.orig_rax;
	ends = context_ends(&regs);
	context_restart(&regs);
	ptrace(RSEQ_CONFIGURATION, t->tid, sizeof(rseq), &rseq);
	leave_sequence(k, &rseq, &regs);
	context_of(&c, &regs);
	args[0] = t->tid | ends;
	if (regs.rax == SYS_restart_syscall)
		args[0] |= nr << 32;
	args[1] = regs.rip;
	args[2] = mask;
	args[3] = regs.rsp;
	args[4] = rseq.at;
	args[5] = rseq.size | (uint64_t)rseq.signature << 32;
	err = remote_call(&k->remote, k->in->entries.take, args, &words);
	if (!err && !words)
		err = -EAGAIN;
	if (!err)
		err = traced_read(&k->threads, words + offsetof(struct softpt_xl_words, stack),
				  &stack, sizeof(stack));
	if (!err)
		err = traced_write(&k->threads, stack - sizeof(c), &c, sizeof(c));
	if (err)
		return err;
	t->words = words;
	t->stack = stack;
	return 0;
}

/* From here on there is no way back but takeover_end(). */
static void enter(struct taking *k, struct traced_thread *t)
{
	struct user_regs_struct regs;

	if (traced_get(t, &regs))
		return;
	regs.rip = k->in->entries.enter;
	regs.rsp = t->stack - SOFTPT_XL_CONTEXT;
	regs.gs_base = t->words;
	regs.gs = 0;
	regs.orig_rax = -1;
	regs.eflags &= ~CONTEXT_ODD;
	traced_set(t, &regs);
	traced_set_mask(t, ~0ull);	/* its alternate stack is the program's yet */
}

static int take_threads(struct taking *k)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < k->threads.nr && !err; i++)
		if (!k->threads.thread[i].gone)
			err = take_thread(k, &k->threads.thread[i]);
	if (err)
		return err;
	for (i = 0; i < k->threads.nr; i++)
		if (!k->threads.thread[i].gone)
			enter(k, &k->threads.thread[i]);
	return 0;
}

/* ---- all of it ---- */

/* A filter of system calls may kill the process for one of the runtime's. */
static int check_thread(const struct traced *p, const struct traced_thread *t)
{
	struct user_regs_struct regs;
	int err = t->gone ? 0 : traced_get(t, &regs), filter = 0;

	if (t->gone || err)
		return err;
	if (regs.cs != USER_CS)
		return -ENOEXEC;
	traced_status(p->pid, t->tid, "Seccomp: %d", &filter);
	if (filter)
		return -EACCES;
	return regs.gs_base || regs.gs ? -EADDRINUSE : 0;
}

static int check_threads(struct taking *k)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < k->threads.nr && !err; i++)
		err = check_thread(&k->threads, &k->threads.thread[i]);
	return err;
}

static void undo(struct taking *k)
{
	const uint64_t none[6] = { 0 };
	uint64_t ret;

	if (k->begun && (remote_call(&k->remote, k->in->entries.end, none, &ret) || !ret))
		refuse("record", "process %d: breakpoints stay in its code", (int)k->pid);
	inject_undo(k->in, &k->remote, k->process);
}

static int take(struct taking *k)
{
	char runtime[PATH_MAX];
	int err = check_threads(k);

	if (!err && !xl_runtime(runtime, sizeof(runtime)))
		err = -ENOENT;
	if (!err)
		err = remote_begin(&k->remote, &k->threads, traced_first(&k->threads));
	if (err)
		return err;
	err = inject(k->in, &k->remote, runtime);
	if (!err) {
		err = begin_runtime(k);
		if (!err)
			k->taken->ready(k->taken->ctx, xl_process(k->share, 0));
		if (!err)
			err = take_threads(k);
		if (err && !k->threads.child)
			undo(k);
	}
	if (err)
		remote_end(&k->remote);
	return err;
}

/* It goes on as it was: where the kernel would not make a system call anew, this does. */
static void leave_be(struct taking *k)
{
	struct user_regs_struct regs;
	struct traced_thread *t;

	for (t = k->threads.thread; t < k->threads.thread + k->threads.nr; t++) {
		if (t->gone || traced_get(t, &regs) || regs.rax != (uint64_t)-EINTR)
			continue;
		context_restart(&regs);
		traced_set(t, &regs);
	}
}

/* It has executed nothing: nor will it. */
static void end_child(struct taking *k, int err)
{
	siginfo_t info = { 0 };

	waitid(P_PID, (id_t)k->pid, &info, WEXITED | WNOHANG | WNOWAIT);
	k->taken->ended = info.si_pid || err == -ESRCH;
	kill(k->pid, SIGKILL);
}

static int stop_and_take(struct taking *k, struct takeover *taken)
{
	int err = traced_choose(&k->threads, k->pid) ? check_process(&k->threads) : -ESRCH;

	if (!err)
		err = traced_begin(&k->threads, false);
	if (!err) {
		traced_status(k->pid, k->threads.alive, "Uid: %63[^\n]", taken->users);
		err = take(k);
		if (err)
			leave_be(k);
	}
	if (err && k->threads.child)
		end_child(k, err);
	traced_end(&k->threads);
	return err;
}

int takeover_begin(pid_t pid, struct xl_share *share, struct takeover *taken)
{
	struct taking k = {
		.pid = pid, .share = share, .in = &taken->in, .taken = taken,
		.threads = { .child = taken->child, .mem = -1 },
	};
	char name[32];
	int err = stop_and_take(&k, taken);

	snprintf(name, sizeof(name), "%d", (int)pid);
	if (err == -ECONNREFUSED || (err && taken->ended))	/* the message is there, or none */
		return EXIT_REFUSED;
	return err ? refuse(name, "%s", text_of(err)) : 0;
}
