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

#include "softpt-device.h"
#include "softpt-perf.h"
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

/* ---- what is there before (system.c) ---- */

/* COMM and MMAP2 records of all processes. Return: 0 or -errno of the writer */
int system_describe(struct softpt_perf_writer *w, uint64_t time);

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
	bool stop;		/* asked for a second time: it goes on alone */
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

/* One that has come: the program has exited, or is told of it */
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
 *
 * Return: 0 when it runs, or the exit status after a message: 127 not found, 126 not
 * executable, as shells have it.
 */
int target_go(struct target *t, const char *name);

/* Until it has exited, unless there is none, or it was to go on alone */
void target_wait(struct target *t);

/* The exit status that a shell would show for what waitpid() told */
int target_status(int wstatus);

/* ---- MMAP2, COMM, EXIT... of the program (sideband.c) ---- */

struct sideband;

struct watched {
	pid_t pid;		/* -1: all that there are and will be, @tid too */
	pid_t tid;		/* @pid, or another of its threads */
	bool runs;		/* it has not still to exec */
	bool whole;		/* each thread has its own trace: no switches */
};

/**
 * sideband_open() - watch a thread, and the threads and children that it makes
 * @who: which
 * @cpus: where it may run
 * @nr: how many
 * @model: the trace is on the model clock, which the kernel knows nothing of: all
 *	records get the time 1
 *
 * From perf events, or where those are refused from /proc/PID/maps.
 *
 * Return: NULL without memory.
 */
struct sideband *sideband_open(const struct watched *who, const unsigned int *cpus,
			       unsigned int nr, bool model);

/* Watch another thread. Return: 1; 0: it was watched, or is gone; -errno */
int sideband_join(struct sideband *s, pid_t tid);

/* How perf's clock follows from the TSC */
void sideband_clock(const struct sideband *s, struct softpt_perf_setup *setup);

/* What to wait for. Return: entries filled in, at most one per CPU */
unsigned int sideband_poll(const struct sideband *s, struct pollfd *p);
/* And what has come of it */
void sideband_polled(struct sideband *s, const struct pollfd *p);

/* The process is traced on a CPU from now on: ITRACE_START */
int sideband_begin(struct sideband *s, struct softpt_perf_writer *w, unsigned int cpu);

/* All are traced from now on: system_describe(); or one that runs: process_describe() */
int sideband_describe(struct sideband *s, struct softpt_perf_writer *w);

/* Hand on what is there. Return: 0 or -errno of the writer */
int sideband_drain(struct sideband *s, struct softpt_perf_writer *w);

void sideband_close(struct sideband *s);

/* ---- where perf events are refused (sideband-maps.c) ---- */

struct maps;

/* @runs: it has not still to exec */
struct maps *maps_open(pid_t pid, bool runs);
/*
 * Records of the executable mappings that were not there at the last call
 * @before: perf's time since when they may be there: then, or @now where that is known
 */
int maps_drain(struct maps *m, struct softpt_perf_writer *w, uint64_t before, uint64_t now);
void maps_close(struct maps *m);

/* The name of a thread. Return: whether it has one */
bool comm_read(pid_t tid, char comm[16]);
/* Its record. @exec: and what was mapped before is gone */
int comm_put(struct softpt_perf_writer *w, pid_t pid, pid_t tid, const char *comm, bool exec,
	     uint64_t time);

/* ---- a process that runs already (attach.c, process.c) ---- */

struct attached {
	pid_t tid;		/* 0: none */
	pid_t pid;		/* its process */
	bool threads;		/* all of that, not @tid alone */
	int gone;		/* readable when the process is; -1: nobody can tell */
};

/* @tid and @threads are set. Return: 0, or EXIT_REFUSED after a message */
int attached_find(struct attached *a);

/* Watch what else it has, before attached_go(). Return: 0 or -errno */
int attached_watch(const struct attached *a, struct sideband *s, const struct units *u);

/* Stepping begins. Return: 0, or EXIT_REFUSED after a message */
int attached_go(const struct attached *a, int session);

/* Call @each for each thread. Return: what @each says, until that isn't 0 */
int process_threads(pid_t pid, int (*each)(pid_t tid, void *arg), void *arg);

/* COMM and MMAP2 records of a process and its threads. Return: 0 or -errno of the writer */
int process_describe(pid_t pid, struct softpt_perf_writer *w, uint64_t time);

#endif /* SOFTPT_TOOL_RECORD_RECORD_H */
