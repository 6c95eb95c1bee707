/* SPDX-License-Identifier: BSD-2-Clause */
/* The index of a recording, kept in the user's cache */
#ifndef SOFTPT_TOOL_FLOW_KEPT_H
#define SOFTPT_TOOL_FLOW_KEPT_H

#include "flow/slice/file.h"

/* @index: NULL: there is none, and none is kept */
struct kept_index {
	struct flow_index *index;
	struct flow_index_key key;
	char folder[3072];
	char path[4096];
};

/* Recordings from a pipe, and those with streams of CPUs, have none. @root: of --root */
void kept_index_open(struct kept_index *k, const struct input *in, const char *root);
/* Keep what it has grown by, if there is a place for it. */
void kept_index_close(struct kept_index *k);

#endif /* SOFTPT_TOOL_FLOW_KEPT_H */
