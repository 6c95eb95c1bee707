/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel did beside a thread's calls, on a track of its own: while a thread is off its CPU
 * the estimates of its calls go on.
 */
#ifndef SOFTPT_EXPORT_KERNEL_BESIDE_H
#define SOFTPT_EXPORT_KERNEL_BESIDE_H

#include "export/perfetto.h"

/**
 * struct beside - the track of a thread, all zero at first
 * @track: 0: there is none yet
 * @ns: of the last event: later ones are not before it
 * @off: the thread is off its CPU: a slice is open
 */
struct beside {
	uint64_t track;
	uint64_t ns;
	bool off;
};

/* The next row: of a switch, a fault or an interrupt. @thread: the track above; @ns: its time */
void beside_take(struct beside *b, struct perfetto *p, uint64_t thread,
		 const struct softpt_flow_row *row, uint64_t ns);
/* The trace ends. */
void beside_end(struct beside *b, struct perfetto *p);

#endif /* SOFTPT_EXPORT_KERNEL_BESIDE_H */
