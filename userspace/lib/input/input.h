/* SPDX-License-Identifier: BSD-2-Clause */
/* Traces of any kind: raw packets, perf.data */
#ifndef SOFTPT_INPUT_INPUT_H
#define SOFTPT_INPUT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/softpt.h>

#include "base/error.h"

struct softpt_perf;

/* The packets of one CPU */
struct input_stream {
	const uint8_t *buf;
	size_t len;
	int cpu;		/* -1: the file does not say */
	int tid;		/* of a thread's trace, on whatever CPU; or -1 */
};

/**
 * struct input - a trace
 * @path: as it was given
 * @streams: one per CPU, in the order of the CPUs
 * @nr: how many streams
 * @foreign: @config says what the file tells of the units; a stream that describes
 *	itself knows better
 * @config: of the units
 * @perf: what else a perf.data file holds, NULL for raw packets
 * @root: of an archive, the folder with the files that were mapped; else NULL
 * @map: the file, mapped or read
 * @mapped: @map is a mapping, not memory of malloc()
 * @size: bytes of @map
 */
struct input {
	const char *path;
	struct input_stream *streams;
	unsigned int nr;
	bool foreign;
	struct softpt_config config;
	struct softpt_perf *perf;
	char *root;

	void *map;		/* the file, mapped or read */
	size_t size;
	bool mapped;
};

/**
 * input_open() - open a trace
 * @in: filled in; nothing is left to be closed on an error
 * @path: a file, the folder that `perf record --kcore` or softpt archive makes, or "-" for stdin
 * @e: on an error, what is wrong and where
 *
 * A regular file is mapped: a reader gets SIGBUS if the file becomes shorter.
 *
 * Return: 0, or -errno.
 */
int input_open(struct input *in, const char *path, struct error *e);

void input_close(struct input *in);

#endif /* SOFTPT_INPUT_INPUT_H */
