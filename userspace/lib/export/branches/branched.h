/* SPDX-License-Identifier: BSD-2-Clause */
/* What a recording has of one program, for programs that lay out its code anew */
#ifndef SOFTPT_EXPORT_BRANCHES_BRANCHED_H
#define SOFTPT_EXPORT_BRANCHES_BRANCHED_H

#include "export/branches/edges.h"
#include "export/export.h"

/**
 * struct branched - the branches of a recording
 * @edges: all of them
 * @of: the file that is written: the program that a thread is called after and that took most
 * branches, else the file that took most
 * @recording: its name
 */
struct branched {
	struct edges edges;
	uint32_t of;
	const char *recording;
};

/* Writes what is of one file. Return: 0; -errno, @e->errors was told */
typedef int (*branched_fn)(const struct export *e, struct branched *b);

/**
 * branched_export() - walk a recording, and write a profile of its program
 * @e: where to
 * @streams: those of the recording
 * @nr: how many
 * @write: in the other program's format
 *
 * Return: 0; -EILSEQ: a part of the path is lost, and the rest is in the file; -errno. @e->errors
 * was told of each.
 */
int branched_export(const struct export *e, const struct export_stream *streams, unsigned int nr,
		    branched_fn write);

#endif /* SOFTPT_EXPORT_BRANCHES_BRANCHED_H */
