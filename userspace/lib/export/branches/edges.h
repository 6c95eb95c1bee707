/* SPDX-License-Identifier: BSD-2-Clause */
/* How often each branch was taken, and what was executed between two of them */
#ifndef SOFTPT_EXPORT_BRANCHES_EDGES_H
#define SOFTPT_EXPORT_BRANCHES_EDGES_H

#include <stdbool.h>
#include <stdint.h>

#include "flow/process.h"
#include "flow/stride/stride.h"
#include "report/index.h"

/* The rows that edges are made of */
#define EDGE_ROWS \
	(1u << SOFTPT_FLOW_BRANCH | 1u << SOFTPT_FLOW_ON | 1u << SOFTPT_FLOW_KERNEL | \
	 1u << SOFTPT_FLOW_INTERRUPT | 1u << SOFTPT_FLOW_ABORT | 1u << SOFTPT_FLOW_OVERFLOW | \
	 1u << SOFTPT_FLOW_LOST)

#define NOWHERE	UINT32_MAX	/* no end, no edge */

/* Where branches begin and end; @plt: in a stub of the linker's */
struct edge_end {
	uint32_t file;		/* INDEX_NEW: none */
	uint64_t addr;
	bool plt;
};

/* From one end to another, so often; @outside: what is before came from another file */
struct edge {
	uint32_t from;
	uint32_t to;
	bool outside;
	uint64_t times;
};

/* In the order of their first times */
struct edge_list {
	struct report_index by_ends;
	struct edge *edge;
	uint32_t n;
};

/* A file that was mapped; @is_program: a thread is called after it */
struct edge_file {
	char *path;
	uint64_t branches;
	bool is_program;
};

struct edge_place;
struct edge_pair;
struct edge_stride;

/**
 * struct edges - all of them, zero at first
 * @by_file: numbers of files
 * @file: the files
 * @files: how many
 * @by_place: numbers of ends
 * @end: the ends
 * @ends: how many
 * @branches: edges that are branches
 * @between: from where a branch has led to the next one
 * @places: where each thread goes on
 * @pair: answers to what a branch is; NULL: none yet
 * @stride: what is known of strides, by their place in the table; NULL: nothing yet
 */
struct edges {
	struct report_index by_file;
	struct edge_file *file;
	uint32_t files;
	struct report_index by_place;
	struct edge_end *end;
	uint32_t ends;
	struct edge_list branches;
	struct edge_list between;
	struct edge_place *places;
	struct edge_pair *pair;
	struct edge_stride *stride;
};

/* Return: false without memory */
bool edges_take(struct edges *e, const struct softpt_flow_row *row);
/* All its branches, which a thread went. Return: false without memory */
bool edges_take_stride(struct edges *e, const struct softpt_flow_thread *thread,
		       const struct flow_stride *s);
/* Behind the walk: how often strides were gone is of their edges now. */
void edges_settle(struct edges *e);
void edges_free(struct edges *e);

#endif /* SOFTPT_EXPORT_BRANCHES_EDGES_H */
