/* SPDX-License-Identifier: BSD-2-Clause */
/* What `perf script` says of a perf.data file without the program's code */
#ifndef SOFTPT_TOOL_EVAL_PERFSCRIPT_H
#define SOFTPT_TOOL_EVAL_PERFSCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* perf tells in stream order what is of one kind */
enum perf_told {
	PERF_TO,	/* where execution went on: at a TIP, or at the FUP of something */
	PERF_END,	/* a disable, and where it was */
	PERF_PTWRITE,
	PERF_POWER,
	PERF_TOLD
};

struct perf_sample {
	uint64_t time;
	uint64_t ip;
};

struct perf_samples {
	struct perf_sample *v;
	size_t n;
	size_t alloc;
};

/**
 * perf_script() - ask perf
 * @data: descriptor of the file
 * @branch: the trace has branches: a PSB+ says where it is, which is left out
 * @told: all zero; free each v in any case
 *
 * Return: 0 or -errno; -ENOENT: there is no perf, -ECHILD: it fails.
 */
int perf_script(int data, bool branch, struct perf_samples told[PERF_TOLD]);

#endif /* SOFTPT_TOOL_EVAL_PERFSCRIPT_H */
