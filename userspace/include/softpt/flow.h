/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libsoftpt-flow: the path that programs took, of a recording: functions, branches, blocks or
 * instructions, each with its time and how far off that may be. (Documentation/guides/flow.rst)
 */
#ifndef SOFTPT_FLOW_H
#define SOFTPT_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* What a row tells, and its name */
#define SOFTPT_FLOW_EVENTS(X) \
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
	X(OVERFLOW, "overflow")		/* packets were lost */ \
	X(LOST, "lost")			/* the path can't be followed: @error */ \
	X(ON, "on")			/* the thread is traced from here on */ \
	X(OFF, "off")			/* and no longer */ \
	X(TRIGGER, "trigger")		/* of a trace that a trigger froze */ \
	X(END, "end")			/* the trace ends while the thread runs */ \
	X(COUNT, "count")		/* how often instructions were executed */ \
	X(SYSCALL, "syscall")		/* @value: the number of the system call at @ip */ \
	X(SWITCH_OUT, "switch-out")	/* it leaves its CPU; @value: enum softpt_left */ \
	X(SWITCH_IN, "switch-in")	/* it has one again; @since: it left the one before */ \
	X(FAULT, "fault")		/* a page fault; @value: the address */ \
	X(IRQ, "irq")			/* the kernel is interrupted, or enters; @value: handler */

enum softpt_flow_event {
#define X(id, name) SOFTPT_FLOW_##id,
	SOFTPT_FLOW_EVENTS(X)
#undef X
	SOFTPT_FLOW_EVENT_NR
};

/**
 * struct softpt_flow_time - when something happened, in TSC ticks
 * @tsc: the time that is told
 * @min: not before
 * @max: not after, where @bounded
 * @bounded: @max is known
 */
struct softpt_flow_time {
	uint64_t tsc;
	uint64_t min;
	uint64_t max;
	bool bounded;
};

struct softpt_flow_thread;

/**
 * struct softpt_flow_row - something that happened on a path
 * @event: what it tells
 * @cpu: of the stream; -1: a thread's trace, on whatever CPU
 * @pid: the process
 * @tid: the thread
 * @comm: the thread's name
 * @thread: for softpt_flow_symbol(); valid until the walk ends
 * @depth: of calls
 * @ip: where control went; of a block or an instruction: its address
 * @from: of SOFTPT_FLOW_BRANCH; of SOFTPT_FLOW_CALL and SOFTPT_FLOW_JUMP: the branch that went
 *	there; of a call through a stub of the linker's: the call; of SOFTPT_FLOW_KERNEL: the
 *	instruction that left for the kernel
 * @when: when that was
 * @since: when it had begun, where it has a length; else its tsc is 0
 * @instructions: of a block
 * @bytes: of a block
 * @code: bytes of an instruction, valid until the next row
 * @size: how many
 * @bits: 16, 32 or 64: the mode that it executes in
 * @is_branch: of an instruction: it is one, which led to @to; of a block: its last one is
 * @to: where that led; 0: unknown
 * @undone: it was in a transaction that was aborted later; of a block, a part of it
 * @value: of SOFTPT_FLOW_PTW, SOFTPT_FLOW_TRIGGER, and what the kernel did
 * @offset: in the stream, of SOFTPT_FLOW_LOST: what can't be followed is before it
 * @error: why the path is lost, or NULL
 * @executed: instructions of the thread so far, those of aborted transactions included
 * @times: of SOFTPT_FLOW_COUNT: how often @instructions from @ip on, @bytes long, were executed
 * @taken: how often the last of them, at @from, was taken, where it is a conditional branch
 */
struct softpt_flow_row {
	enum softpt_flow_event event;
	int cpu;
	uint32_t pid;
	uint32_t tid;
	const char *comm;
	const struct softpt_flow_thread *thread;
	unsigned int depth;
	uint64_t ip;
	uint64_t from;
	struct softpt_flow_time when;
	struct softpt_flow_time since;
	uint64_t instructions;
	uint64_t bytes;
	const uint8_t *code;
	uint8_t size;
	uint8_t bits;
	bool is_branch;
	bool undone;
	uint64_t to;
	uint64_t value;
	uint64_t offset;
	const char *error;
	uint64_t executed;
	uint64_t times;
	uint64_t taken;
};

/**
 * struct softpt_symbol - what an address is called
 * @name: of the function, NULL: unknown
 * @module: last part of the file's name, NULL: no mapping
 * @start: address of the function, or what addresses in the module's file are relative to
 * @plt: a stub of the linker's
 * @label: @name as people write it: without a version, and of C++ and Rust without what the
 *	compiler has encoded in it; NULL: unknown
 */
struct softpt_symbol {
	const char *name;
	const char *module;
	uint64_t start;
	bool plt;
	const char *label;
};

/**
 * struct softpt_flow_totals - what was walked
 * @instructions: that were executed
 * @branches: and other transfers of control
 * @calls: of functions
 * @undone: of @instructions, in transactions that were aborted
 * @lost: places where the path is lost
 * @unknown: of @lost: what could not be followed; the others are packets that were lost
 * @widest: bound in ticks, of steps that have a packet
 * @user: ticks that threads were in user mode, with a CPU; like the two that follow, 0 where the
 *	recording does not tell what the kernel did (softpt record --kernel)
 * @kernel: ticks that the kernel worked on their behalf
 * @waiting: ticks that they were without a CPU
 */
struct softpt_flow_totals {
	uint64_t instructions;
	uint64_t branches;
	uint64_t calls;
	uint64_t undone;
	uint64_t lost;
	uint64_t unknown;
	uint64_t widest;
	uint64_t user;
	uint64_t kernel;
	uint64_t waiting;
};

/* Gets each row. Return: false to end the walk */
typedef bool (*softpt_flow_row_fn)(void *ctx, const struct softpt_flow_row *row);

/* Gets, in a line without its end, what is wrong with a file, and the errno; 0: a note */
typedef void (*softpt_flow_tell_fn)(void *ctx, const char *file, int err, const char *text);

struct softpt_flow;

/**
 * softpt_flow_open() - open a recording
 * @flow: set to what softpt_flow_close() gets; NULL on an error
 * @path: a file of `softpt record` or `perf record`, a folder of `perf record --kcore`, or "-"
 *	for stdin; the file must not become shorter while it is open
 * @root: where the files of the traced system are; NULL: here
 * @tell: called with what is wrong, here and in each walk; may be NULL
 * @ctx: for @tell
 *
 * Return: 0; -EINVAL: not a recording, or it does not say what program ran; another -errno of
 * reading; minus one of enum softpt_error.
 */
int softpt_flow_open(struct softpt_flow **flow, const char *path, const char *root,
		     softpt_flow_tell_fn tell, void *ctx);

/* @flow may be NULL */
void softpt_flow_close(struct softpt_flow *flow);

/**
 * softpt_flow_walk() - walk the path of all threads, in the order of time
 * @flow: the recording
 * @events: bits of enum softpt_flow_event: 1u << SOFTPT_FLOW_CALL
 * @row: gets each row of these
 * @ctx: for @row
 *
 * Each walk is from the begin. Instructions are walked one by one only for SOFTPT_FLOW_INSN.
 * Rows of SOFTPT_FLOW_COUNT come when code goes, and behind the walk, in no order; what a process
 * has executed is the sum of its rows. They have a pid and no thread's tid, comm and time.
 *
 * Return: 0, also where @row ended it; -EILSEQ: something can't be followed, and the rest was
 * walked; -ENOMEM.
 */
int softpt_flow_walk(struct softpt_flow *flow, uint32_t events, softpt_flow_row_fn row, void *ctx);

/* Of the walk that runs, up to its row, or of the last one */
const struct softpt_flow_totals *softpt_flow_totals(const struct softpt_flow *flow);

/* In a walk or behind one: whether the recording tells of more threads than one */
bool softpt_flow_many(const struct softpt_flow *flow);

/* Nanoseconds of perf's clock at a TSC; the TSC itself where the file does not know the clock */
uint64_t softpt_flow_ns(const struct softpt_flow *flow, uint64_t tsc);

/**
 * softpt_flow_symbol() - what an address is called in the process of a row, at its time
 * @row: in the call that gets it
 * @address: @row->ip, or another
 * @symbol: filled in; its texts are valid until the walk ends
 */
void softpt_flow_symbol(const struct softpt_flow_row *row, uint64_t address,
			struct softpt_symbol *symbol);

#define SOFTPT_FLOW_LINES	8	/* of an instruction at most: more functions are cut off */

/**
 * struct softpt_flow_line - a line of source
 * @file: as the compiler was told its name
 * @line: in @file
 * @function: that the line is of, and that was inlined; NULL: it was not
 */
struct softpt_flow_line {
	const char *file;
	int line;
	const char *function;
};

/**
 * softpt_flow_lines() - the lines of source that an instruction was made of
 * @row: in the call that gets it
 * @address: @row->ip, or another
 * @frame: filled in: the line of the instruction, then, for each function that is inlined there
 *	from the innermost on, the line at which it was called; texts are valid until the walk ends
 * @n: room in @frame
 *
 * Return: how many there are, SOFTPT_FLOW_LINES at most; 0: the file has no line for it (build
 * with -g).
 */
unsigned int softpt_flow_lines(const struct softpt_flow_row *row, uint64_t address,
			       struct softpt_flow_line *frame, unsigned int n);

/**
 * softpt_flow_insn() - the instruction of a row as text, in the AT&T syntax
 * @row: of SOFTPT_FLOW_INSN
 * @buf: filled in
 * @len: of @buf in bytes; 128 are enough
 *
 * Return: @buf; bytes in hex where the library was built without Zydis.
 */
const char *softpt_flow_insn(const struct softpt_flow_row *row, char *buf, size_t len);

/* "call"; NULL: there is no such event */
const char *softpt_flow_event_name(enum softpt_flow_event event);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* SOFTPT_FLOW_H */
