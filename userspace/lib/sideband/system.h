/* SPDX-License-Identifier: BSD-2-Clause */
/* What there is before a recording begins */
#ifndef SOFTPT_SIDEBAND_SYSTEM_H
#define SOFTPT_SIDEBAND_SYSTEM_H

#include <stdint.h>
#include <sys/types.h>

#include <softpt/perf.h>

/* Return: what @each says, until that is not 0 */
int process_threads(pid_t pid, int (*each)(pid_t tid, void *arg), void *arg);

/* COMM and MMAP2 records of a process and its threads. Return: 0 or -errno of the writer */
int process_describe(pid_t pid, struct softpt_perf_writer *w, uint64_t time);

/* COMM and MMAP2 records of all processes. Return: 0 or -errno of the writer */
int system_describe(struct softpt_perf_writer *w, uint64_t time);

/* ITRACE_START: a thread's trace begins. @cpu: -1: on any. Return: 0 or -errno of the writer */
int start_put(struct softpt_perf_writer *w, pid_t pid, pid_t tid, uint32_t cpu, uint64_t time);

#endif /* SOFTPT_SIDEBAND_SYSTEM_H */
