/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes, threads and their calls, as a file tells of them */
#ifndef SOFTPT_FLOW_PROCESS_H
#define SOFTPT_FLOW_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include <softpt/flow.h>

#include "base/error.h"
#include "code/image.h"
#include "code/symbols.h"
#include "input/input.h"

#define FRAMES		64	/* of a thread, allocated at once */
#define FRAMES_MAX	4096	/* that are kept of a thread */

/* A function that was called and has not returned. The first of a thread was not called. */
struct flow_frame {
	uint64_t back;		/* where it returns to; 0: its call was not seen */
	uint64_t ip;		/* what it is; 0: not known yet, the call was to a stub */
	uint64_t from;		/* the call, where it was to a stub */
	struct softpt_flow_time when;
	bool handler;		/* of a signal: the kernel called it */
	bool done;		/* the handler has returned, by a call of the kernel */
	uint64_t interrupted;	/* where that goes on which the handler has interrupted */
};

struct flow_process {
	uint32_t pid;
	struct code_image *code;
	struct symbols *symbols;
	uint64_t mapped;	/* perf's time of its newest mapping */
	struct flow_process *next;
};

/**
 * struct softpt_flow_thread - a thread that was traced
 * @pid: its process
 * @tid: its number
 * @comm: its name
 * @process: what it runs; another one behind an exec
 * @frame: functions that were called and have not returned
 * @frames: how many of @frame are valid
 * @kept: how many there were before the transaction that it is in
 * @beyond: calls that @frame has no room for
 * @executed: instructions so far
 * @came: where it came to user mode; 0: not known
 * @came_executed: @executed, then
 * @lost: what it did last is lost
 * @left: it is in the kernel since @left_at, from @left_from
 * @left_at: when it left for the kernel
 * @left_from: from which instruction
 * @left_behind: of the instruction there; or where it was interrupted
 * @back_at: TSC of when it came to user mode; 0: it is not there
 * @out_at: when it left its CPU; its tsc is 0: it has one, or that is not known
 * @waited: ticks without a CPU since it left user mode, or came back
 * @next: in the list of all
 */
struct softpt_flow_thread {
	uint32_t pid;
	uint32_t tid;
	char comm[16];
	struct flow_process *process;
	struct flow_frame *frame;
	unsigned int frames;
	unsigned int kept;
	unsigned int beyond;
	uint64_t executed;
	uint64_t came;
	uint64_t came_executed;
	bool lost;
	bool left;
	struct softpt_flow_time left_at;
	uint64_t left_from;
	uint64_t left_behind;
	uint64_t back_at;
	struct softpt_flow_time out_at;
	uint64_t waited;
	struct softpt_flow_thread *next;
};

struct flow_processes;

/* Gets what a process has executed */
typedef void (*flow_ran_fn)(void *ctx, struct flow_process *process, const struct code_run *run);

/* Whether the file says whose path was traced: a recording of the whole system does not */
bool flow_followed(const struct softpt_perf *perf);

/**
 * flow_processes_new() - what a file tells of processes, none of it told yet
 * @perf: the recording
 * @root: put before the names of mapped files
 * @errors: told of files whose code can't be read
 *
 * Return: NULL without memory.
 */
struct flow_processes *flow_processes_new(const struct softpt_perf *perf, const char *root,
					  const struct error_sink *errors);
/* Count what is executed, before anything is told. @ran gets the rest from flow_processes_ran() */
void flow_processes_count(struct flow_processes *p, flow_ran_fn ran, void *ctx);
void flow_processes_ran(struct flow_processes *p);
/* Tell what happened up to a TSC. Times only grow. Return: whether anything did, or -ENOMEM */
int flow_processes_until(struct flow_processes *p, uint64_t tsc);
/* The time of the next that would be told, as the file counts it. UINT64_MAX: there is none */
uint64_t flow_processes_next(const struct flow_processes *p);
/* Whether what @tid has done is told only when its own trace has come there */
typedef bool (*flow_later_fn)(const void *ctx, uint32_t tid);

/* The same, up to what is told @later */
int flow_processes_others(struct flow_processes *p, uint64_t tsc, flow_later_fn later,
			  const void *ctx);
/* Who runs now on the CPU of a stream. Return: NULL without memory */
struct softpt_flow_thread *flow_processes_on(struct flow_processes *p,
					     const struct input_stream *stream);
/* The thread that the file calls so now. Return: NULL: there is none */
struct softpt_flow_thread *flow_processes_thread(const struct flow_processes *p, uint32_t tid);
/* Whether the file tells of more threads than one */
bool flow_processes_many(const struct flow_processes *p);
struct softpt_flow_thread *flow_processes_threads(const struct flow_processes *p);
void flow_processes_free(struct flow_processes *p);

#endif /* SOFTPT_FLOW_PROCESS_H */
