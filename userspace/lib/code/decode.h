/* SPDX-License-Identifier: BSD-2-Clause */
/* One instruction, as far as a path needs it */
#ifndef SOFTPT_CODE_DECODE_H
#define SOFTPT_CODE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct code_insn - an instruction
 * @target: of a direct branch
 * @kind: enum softpt_insn_kind
 * @size: in bytes; 0: not all of it is known, or no processor has it
 */
struct code_insn {
	uint64_t target;
	uint8_t kind;
	uint8_t size;
};

/* The instruction of which @n bytes are at @code, and which is at @addr; @bits: 16, 32 or 64 */
struct code_insn code_decode(const uint8_t *code, size_t n, uint64_t addr, unsigned int bits);

/* Whether it is a conditional branch, for rooms that know no instruction set */
bool code_is_conditional(const struct code_insn *insn);

#endif /* SOFTPT_CODE_DECODE_H */
