/* SPDX-License-Identifier: BSD-2-Clause */
/* What `softpt flow` is made of: control flow, times, processes, names */
#ifndef SOFTPT_FLOW_FLOW_H
#define SOFTPT_FLOW_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softpt-decoder.h"
#include "softpt-perf.h"
#include "../../tool/input.h"
#include "../../tool/relative.h"
#include "code/symbols.h"

/* ---- control flow (ipt.c, lib/code/image-ipt.c: the only files that know libipt) ---- */

enum flow_kind {
	FLOW_BEGIN,		/* tracing begins or goes on at @to */
	FLOW_END,		/* tracing ends behind @from: the kernel, another program */
	FLOW_JUMP,
	FLOW_CALL,
	FLOW_RETURN,
	FLOW_INTERRUPT,		/* asynchronous, within the traced code */
	FLOW_OVERFLOW,		/* packets were lost */
	FLOW_LOST,		/* the decoder lost its way at @from: @error */
	FLOW_CUT,		/* the stream ends behind @from, amid a block */
	FLOW_INSN,		/* an instruction at @from that is no branch */
	FLOW_PTWRITE,		/* the one at @from wrote @value */
};

/* What packet a step needed: where its time comes from */
enum flow_packet {
	FLOW_NO_PACKET,
	FLOW_TNT,
	FLOW_TIP,
	FLOW_TNT_OR_TIP,	/* a return, compressed or not */
	FLOW_ENABLE,
	FLOW_DISABLE,
	FLOW_INTR,
	FLOW_OVF,
	FLOW_PTW,
	FLOW_PSB,		/* the first, amid a program */
};

/**
 * struct flow_step - a transfer of control, or an instruction
 * @bits: 16, 32 or 64: the mode of the instruction
 * @size: of it in bytes, 0: none
 * @raw: its bytes
 * @from: address of the instruction
 * @behind: of the one that follows it in memory
 * @to: where control went, 0: unknown
 * @start: of the block that the instruction ends
 * @sync: offset in the stream of the PSB that the decoder last passed
 * @instructions: since the step before, FLOW_INSN and FLOW_PTWRITE not counted as steps
 * @undone_instructions: of them, in a transaction that was aborted
 * @value: of PTWRITE
 * @offset: in the stream, of FLOW_LOST: what can't be followed is before it
 * @undone: the instruction was in a transaction that was aborted
 * @aborted: and this is where that was
 * @resumed: FLOW_BEGIN behind what was lost: anyone may run there
 */
struct flow_step {
	enum flow_kind kind;
	enum flow_packet packet;
	bool taken;
	uint8_t bits;
	uint8_t size;
	uint8_t raw[15];
	uint64_t from;
	uint64_t behind;
	uint64_t to;
	uint64_t start;
	uint64_t sync;
	uint64_t instructions;
	uint64_t undone_instructions;
	uint64_t value;
	uint64_t offset;
	bool undone;
	bool aborted;
	bool resumed;
	const char *error;
};

struct flow_files;
struct flow_code;
struct flow_walk;

#ifdef HAVE_LIBIPT
#define WITHOUT_LIBIPT	false
/* Files with code, which processes share. Return: NULL without memory */
struct flow_files *flow_files_new(void);
/* Behind the last process that has code of them */
void flow_files_free(struct flow_files *files);

/* The code of a process: none yet. Return: NULL without memory */
struct flow_code *flow_code_new(struct flow_files *files, const struct softpt_perf *perf);
/* That of a child, as fork leaves it. Return: NULL without memory */
struct flow_code *flow_code_copy(const struct flow_code *code, const struct softpt_perf *perf);
/*
 * A mapping, which hides what was at its addresses. Return: 0; -ENOMEM; -ENOENT: its code is not
 * known
 */
int flow_code_add(struct flow_code *code, const struct softpt_perf_map *map, const char *path);
/*
 * Code that no file holds. @newer: it replaces what was there; else it is what was there first, as
 * far as nothing else is known. Return: 0 or -ENOMEM
 */
int flow_code_put(struct flow_code *code, const struct softpt_perf_code *made, bool newer);
void flow_code_free(struct flow_code *code);

/* Whether there is any at an address */
bool flow_code_has(const struct flow_code *code, uint64_t ip);

/* @every: every instruction is a step. Return: NULL without memory */
struct flow_walk *flow_walk_new(const struct input_stream *stream, const struct input *in,
				bool every);
/* Whose code runs from now on; must stay while it is used */
void flow_walk_set_code(struct flow_walk *w, struct flow_code *code);
/* Return: false at the end of the stream */
bool flow_walk_next(struct flow_walk *w, struct flow_step *step);
void flow_walk_free(struct flow_walk *w);
#else
#define WITHOUT_LIBIPT	true
#define flow_files_new() ((struct flow_files *)1)
#define flow_files_free(files) ((void)(files))
#define flow_code_new(files, perf) ((void)(files), (void)(perf), (struct flow_code *)1)
#define flow_code_copy(code, perf) flow_code_new(code, perf)
#define flow_code_add(code, map, path) ((void)(code), 0)
#define flow_code_put(code, made, newer) ((void)(code), 0)
#define flow_code_free(code) ((void)(code))
#define flow_code_has(code, ip) ((void)(code), (void)(ip), false)
#define flow_walk_new(stream, in, every) ((struct flow_walk *)NULL)
#define flow_walk_set_code(w, code) ((void)(w), (void)(code))
#define flow_walk_next(w, step) ((void)(w), (void)(step), false)
#define flow_walk_free(w) ((void)(w))
#endif

/* ---- times (times.c) ---- */

struct flow_time {
	uint64_t tsc;
	uint64_t min;
	uint64_t max;
	bool bounded;		/* @max is known */
};

/* A cursor over the records of libsoftpt's decoder */
struct flow_times {
	struct softpt_decoder *d;
	struct softpt_record last;
	struct softpt_record next;
	struct softpt_record psb;	/* the newest that was passed */
	bool more;		/* @next is valid */
};

/* Return: 0 or -ENOMEM */
int flow_times_open(struct flow_times *t, const struct input *in,
		    const struct input_stream *stream);
/* When a step happened; steps come in the order of the stream */
void flow_times_of(struct flow_times *t, const struct flow_step *step, struct flow_time *when);
void flow_times_close(struct flow_times *t);

/* ---- processes and threads (process.c) ---- */

#define FRAMES	64	/* of a thread, allocated at once */

/* A function that was called and has not returned. The first of a thread was not called. */
struct flow_frame {
	uint64_t back;		/* where it returns to */
	uint64_t ip;		/* what it is; 0: not known yet, the call was to a stub */
	struct flow_time when;
	bool handler;		/* of a signal: the kernel called it */
	bool done;		/* the handler has returned, by a call of the kernel */
};

struct flow_process {
	uint32_t pid;
	struct flow_code *code;
	struct symbols *symbols;
	uint64_t mapped;	/* perf's time of its newest mapping */
	struct flow_process *next;
};

/**
 * struct flow_thread - a thread that was traced
 * @process: what it runs; another one behind an exec
 * @frames: how many of @frame are valid
 * @kept: how many there were before the transaction that it is in
 * @left: it is in the kernel since @left_at, from @left_from
 * @left_behind: of the instruction there; or where it was interrupted
 */
struct flow_thread {
	uint32_t pid;
	uint32_t tid;
	char comm[16];
	struct flow_process *process;
	struct flow_frame *frame;
	unsigned int frames;
	unsigned int kept;
	bool left;
	struct flow_time left_at;
	uint64_t left_from;
	uint64_t left_behind;
	struct flow_thread *next;
};

struct flow_processes;

/* Whether the file says whose path was traced: a recording of the whole system does not */
bool flow_followed(const struct softpt_perf *perf);

/**
 * flow_processes_new() - what a file tells of processes, none of it told yet
 * @root: put before the names of mapped files
 *
 * Return: NULL without memory.
 */
struct flow_processes *flow_processes_new(const struct softpt_perf *perf, const char *root);
/* Tell what happened up to a TSC. Times only grow. Return: 0 or -ENOMEM */
int flow_processes_until(struct flow_processes *p, uint64_t tsc);
/* Who runs now on the CPU of a stream. Return: NULL without memory */
struct flow_thread *flow_processes_on(struct flow_processes *p, const struct input_stream *stream);
/* Whether the file tells of more threads than one */
bool flow_processes_many(const struct flow_processes *p);
struct flow_thread *flow_processes_threads(const struct flow_processes *p);
void flow_processes_free(struct flow_processes *p);

/* ---- the path (path.c) ---- */

/* What a row tells, and its name */
#define FLOW_ROWS(X) \
	X(CALL, "call") \
	X(JUMP, "jump")			/* into a function: the one before is left */ \
	X(RETURN, "return")		/* @since: the call */ \
	X(BEGIN, "begin")		/* of a thread or a signal handler */ \
	X(KERNEL, "kernel")		/* back from there; @since: away */ \
	X(INTERRUPT, "interrupt") \
	X(BRANCH, "branch") \
	X(BLOCK, "block") \
	X(INSN, "insn") \
	X(PTW, "ptw")			/* PTWRITE at @ip, 0: unknown */ \
	X(ABORT, "abort")		/* of a transaction: what it did has not happened */ \
	X(OVERFLOW, "overflow") \
	X(LOST, "lost") \
	X(ON, "on")			/* the thread is traced from here on */ \
	X(OFF, "off")			/* and no longer */ \
	X(TRIGGER, "trigger")		/* @step.value: which; --relative alone has it */

enum flow_event {
#define X(id, name) FLOW_ROW_##id,
	FLOW_ROWS(X)
#undef X
	FLOW_ROW_NR
};

/**
 * struct flow_row - something that a view shows
 * @ip: where control went; of a block or an instruction: its address
 * @from: of a branch
 * @depth: of calls
 * @instructions: of a block
 * @bytes: of a block
 * @step: what it was made from
 */
struct flow_row {
	enum flow_event event;
	uint64_t ip;
	uint64_t from;
	unsigned int depth;
	uint64_t instructions;
	uint64_t bytes;
	int cpu;
	struct flow_time when;
	struct flow_time since;
	const struct flow_thread *thread;
	const struct flow_step *step;
};

struct flow_totals {
	uint64_t instructions;
	uint64_t branches;
	uint64_t calls;
	uint64_t undone;	/* of @instructions, in transactions that were aborted */
	uint64_t lost;
	uint64_t unknown;	/* of @lost: what could not be followed */
	uint64_t widest;	/* bound in ticks, of steps that have a packet */
};

/**
 * struct flow_path - what to walk, and who is told
 * @wanted: bits of enum flow_event
 * @row: return false to end the walk
 */
struct flow_path {
	const struct input *in;
	const char *root;
	uint32_t wanted;
	bool (*row)(void *context, const struct flow_row *row);
	void *context;
	bool many;		/* threads: set before the first row */
	struct flow_totals totals;
};

/*
 * Walk all streams, in the order of time. Return: exit status, after a message if not 0. What can't
 * be followed is such a message, and the rest is walked.
 */
int flow_path_walk(struct flow_path *path);

/* ---- output (flow-print.c) ---- */

/**
 * struct flow_printer - how lines look
 * @begin: TSC of the first: times are printed relative to it
 * @ticks: the file does not know how long a TSC tick is
 * @tids: lines name their thread
 * @module: of the last line
 */
struct flow_printer {
	const struct softpt_perf *perf;
	uint64_t begin;
	bool json;
	bool ticks;
	bool tids;
	const char *module;
};

/* Nanoseconds from one TSC to another, or ticks where the file does not know the clock */
double flow_between(const struct flow_printer *f, uint64_t from, uint64_t to);
void flow_print_begin(struct flow_printer *f);
void flow_print(struct flow_printer *f, const struct flow_row *row);

/* A row that is of no thread's code: the trigger event */
void flow_print_trigger(struct flow_printer *f, const struct trigger_event *te,
			const struct flow_thread *thread);

/* ---- instructions as text (disassemble.c) ---- */

/* Return: @buf; bytes in hex where there is no disassembler */
const char *disassemble(const struct flow_step *step, char *buf, size_t len);

#endif /* SOFTPT_FLOW_FLOW_H */
