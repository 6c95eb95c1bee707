/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions as text */
#ifndef SOFTPT_CODE_DISASSEMBLE_H
#define SOFTPT_CODE_DISASSEMBLE_H

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

#endif /* SOFTPT_CODE_DISASSEMBLE_H */
