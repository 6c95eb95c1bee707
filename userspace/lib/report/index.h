/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of pairs of numbers */
#ifndef SOFTPT_REPORT_INDEX_H
#define SOFTPT_REPORT_INDEX_H

#include <stddef.h>
#include <stdint.h>

#define INDEX_NEW	UINT32_MAX

struct index_cell {
	uint64_t a;
	uint64_t b;
	uint32_t value;
	uint32_t used;
};

/* A hash table with open addressing, all zero while it is empty */
struct report_index {
	struct index_cell *cell;
	size_t size;	/* a power of two */
	size_t n;
};

/*
 * The value of a pair; INDEX_NEW where it is asked for the first time. It may be written to until
 * the next call. Return: NULL without memory
 */
uint32_t *index_at(struct report_index *x, uint64_t a, uint64_t b);
/* A number for a name: the same for the same, and hardly ever for another */
uint64_t index_hash(const char *name);
void index_free(struct report_index *x);

#endif /* SOFTPT_REPORT_INDEX_H */
