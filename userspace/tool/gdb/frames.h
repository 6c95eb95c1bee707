/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stack for a debugger. A recording has neither registers nor memory, but its path has the calls
 * that have not returned. What a debugger needs to find these is made up: RSP, RBP, and the words
 * where call frame information says that return addresses and RBP are saved.
 */
#ifndef SOFTPT_TOOL_GDB_FRAMES_H
#define SOFTPT_TOOL_GDB_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct past;
struct place;

/* @rbp is 0 where nothing needs it. */
struct frame_registers {
	uint64_t rip;
	uint64_t rsp;
	uint64_t rbp;
};

void frames_registers(struct past *h, const struct place *p, struct frame_registers *regs);
/* The bytes of the made-up stack. Return: whether all @n are in one word of it that is known */
bool frames_read(struct past *h, const struct place *p, uint64_t addr, uint8_t *buf, size_t n);

#endif /* SOFTPT_TOOL_GDB_FRAMES_H */
