/* SPDX-License-Identifier: BSD-2-Clause */
/* An index between two walks, as a file */
#ifndef SOFTPT_FLOW_SLICE_FILE_H
#define SOFTPT_FLOW_SLICE_FILE_H

#include <stdint.h>

#include "flow/slice/index.h"

/* What an index is of: one of anything else is not taken. */
struct flow_index_key {
	uint64_t size;		/* of the recording */
	uint64_t seconds;	/* and when it was written */
	uint64_t nanoseconds;
	uint64_t settings;	/* of the walks: who found the functions, and where */
};

/**
 * flow_index_read() - the index that walks before have left
 * @in: the recording; it has a stream for each thread
 * @path: of the index, which is taken only if it is the caller's own regular file
 * @key: of the recording
 *
 * Nothing in the file is believed before it was held against @in.
 *
 * Return: the index, without points where the file has none for @in or is damaged; NULL without
 * memory.
 */
struct flow_index *flow_index_read(const struct input *in, const char *path,
				   const struct flow_index_key *key);

/* Put it in the place of the one at @path, if it has grown. Return: 0 or -errno */
int flow_index_write(const struct flow_index *index, const char *path,
		     const struct flow_index_key *key);

#endif /* SOFTPT_FLOW_SLICE_FILE_H */
