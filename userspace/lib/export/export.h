/* SPDX-License-Identifier: BSD-2-Clause */
/* A trace in another program's format */
#ifndef SOFTPT_EXPORT_EXPORT_H
#define SOFTPT_EXPORT_EXPORT_H

#include "input/input.h"

struct export {
	const char *output;
	const char *root;	/* --root */
	const char *truth;	/* --truth, or NULL */
	int cpu;		/* --cpu; -1: all */
	bool given;		/* -c: @cfg is what made the streams */
	struct softpt_config cfg;
};

/* Streams to write, in order; each of a CPU of its own */
struct export_stream {
	const struct input *in;
	const struct input_stream *s;
	unsigned int cpu;
};

/*
 * One row per format, in a file of its own. Return: exit status, after a message where it
 * is not 0
 */
struct exporter {
	const char *name;
	int (*run)(const struct export *e, const struct export_stream *streams, unsigned int nr);
};

extern const struct exporter export_perf;
extern const struct exporter export_perfetto;
extern const struct exporter export_pt;
extern const struct exporter export_events;

/* What made a stream: -c, its own description, or the file's */
void export_config(const struct export *e, const struct export_stream *s,
		   struct softpt_config *cfg);

/* The packets of one CPU, as perf wants them. Return: 0 or -errno */
struct softpt_perf_writer;
int export_perf_trace(struct softpt_perf_writer *w, unsigned int cpu, const void *buf, size_t len);

/* Opened, and emptied, when there is something to write. Return: fd, or -1 after a message */
int export_open(const struct export *e);
/* Write all. Return: 0 or EXIT_REFUSED after a message */
int export_write(const struct export *e, int fd, const void *buf, size_t len);
/* Return: @status, or EXIT_REFUSED after a message */
int export_close(const struct export *e, int fd, int status);

#endif /* SOFTPT_EXPORT_EXPORT_H */
