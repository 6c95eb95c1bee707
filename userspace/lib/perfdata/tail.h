/* SPDX-License-Identifier: BSD-2-Clause */
/* The packets of each CPU or thread that are not in the file yet: from the last PSB on */
#ifndef SOFTPT_PERFDATA_TAIL_H
#define SOFTPT_PERFDATA_TAIL_H

#include "perfdata/buf.h"

struct perftail {
	uint32_t cpu;		/* -1: of a thread */
	uint32_t tid;		/* -1: of a CPU */
	struct perfbuf packets;
	uint64_t offset;	/* bytes before @packets, all of them in the file */
	uint64_t tsc;
};

/* All zero: none */
struct perftails {
	struct perftail *v;
	unsigned int n;
};

/* Return: an empty one, where there was none; NULL without memory */
struct perftail *perftails_get(struct perftails *tails, uint32_t cpu, uint32_t tid);

/* How many bytes are before the last PSB of the tail and of @buf behind it; 0: none are */
size_t perftail_cut(const struct perftail *t, const uint8_t *buf, size_t len);

void perftails_free(struct perftails *tails);

#endif /* SOFTPT_PERFDATA_TAIL_H */
