/* SPDX-License-Identifier: BSD-2-Clause */
/* Logs of other programs, turned into event text: softpt import */
#ifndef SOFTPT_SOURCE_INSNS_H
#define SOFTPT_SOURCE_INSNS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <linux/softpt.h>
#include <linux/softpt-events.h>

#include "base/error.h"
#include "../../../kmod/x86/insn.h"

/* ---- instructions one after another, as events (insns.c) ---- */

/**
 * struct import_step - an instruction that a program came to
 * @ip: its address
 * @code: its bytes
 * @n: how many; 0: none that can be read, the kernel does its work (vsyscall)
 * @long_mode: 64-bit mode; else 32-bit
 */
struct import_step {
	uint64_t ip;
	uint8_t code[SOFTPT_INSN_MAX];
	uint8_t n;
	bool long_mode;
};

/**
 * struct import_flow - a thread in user mode
 * @send: gets each event. Return: 0, or -errno: it gets no more
 * @ctx: for @send
 * @err: what @send returned
 * @ticks: each instruction takes so many
 * @now: TSC when @last will have retired
 * @last: the instruction it came to last; what it does is known with the next one
 * @pending: @last runs; else it was left before it ran
 * @enabled: TraceEn
 * @long_mode: as the unit knows it
 * @gaps: where the log does not tell how the program went on
 */
struct import_flow {
	int (*send)(void *ctx, const struct softpt_event *ev);
	void *ctx;
	int err;
	uint64_t ticks;
	uint64_t now;
	struct import_step last;
	bool pending;
	bool enabled;
	bool long_mode;
	uint64_t gaps;
};

/**
 * import_flow_step() - the program comes to an instruction
 * @f: the flow
 * @step: the instruction
 *
 * Return: NULL, or what is wrong with the instruction before it.
 */
const char *import_flow_step(struct import_flow *f, const struct import_step *step);

/**
 * import_flow_stop() - the instruction at @ip does not run yet
 * @f: the flow
 * @ip: where execution would go on
 *
 * Return: false: the program is not there.
 */
bool import_flow_stop(struct import_flow *f, uint64_t ip);

/* Nothing follows. Return: NULL, or what is wrong with the last instruction */
const char *import_flow_end(struct import_flow *f);

/* ---- what code there is (code.c) ---- */

/* Instructions by address: memory for each that there is, however often it runs */
struct import_code {
	struct import_insn *slot;
	size_t n;
	size_t alloc;	/* a power of two */
};

/* Remember, instead of what was there. Return: 0, -ENOMEM */
int import_code_add(struct import_code *c, const struct import_step *step);
/* Fill in the bytes at @step->ip. Return: false: they are not known */
bool import_code_find(const struct import_code *c, struct import_step *step);
void import_code_free(struct import_code *c);

/* ---- formats ---- */

/**
 * struct import - a log that is read
 * @file: the log
 * @flow: where its instructions go
 * @thread: only this one's; below 0: the first one's
 * @others: instructions of other threads, which were left out
 * @progress: called now and then with the bytes that were read, or NULL
 * @ctx: for @progress
 */
struct import {
	FILE *file;
	struct import_flow flow;
	int64_t thread;
	uint64_t others;
	void (*progress)(void *ctx, uint64_t bytes);
	void *ctx;
};

/**
 * import_qemu() - read a log of qemu-x86_64 -singlestep -d in_asm,exec,nochain
 * @im: the log
 * @error: filled in with the line and what is wrong with it
 *
 * Return: 0; -EINVAL: no such log, or not a complete one; -errno of reading.
 */
int import_qemu(struct import *im, struct error *error);

#endif /* SOFTPT_SOURCE_INSNS_H */
