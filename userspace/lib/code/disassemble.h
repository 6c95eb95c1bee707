/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions as text */
#ifndef SOFTPT_CODE_DISASSEMBLE_H
#define SOFTPT_CODE_DISASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * disassemble() - an instruction as text, in the AT&T syntax
 * @ip: its address
 * @code: its bytes
 * @size: how many, at most 15
 * @bits: 16, 32 or 64: the mode that it executes in
 * @buf: filled in
 * @len: of @buf in bytes
 *
 * Return: @buf; bytes in hex where there is no disassembler.
 */
const char *disassemble(uint64_t ip, const uint8_t *code, unsigned int size, unsigned int bits,
			char *buf, size_t len);

#define DISASSEMBLE_MEMORY	4	/* operands of an instruction, at most */

/* What an instruction reads or writes */
struct disassembled_memory {
	uint64_t addr;
	unsigned int size;
	bool read;
	bool write;
};

/**
 * disassemble_memory() - the operands of an instruction that are in memory, as it names them
 * @ip: its address
 * @code: its bytes
 * @size: how many, at most 15
 * @bits: 16, 32 or 64: the mode that it executes in
 * @reg: the 16 registers, as instructions encode them
 * @mem: filled in
 *
 * Return: how many; 0 where there is no disassembler. What is at FS and GS is left out.
 */
unsigned int disassemble_memory(uint64_t ip, const uint8_t *code, unsigned int size,
				unsigned int bits, const uint64_t *reg,
				struct disassembled_memory mem[DISASSEMBLE_MEMORY]);

#endif /* SOFTPT_CODE_DISASSEMBLE_H */
