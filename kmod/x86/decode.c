// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Instruction lengths by opcode maps (SDM vol. 2, appendix A) */
#include "decode.h"

/* Attributes of an opcode; the low bits are enum softpt_x86_kind */
#define KIND	0x000f
#define MODRM	0x0010
#define IMM8	0x0020
#define IMMZ	0x0040	/* 2 or 4 bytes */
#define IMM16	0x0080
#define REL32	0x0100	/* of a branch: a 66h prefix without REX.W is refused */
#define IMMV	0x0200	/* 2, 4 or 8 bytes */
#define OFFSET	0x0400	/* an address of 8 bytes, 4 with 67h */
#define PREFIX	0x0800
#define NO_MEM	0x1000	/* ModRM always names registers */

#define IS(kind)	SOFTPT_X86_##kind
#define NO		IS(REFUSED)

static const u16 map0[256] = {
	[0x00 ... 0x03]	= MODRM, [0x04] = IMM8, [0x05] = IMMZ, [0x06 ... 0x07] = NO,
	[0x08 ... 0x0b]	= MODRM, [0x0c] = IMM8, [0x0d] = IMMZ, [0x0e] = NO,
	[0x10 ... 0x13]	= MODRM, [0x14] = IMM8, [0x15] = IMMZ, [0x16 ... 0x17] = NO,
	[0x18 ... 0x1b]	= MODRM, [0x1c] = IMM8, [0x1d] = IMMZ, [0x1e ... 0x1f] = NO,
	[0x20 ... 0x23]	= MODRM, [0x24] = IMM8, [0x25] = IMMZ, [0x26] = PREFIX, [0x27] = NO,
	[0x28 ... 0x2b]	= MODRM, [0x2c] = IMM8, [0x2d] = IMMZ, [0x2e] = PREFIX, [0x2f] = NO,
	[0x30 ... 0x33]	= MODRM, [0x34] = IMM8, [0x35] = IMMZ, [0x36] = PREFIX, [0x37] = NO,
	[0x38 ... 0x3b]	= MODRM, [0x3c] = IMM8, [0x3d] = IMMZ, [0x3e] = PREFIX, [0x3f] = NO,
	[0x60 ... 0x62]	= NO,
	[0x63]		= MODRM,
	[0x64 ... 0x67]	= PREFIX,
	[0x68]		= IMMZ,
	[0x69]		= MODRM | IMMZ,
	[0x6a]		= IMM8,
	[0x6b]		= MODRM | IMM8,
	[0x70 ... 0x7f]	= IS(JCC) | IMM8,
	[0x80]		= MODRM | IMM8,
	[0x81]		= MODRM | IMMZ,
	[0x82]		= NO,
	[0x83]		= MODRM | IMM8,
	[0x84 ... 0x8f]	= MODRM,
	[0x9a]		= NO,
	[0xa0 ... 0xa3]	= OFFSET,
	[0xa8]		= IMM8,
	[0xa9]		= IMMZ,
	[0xb0 ... 0xb7]	= IMM8,
	[0xb8 ... 0xbf]	= IMMV,
	[0xc0 ... 0xc1]	= MODRM | IMM8,
	[0xc2]		= IS(RET) | IMM16 | REL32,
	[0xc3]		= IS(RET) | REL32,
	[0xc4 ... 0xc5]	= NO,
	[0xc6]		= MODRM | IMM8,
	[0xc7]		= MODRM | IMMZ,
	[0xc8]		= IMM16 | IMM8,
	[0xca]		= NO | IMM16,
	[0xcb]		= NO,
	[0xcc]		= IS(TRAP),
	[0xcd]		= NO | IMM8,
	[0xce ... 0xcf]	= NO,
	[0xd0 ... 0xd3]	= MODRM,
	[0xd4 ... 0xd6]	= NO,
	[0xd8 ... 0xdf]	= MODRM,
	[0xe0 ... 0xe3]	= IS(LOOP) | IMM8,
	[0xe4 ... 0xe7]	= IMM8,
	[0xe8]		= IS(CALL) | REL32 | IMMZ,
	[0xe9]		= IS(JMP) | REL32 | IMMZ,
	[0xea]		= NO,
	[0xeb]		= IS(JMP) | IMM8,
	[0xf0]		= PREFIX,
	[0xf1]		= IS(TRAP),
	[0xf2 ... 0xf3]	= PREFIX,
	[0xf4]		= IS(TRAP),
	[0xf6 ... 0xf7]	= MODRM,	/* the reg field decides on an immediate */
	[0xfe ... 0xff]	= MODRM,	/* the reg field decides */
};

static const u16 map1[256] = {
	[0x00 ... 0x03]	= MODRM,
	[0x04]		= NO,
	[0x05]		= IS(SYSCALL),
	[0x07]		= NO,
	[0x0a]		= NO,
	[0x0b]		= IS(TRAP),
	[0x0c]		= NO,
	[0x0d]		= MODRM,
	[0x0f]		= MODRM | IMM8,
	[0x10 ... 0x1f]	= MODRM,
	[0x20 ... 0x23]	= MODRM | NO_MEM,
	[0x24 ... 0x27]	= NO,
	[0x28 ... 0x2f]	= MODRM,
	[0x34 ... 0x36]	= NO,
	[0x39]		= NO,
	[0x3b ... 0x3f]	= NO,
	[0x40 ... 0x6f]	= MODRM,
	[0x70 ... 0x73]	= MODRM | IMM8,
	[0x74 ... 0x76]	= MODRM,
	[0x78 ... 0x79]	= MODRM,
	[0x7a ... 0x7b]	= NO,
	[0x7c ... 0x7f]	= MODRM,
	[0x80 ... 0x8f]	= IS(JCC) | REL32 | IMMZ,
	[0x90 ... 0x9f]	= MODRM,
	[0xa3]		= MODRM,
	[0xa4]		= MODRM | IMM8,
	[0xa5]		= MODRM,
	[0xa6 ... 0xa7]	= NO,
	[0xab]		= MODRM,
	[0xac]		= MODRM | IMM8,
	[0xad ... 0xb9]	= MODRM,
	[0xba]		= MODRM | IMM8,
	[0xbb ... 0xc1]	= MODRM,
	[0xc2]		= MODRM | IMM8,
	[0xc3]		= MODRM,
	[0xc4 ... 0xc6]	= MODRM | IMM8,
	[0xc7]		= MODRM,
	[0xd0 ... 0xff]	= MODRM,
};

/* What differs outside of 64-bit mode; for INC, DEC and the prefixes of vectors see opcode() */
static u16 legacy(u8 opcode)
{
	switch (opcode) {
	case 0x40 ... 0x4f:
	case 0x60 ... 0x61:
		return 0;
	case 0x82:
		return MODRM | IMM8;
	case 0x9a:
	case 0xea:
		return NO | IMMZ | IMM16;
	case 0xd4 ... 0xd5:
		return IMM8;
	}
	return map0[opcode];
}

struct decoder {
	const u8 *code;
	unsigned int n;
	unsigned int at;
	unsigned int bits;
	bool opsize;	/* 66h */
	bool addrsize;	/* 67h */
	bool gs;	/* 65h, and no other segment behind it */
	bool vector;	/* VEX or EVEX */
	u8 rep;		/* F2h or F3h, or 0 */
	struct softpt_x86 *insn;
};

static u8 byte_at(const struct decoder *d, unsigned int at)
{
	return at < d->n ? d->code[at] : 0;
}

static void note_prefix(struct decoder *d, u8 byte)
{
	switch (byte) {
	case 0x64:
	case 0x65:
		d->gs = byte == 0x65;
		break;
	case 0x66:
		d->opsize = d->bits != 16;
		break;
	case 0x67:
		d->addrsize = d->bits != 16;
		break;
	case 0xf2:
	case 0xf3:
		d->rep = byte;
		break;
	}
}

static void prefixes(struct decoder *d)
{
	u8 byte;

	while (d->at < d->n) {
		byte = d->code[d->at];
		if ((byte & 0xf0) == 0x40 && d->bits == 64)
			d->insn->rex = byte;
		else if (map0[byte] & PREFIX)
			d->insn->rex = 0;	/* one that is not right before the opcode */
		else
			return;
		note_prefix(d, byte);
		d->at++;
	}
}

/* VEX and EVEX: what has an immediate byte, and the one without ModRM */
static u16 vector(const struct decoder *d, u8 map, bool evex)
{
	u8 op = d->insn->opcode;

	switch (map) {
	case 1:
		if (op == 0x77 && !evex)
			return 0;
		if (op >= 0x80 && op <= 0x8f)
			return NO;
		return MODRM | ((map1[op] & IMM8) && op != 0x0f && op != 0xa4 && op != 0xac &&
				op != 0xba ? IMM8 : 0);
	case 2:
		return MODRM;
	case 3:
		return MODRM | IMM8;
	case 5:
	case 6:
		return evex ? MODRM : NO;
	}
	return NO;
}

/* Behind the first byte of a VEX (C4h, C5h) or EVEX (62h) prefix */
static u16 vector_opcode(struct decoder *d, u8 first)
{
	u8 payload = byte_at(d, d->at);
	u8 map = first == 0xc5 ? 1 : payload & (first == 0x62 ? 7 : 31);

	d->at += first == 0xc5 ? 1 : first == 0xc4 ? 2 : 3;
	d->insn->opcode = byte_at(d, d->at++);
	d->insn->map = map;
	d->vector = true;
	return vector(d, map, first == 0x62);
}

/* Outside of 64-bit mode a memory operand makes it LES, LDS or BOUND. */
static bool is_vector(const struct decoder *d, u8 byte)
{
	if (byte != 0xc4 && byte != 0xc5 && byte != 0x62)
		return false;
	return d->bits == 64 || byte_at(d, d->at) >= 0xc0;
}

static u16 opcode(struct decoder *d)
{
	u8 byte = byte_at(d, d->at++);

	if (is_vector(d, byte))
		return vector_opcode(d, byte);
	d->insn->opcode = byte;
	if (byte == 0xc4 || byte == 0xc5 || byte == 0x62)
		return MODRM;
	if (byte != 0x0f)
		return d->bits == 64 ? map0[byte] : legacy(byte);
	byte = byte_at(d, d->at++);
	d->insn->map = byte == 0x38 ? 2 : byte == 0x3a ? 3 : 1;
	if (d->insn->map == 1) {
		d->insn->opcode = byte;
		return map1[byte];
	}
	d->insn->opcode = byte_at(d, d->at++);
	return MODRM | (d->insn->map == 3 ? IMM8 : 0);
}

/* The displacement of an operand with 16-bit addressing */
static void memory16(struct decoder *d, u8 modrm)
{
	unsigned int size = modrm >> 6;

	if (!size && (modrm & 7) == 6)
		size = 2;
	if (size)
		d->insn->disp = d->at;
	d->at += size;
}

/* SIB and displacement of a memory operand */
static void memory(struct decoder *d, u8 modrm)
{
	unsigned int size = modrm >> 6 == 1 ? 1 : modrm >> 6 == 2 ? 4 : 0;
	u8 rm = modrm & 7;

	if (d->bits != 64 && d->addrsize) {
		memory16(d, modrm);
		return;
	}
	if (rm == 4 && (byte_at(d, d->at++) & 7) == 5 && modrm < 0x40)
		size = 4;
	if (rm == 5 && modrm < 0x40) {
		size = 4;
		d->insn->rip_relative = d->bits == 64;
	}
	if (size)
		d->insn->disp = d->at;
	d->at += size;
}

/* One-byte opcodes whose meaning the ModRM byte completes. Return: attributes */
static u16 group(const struct decoder *d, u16 attr, u8 modrm)
{
	u8 reg = modrm >> 3 & 7;

	switch (d->insn->opcode) {
	case 0x8f:
		return reg ? NO : attr;		/* XOP */
	case 0xc7:
		return modrm == 0xf8 ? attr | NO : attr;	/* XBEGIN */
	case 0xf6:
		return reg < 2 ? attr | IMM8 : attr;
	case 0xf7:
		return reg < 2 ? attr | IMMZ : attr;
	case 0xfe:
		return reg < 2 ? attr : NO;
	case 0xff:
		if (reg == 2 || reg == 4)
			return attr | (reg == 2 ? IS(ICALL) : IS(IJMP)) | REL32;
		return reg == 3 || reg == 5 || reg == 7 ? NO : attr;
	}
	return attr;
}

/* And those behind 0Fh */
static u16 group_0f(const struct decoder *d, u16 attr, u8 modrm)
{
	u8 reg = modrm >> 3 & 7;

	switch (d->insn->opcode) {
	case 0x78:	/* EXTRQ, INSERTQ */
		return d->opsize != (d->bits == 16) || d->rep == 0xf2 ? attr | IMM16 : attr;
	case 0xae:	/* RDGSBASE, WRGSBASE */
		return d->rep == 0xf3 && modrm >= 0xc0 && (reg == 1 || reg == 3) ? NO : attr;
	case 0xb8:
		return d->rep == 0xf3 ? attr : NO;
	case 0x01:	/* XEND, XTEST; SWAPGS and UIRET */
		return modrm == 0xd5 || modrm == 0xf8 || (modrm == 0xec && d->rep) ? NO : attr;
	}
	return attr;
}

static unsigned int immediate(const struct decoder *d, u16 attr)
{
	bool wide = d->insn->rex & 8;
	unsigned int n = 0;

	if (attr & OFFSET)
		return (d->bits == 64 ? 8 : 4) >> d->addrsize;
	if (attr & IMMV)
		return wide ? 8 : d->opsize ? 2 : 4;
	if (attr & IMM8)
		n += 1;
	if (attr & IMM16)
		n += 2;
	if (attr & IMMZ)
		n += d->opsize && !wide && !(attr & REL32 && d->bits == 64) ? 2 : 4;
	return n;
}

static bool is_string(u8 opcode)
{
	return (opcode >= 0x6c && opcode <= 0x6f) || (opcode >= 0xa4 && opcode <= 0xa7) ||
	       (opcode >= 0xaa && opcode <= 0xaf);
}

/*
 * With 66h AMD's near branches have 16 bits and Intel's ignore it: nobody's code relies on
 * either. With REX.W it means nothing (calls of __tls_get_addr have it).
 */
static u8 kind_of(const struct decoder *d, u16 attr)
{
	if (d->gs)
		return SOFTPT_X86_REFUSED;
	if (attr & REL32 && d->opsize && !(d->insn->rex & 8))
		return SOFTPT_X86_REFUSED;
	return attr & KIND;
}

void softpt_x86_decode_in(const u8 *code, unsigned int n, unsigned int bits,
			  struct softpt_x86 *insn)
{
	struct decoder d = {
		.code = code, .n = n, .bits = bits, .opsize = bits == 16, .addrsize = bits == 16,
		.insn = insn,
	};
	u16 attr;
	u8 modrm;

	*insn = (struct softpt_x86){ .kind = SOFTPT_X86_SHORT };
	prefixes(&d);
	attr = opcode(&d);
	if (attr & MODRM) {
		insn->modrm = d.at;
		modrm = byte_at(&d, d.at++);
		if (modrm < 0xc0 && !(attr & NO_MEM))
			memory(&d, modrm);
		if (!insn->map)
			attr = group(&d, attr, modrm);
		else if (insn->map == 1 && !d.vector)
			attr = group_0f(&d, attr, modrm);
	}
	insn->imm = d.at;
	insn->imm_len = immediate(&d, attr);
	d.at += insn->imm_len;
	insn->len = d.at;
	insn->rep = d.rep && !insn->map && is_string(insn->opcode);
	if (d.at > SOFTPT_X86_MAX) {
		insn->kind = n < SOFTPT_X86_MAX ? SOFTPT_X86_SHORT : SOFTPT_X86_REFUSED;
		insn->len = 1;
	} else if (d.at <= n) {
		insn->kind = kind_of(&d, attr);
	}
}

void softpt_x86_decode(const u8 *code, unsigned int n, struct softpt_x86 *insn)
{
	softpt_x86_decode_in(code, n, 64, insn);
}
