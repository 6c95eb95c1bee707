/* SPDX-License-Identifier: BSD-2-Clause */
/* A trace in another program's format */
#ifndef SOFTPT_EXPORT_EXPORT_H
#define SOFTPT_EXPORT_EXPORT_H

#include <stdio.h>

#include "base/error.h"
#include "input/input.h"

struct table;

/**
 * struct export - what is written, and how
 * @output: the file; "-": stdout
 * @root: put before the names of mapped files
 * @truth: file of times, or NULL
 * @cpu: its stream only; -1: all
 * @branches: each branch that was taken, too, where the format has a place for them
 * @table: what is written, where the format has one table; NULL: calls
 * @symbol_order: where to the order of functions, where the format has one; NULL: it is not written
 * @given: @cfg is what made the streams
 * @cfg: where they do not say so themselves
 * @errors: who is told what went wrong, and of what
 */
struct export {
	const char *output;
	const char *root;
	const char *truth;
	int cpu;
	bool branches;
	const struct table *table;
	const char *symbol_order;
	bool given;
	struct softpt_config cfg;
	const struct error_sink *errors;
};

/* Streams to write, in order; each of a CPU of its own */
struct export_stream {
	const struct input *in;
	const struct input_stream *s;
	unsigned int cpu;
};

/* A format, in a file of its own. Return: 0; -errno, @e->errors was told */
struct exporter {
	const char *name;
	int (*run)(const struct export *e, const struct export_stream *streams, unsigned int nr);
};

extern const struct exporter export_perf;
extern const struct exporter export_perfetto;
extern const struct exporter export_pt;
extern const struct exporter export_events;
extern const struct exporter export_folded;
extern const struct exporter export_speedscope;
extern const struct exporter export_callgrind;
extern const struct exporter export_pprof;
extern const struct exporter export_lcov;
extern const struct exporter export_cobertura;
extern const struct exporter export_drcov;
extern const struct exporter export_bolt;
extern const struct exporter export_autofdo;
extern const struct exporter export_propeller;
extern const struct exporter export_sqlite;
extern const struct exporter export_arrow;

/* What made a stream: what is given, its own description, or the file's */
void export_config(const struct export *e, const struct export_stream *s,
		   struct softpt_config *cfg);

/* The streams of one file that were chosen, as a file: free @part->streams. Return: 0 or -ENOMEM */
int export_streams_of(const struct export *e, const struct export_stream *streams, unsigned int nr,
		      struct input *part);

/* The same where all are of one file. Return: 0 or -errno: -EINVAL: they are not */
int export_recording(const struct export *e, const struct export_stream *streams, unsigned int nr,
		     struct input *part);

/* The packets of one CPU, as perf wants them. Return: 0 or -errno */
struct softpt_perf_writer;
int export_perf_trace(struct softpt_perf_writer *w, unsigned int cpu, const void *buf, size_t len);

/* Prints into the file. Return: 0 or -errno; errors of @to are found behind it */
typedef int (*export_print_fn)(void *ctx, FILE *to);

/* Open the file, print it, close it. Return: 0; -errno, @e->errors was told */
int export_print(const struct export *e, export_print_fn print, void *ctx);

/* Opened, and emptied, when there is something to write. Return: fd or -errno */
int export_open(const struct export *e);
/* Write all. Return: 0 or -errno */
int export_write(const struct export *e, int fd, const void *buf, size_t len);
/* Return: @err, or -errno of closing */
int export_close(const struct export *e, int fd, int err);

#endif /* SOFTPT_EXPORT_EXPORT_H */
