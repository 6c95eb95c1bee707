/* SPDX-License-Identifier: BSD-2-Clause */
/* What recordings have executed, for programs that show coverage */
#ifndef SOFTPT_EXPORT_COVERED_H
#define SOFTPT_EXPORT_COVERED_H

#include <stdio.h>

#include "coverage/samples.h"
#include "coverage/sources.h"
#include "export/export.h"

/* Writes @what to @to. Return: 0 or -errno; errors of @to are found behind it */
typedef int (*covered_fn)(const void *what, FILE *to);

/**
 * covered_export() - walk recordings, and write which instructions they executed, all together
 * @e: where to
 * @streams: those of a file in a row
 * @nr: how many
 * @write: in the other program's format; it gets a struct coverage
 *
 * Return: 0; -EILSEQ: a part of a path is lost, and the rest is in the file; -errno. @e->errors
 * was told of each.
 */
int covered_export(const struct export *e, const struct export_stream *streams, unsigned int nr,
		   covered_fn write);
/*
 * The same by source files: @write gets a struct coverage_sources, of those that are here. Tools
 * that show lines give up where a source file is missing: that of a library of the system is.
 */
int covered_export_sources(const struct export *e, const struct export_stream *streams,
			   unsigned int nr, covered_fn write);

/* The same by functions, with what they called: @write gets a struct contexts. */
int covered_export_samples(const struct export *e, const struct export_stream *streams,
			   unsigned int nr, covered_fn write);

#endif /* SOFTPT_EXPORT_COVERED_H */
