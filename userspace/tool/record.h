/* SPDX-License-Identifier: BSD-2-Clause */
/* What recording a program is made of: the program, and what the kernel says of it */
#ifndef SOFTPT_TOOL_RECORD_H
#define SOFTPT_TOOL_RECORD_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "../lib/softpt-device.h"
#include "../lib/softpt-perf.h"

/* ---- the units (record-units.c) ---- */

struct units {
	struct softpt_unit **unit;
	unsigned int *cpus;
	unsigned int nr;
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

/* The sum of all; losses count as told after this. */
void units_counts(struct units *u, struct softpt_counts *sum);

void units_close(struct units *u);

/* ---- what is there before (record-system.c) ---- */

/* COMM and MMAP2 records of all processes. Return: 0 or -errno of the writer */
int system_describe(struct softpt_perf_writer *w, uint64_t time);

/* ---- the program (record-target.c) ---- */

struct target {
	pid_t pid;
	int go;			/* write end: one byte lets it exec */
	int failure;		/* read end: why it did not */
};

/**
 * target_start() - fork the program; it waits before it arms itself
 * @argv: what it will exec
 * @session: whose source steps it, or -1
 * @cpu: the only CPU that it may run on, or -1
 * @mask: its signal mask
 *
 * Return: 0, or EXIT_REFUSED after a message.
 */
int target_start(struct target *t, char **argv, int session, int cpu, const sigset_t *mask);

/**
 * target_go() - let it exec
 *
 * Return: 0 when it runs, or the exit status after a message: 127 not found, 126 not
 * executable, as shells have it.
 */
int target_go(struct target *t, const char *name);

/* The exit status that a shell would show for what waitpid() told */
int target_status(int wstatus);

/* ---- MMAP2, COMM, EXIT... of the program (sideband.c) ---- */

struct sideband;

/**
 * sideband_open() - watch a process that has not exec'ed yet, and its children
 * @pid: the process; -1: all that there are and will be
 * @cpus: where it may run
 * @nr: how many
 * @model: the trace is on the model clock, which the kernel knows nothing of: all
 *	records get the time 1
 *
 * From perf events, or where those are refused from /proc/PID/maps.
 *
 * Return: NULL without memory.
 */
struct sideband *sideband_open(pid_t pid, const unsigned int *cpus, unsigned int nr, bool model);

/* How perf's clock follows from the TSC */
void sideband_clock(const struct sideband *s, struct softpt_perf_setup *setup);

/* What to wait for. Return: entries filled in, at most one per CPU */
unsigned int sideband_poll(const struct sideband *s, struct pollfd *p);

/* The process is traced on a CPU from now on: ITRACE_START */
int sideband_begin(struct sideband *s, struct softpt_perf_writer *w, unsigned int cpu);

/* All are traced from now on: system_describe() */
int sideband_describe(struct sideband *s, struct softpt_perf_writer *w);

/* Hand on what is there. Return: 0 or -errno of the writer */
int sideband_drain(struct sideband *s, struct softpt_perf_writer *w);

void sideband_close(struct sideband *s);

/* ---- where perf events are refused (sideband-maps.c) ---- */

struct maps;

struct maps *maps_open(pid_t pid);
/* Records of the executable mappings that are new since the last call */
int maps_drain(struct maps *m, struct softpt_perf_writer *w, uint64_t time);
void maps_close(struct maps *m);

/* The TSC, where there is one */
uint64_t tsc_now(void);

#endif /* SOFTPT_TOOL_RECORD_H */
