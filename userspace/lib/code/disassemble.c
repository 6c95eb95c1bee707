// SPDX-License-Identifier: BSD-2-Clause
/* Instructions as text, in the AT&T syntax of perf and objdump, through Zydis */
#include <stdbool.h>
#include <stdio.h>

#include "code/disassemble.h"

#ifdef HAVE_ZYDIS
#include <Zydis/Zydis.h>

static bool ready(ZydisFormatter *formatter)
{
	return ZYAN_SUCCESS(ZydisFormatterInit(formatter, ZYDIS_FORMATTER_STYLE_ATT)) &&
	       ZYAN_SUCCESS(ZydisFormatterSetProperty(formatter, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE,
						      false)) &&
	       ZYAN_SUCCESS(ZydisFormatterSetProperty(formatter,
						      ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE,
						      ZYDIS_PADDING_DISABLED));
}

static bool set_mode(ZydisDecoder *decoder, unsigned int bits)
{
	switch (bits) {
	case 64:
		return ZYAN_SUCCESS(ZydisDecoderInit(decoder, ZYDIS_MACHINE_MODE_LONG_64,
						     ZYDIS_STACK_WIDTH_64));
	case 32:
		return ZYAN_SUCCESS(ZydisDecoderInit(decoder, ZYDIS_MACHINE_MODE_LEGACY_32,
						     ZYDIS_STACK_WIDTH_32));
	default:
		return ZYAN_SUCCESS(ZydisDecoderInit(decoder, ZYDIS_MACHINE_MODE_LEGACY_16,
						     ZYDIS_STACK_WIDTH_16));
	}
}

static bool format(uint64_t ip, const uint8_t *code, unsigned int size, unsigned int bits,
		   char *buf, size_t len)
{
	static ZydisFormatter formatter;
	static bool is_ready;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction insn;
	ZydisDecoder decoder;

	if (!is_ready)
		is_ready = ready(&formatter);
	return is_ready && set_mode(&decoder, bits) &&
	       ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, size, &insn,
						   operands)) &&
	       ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&formatter, &insn, operands,
							    insn.operand_count_visible, buf, len,
							    ip, NULL));
}

/* Of all sizes: the low bits of those that are told */
static void fill(ZydisRegisterContext *context, const uint64_t *reg)
{
	ZyanU64 *values = context->values;
	unsigned int n;

	for (n = 0; n < 16; n++) {
		values[ZydisRegisterEncode(ZYDIS_REGCLASS_GPR64, n)] = reg[n];
		values[ZydisRegisterEncode(ZYDIS_REGCLASS_GPR32, n)] = (uint32_t)reg[n];
		values[ZydisRegisterEncode(ZYDIS_REGCLASS_GPR16, n)] = (uint16_t)reg[n];
	}
}

/* The base of FS and GS is not told. */
static bool is_known(const ZydisDecodedOperand *o)
{
	return o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->mem.type == ZYDIS_MEMOP_TYPE_MEM &&
	       o->mem.segment != ZYDIS_REGISTER_FS && o->mem.segment != ZYDIS_REGISTER_GS;
}

unsigned int disassemble_memory(uint64_t ip, const uint8_t *code, unsigned int size,
				unsigned int bits, const uint64_t *reg,
				struct disassembled_memory mem[DISASSEMBLE_MEMORY])
{
	ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
	ZydisRegisterContext context = { 0 };
	ZydisDecodedInstruction insn;
	ZydisDecoder decoder;
	unsigned int i, n = 0;

	if (!set_mode(&decoder, bits) ||
	    !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, size, &insn, operand)))
		return 0;
	fill(&context, reg);
	for (i = 0; i < insn.operand_count_visible && n < DISASSEMBLE_MEMORY; i++) {
		if (!is_known(&operand[i]) ||
		    !ZYAN_SUCCESS(ZydisCalcAbsoluteAddressEx(&insn, &operand[i], ip, &context,
							     &mem[n].addr)))
			continue;
		mem[n].size = operand[i].size / 8;
		mem[n].read = operand[i].actions & ZYDIS_OPERAND_ACTION_MASK_READ;
		mem[n++].write = operand[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
	}
	return n;
}
#else
unsigned int disassemble_memory(uint64_t ip, const uint8_t *code, unsigned int size,
				unsigned int bits, const uint64_t *reg,
				struct disassembled_memory mem[DISASSEMBLE_MEMORY])
{
	(void)ip;
	(void)code;
	(void)size;
	(void)bits;
	(void)reg;
	(void)mem;
	return 0;
}

static bool format(uint64_t ip, const uint8_t *code, unsigned int size, unsigned int bits,
		   char *buf, size_t len)
{
	(void)ip;
	(void)code;
	(void)size;
	(void)bits;
	(void)buf;
	(void)len;
	return false;
}
#endif

const char *disassemble(uint64_t ip, const uint8_t *code, unsigned int size, unsigned int bits,
			char *buf, size_t len)
{
	unsigned int i;
	size_t at;

	if (format(ip, code, size, bits, buf, len))
		return buf;
	at = snprintf(buf, len, ".byte");
	for (i = 0; i < size && at < len; i++)
		at += snprintf(buf + at, len - at, "%s0x%02x", i ? "," : " ", code[i]);
	return buf;
}
