/* SPDX-License-Identifier: BSD-2-Clause */
/* The trace of each CPU or thread, of the pieces of it that a perf.data file has */
#ifndef SOFTPT_PERFDATA_STREAMS_H
#define SOFTPT_PERFDATA_STREAMS_H

struct softpt_perf;

/* Return: 0 or -ENOMEM; perfstreams_free() in either case */
int perfstreams_make(struct softpt_perf *p);
void perfstreams_free(struct softpt_perf *p);

#endif /* SOFTPT_PERFDATA_STREAMS_H */
