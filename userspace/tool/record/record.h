/* SPDX-License-Identifier: BSD-2-Clause */
/* What recording a program is made of: the program, and what the kernel says of it */
#ifndef SOFTPT_TOOL_RECORD_RECORD_H
#define SOFTPT_TOOL_RECORD_RECORD_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <softpt/device.h>
#include <softpt/perf.h>
#include "sideband/events.h"
#include "truth.h"

/* ---- the units (units.c) ---- */

struct units {
	struct softpt_unit **unit;
	unsigned int *cpus;
	bool *taken;		/* what it has frozen was read: there will be no more */
	unsigned int nr;
	struct record_truth *truth;	/* of @unit; or NULL */
};

/**
 * units_open() - create and map the units
 * @u: all zero
 * @session: configured
 * @only: a CPU, or -1: all that are online
 * @ring: bytes of a unit
 *
 * Return: 0, or EXIT_REFUSED after a message; units_close() in both cases.
 */
int units_open(struct units *u, int session, int only, size_t ring);

/* Hand on what is there; @tsc: about now. Return: 0 or -errno of the writer */
int units_drain(struct units *u, struct softpt_perf_writer *w, uint64_t tsc);

/* What to wait for. Return: entries filled in, at most one per CPU */
unsigned int units_poll(const struct units *u, struct pollfd *p);

/* No unit will have more: the source has ended. */
bool units_done(const struct units *u);

/* The sum of all; losses count as told after this. */
void units_counts(struct units *u, struct softpt_counts *sum);

void units_close(struct units *u);

bool cpu_online(unsigned int cpu);

/* ---- the program (target.c) ---- */

struct target {
	pid_t pid;		/* 0: none, but for signals */
	int go;			/* write end: one byte lets it exec */
	int failure;		/* read end: why it did not */
	int signals;		/* readable when target_signal() has something to do */
	sigset_t mask;		/* its signal mask */
	int wstatus;
	struct rusage usage;
	bool exited;		/* with @wstatus and @usage */
	bool stop;		/* asked for a second time, or @timed: it goes on alone */
	bool timed;		/* the limit of time has come */
	unsigned int asked;
	/* A program that runs in translation: what is executed in its place, and knows it by */
	const char *runtime;	/* NULL: the program itself */
	char *env;		/* a variable of the environment, */
	int keep;		/* and a descriptor that stays open */
};

/**
 * target_signals() - signals wait from now on, until target_signal() looks at them
 * @t: all zero
 *
 * Return: 0, or EXIT_REFUSED after a message.
 */
int target_signals(struct target *t);

/* After so many nanoseconds, if that is not 0, a target is @timed. */
void target_limit(uint64_t ns);

/* One that has come: the program has exited, or is told of it, or the limit is there */
void target_signal(struct target *t);

/**
 * target_start() - fork the program; it waits before it arms itself
 * @t: its mask is set: target_signals()
 * @argv: what it will exec
 * @session: whose source steps it, or -1
 * @cpu: the only CPU that it may run on, or -1
 *
 * Return: 0, or EXIT_REFUSED after a message.
 */
int target_start(struct target *t, char **argv, int session, int cpu);

/**
 * target_go() - let it exec
 * @t: the program
 * @name: of the command, for a message
 *
 * Return: 0 when it runs, or the exit status after a message: 127 not found, 126 not
 * executable, as shells have it.
 */
int target_go(struct target *t, const char *name);

/* The same in two parts: it may exec, and what became of that */
void target_let(struct target *t);
int target_began(struct target *t, const char *name);

/* Until it has exited, unless there is none, or it was to go on alone */
void target_wait(struct target *t);

/* The exit status of the command: the program's, unless it goes on */
int target_result(const struct target *t);

/* The exit status that a shell would show for what waitpid() told */
int target_status(int wstatus);

/* ---- a process that runs already (attach.c) ---- */

struct attached {
	pid_t tid;		/* 0: none */
	pid_t pid;		/* its process */
	bool threads;		/* all of that, not @tid alone */
	int gone;		/* readable when the process is; -1: nobody can tell */
};

/* @tid and @threads are set. Return: 0, or EXIT_REFUSED after a message */
int attached_find(struct attached *a);

/* Watch what else it has, before attached_go(). @u: NULL: there are none. Return: 0 or -errno */
int attached_watch(const struct attached *a, struct sideband *s, const struct units *u);

/* Stepping begins. Return: 0, or EXIT_REFUSED after a message */
int attached_go(const struct attached *a, int session);

#endif /* SOFTPT_TOOL_RECORD_RECORD_H */
