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
#else
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
