/* SPDX-License-Identifier: BSD-2-Clause */
/* The same from /proc, where perf events are refused */
#ifndef SOFTPT_SIDEBAND_MAPS_H
#define SOFTPT_SIDEBAND_MAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <softpt/perf.h>

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

#endif /* SOFTPT_SIDEBAND_MAPS_H */
