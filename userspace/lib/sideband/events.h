/* SPDX-License-Identifier: BSD-2-Clause */
/* What becomes of a process while it is recorded: MMAP2, COMM, FORK, EXIT, switches */
#ifndef SOFTPT_SIDEBAND_EVENTS_H
#define SOFTPT_SIDEBAND_EVENTS_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <softpt/perf.h>

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

/* How perf's clock follows from the TSC: as perf tells, or as is measured, in 5 ms at most */
void sideband_clock(struct sideband *s, struct softpt_perf_setup *setup);

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

#endif /* SOFTPT_SIDEBAND_EVENTS_H */
