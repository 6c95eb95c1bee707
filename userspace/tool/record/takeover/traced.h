/* SPDX-License-Identifier: BSD-2-Clause */
/* All threads of a process, stopped by ptrace */
#ifndef SOFTPT_TOOL_RECORD_TAKEOVER_TRACED_H
#define SOFTPT_TOOL_RECORD_TAKEOVER_TRACED_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <sys/user.h>

/**
 * struct traced_thread - one of them
 * @tid: its number
 * @stopped: it has stopped, and can be asked
 * @gone: it has ended
 * @done: the caller's; so is @native
 * @native: it executes its own code
 * @status: as waitpid() tells
 * @nr: the system call that it was in when it was sent out of that; @code: what interrupted it
 * @code: as the kernel has it; 0: it was about to make it
 * @words: its words in the runtime; 0: it has none
 * @stack: the top of its stack in the runtime
 * @kept: a signal that came at a bad time, and is sent again: 0: none
 */
struct traced_thread {
	pid_t tid;
	bool stopped;
	bool gone;
	bool done;
	bool native;
	int status;
	uint64_t nr;
	int code;
	uint64_t words;
	uint64_t stack;
	int kept;
};

struct traced {
	pid_t pid;
	pid_t alive;		/* a thread of it: the first may have ended */
	pid_t child;		/* the caller's own, who waits for it elsewhere; 0: none */
	int mem;		/* /proc/PID/mem */
	struct traced_thread *thread;
	unsigned int nr;
	/* Called again and again while a thread is waited for, which may wait for that; or NULL */
	void (*idle)(void *ctx);
	void *ctx;
};

/* @p: zero, but for child, idle and ctx. Return: whether the process is there */
bool traced_choose(struct traced *p, pid_t pid);
/*
 * Attach to all threads, also those that are made meanwhile, and stop them.
 *
 * @p: of traced_choose()
 * @even_stopped: one that a signal has stopped, too: it gets that again at the end
 *
 * Return: 0 or -errno: -EPERM: it may not be traced, or is; -ESRCH: it is gone;
 * -ECANCELED: it was stopped before; -ETIMEDOUT: a thread does not stop, as in vfork()
 */
int traced_begin(struct traced *p, bool even_stopped);
/* Also where traced_begin() has failed. Those that are left go on by themselves. */
void traced_end(struct traced *p);

/* One that has not ended; NULL: there is none */
struct traced_thread *traced_first(struct traced *p);
/* Ask it to stop, and wait until it has. */
void traced_stop(struct traced *p, struct traced_thread *t);
/* It has been let go: until it stops again. */
void traced_wait(struct traced *p, struct traced_thread *t);
/*
 * As waitpid() with @how, but the end of the caller's own child is left for who waits for that:
 * @status is 0 then.
 */
pid_t traced_waitpid(const struct traced *p, const struct traced_thread *t, int *status, int how);
/* It goes on, with signal @signo or 0. */
void traced_go(struct traced_thread *t, int signo);
/* Look whether it has stopped or ended. Return: whether */
bool traced_look(const struct traced *p, struct traced_thread *t);
/* Add threads that there are by now. Return: whether there were any; -errno */
int traced_find(struct traced *p);
/* It stopped since it was asked to, or begins: not for a signal. */
bool traced_is_plain(const struct traced_thread *t);

int traced_get(const struct traced_thread *t, struct user_regs_struct *r);
int traced_set(const struct traced_thread *t, const struct user_regs_struct *r);
uint64_t traced_mask(const struct traced_thread *t);
void traced_set_mask(const struct traced_thread *t, uint64_t mask);

/* A line of /proc/PID/task/TID/status, as numbers in @format. Return: whether it is there */
bool traced_status(pid_t pid, pid_t tid, const char *format, void *value);
/* A file of /proc of a thread that lives, "maps" or another. NULL: errno says why */
FILE *traced_open(const struct traced *p, const char *name);

/* Signals that wait to be delivered: to the thread, or to any of its process */
struct traced_signals {
	unsigned long long own;
	unsigned long long shared;
	unsigned long long caught;	/* those that have a handler */
};

struct traced_signals traced_signals(const struct traced *p, const struct traced_thread *t);

/* Return: 0 or -errno */
int traced_read(const struct traced *p, uint64_t from, void *to, size_t len);
int traced_write(const struct traced *p, uint64_t to, const void *from, size_t len);

#endif /* SOFTPT_TOOL_RECORD_TAKEOVER_TRACED_H */
