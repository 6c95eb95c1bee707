// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The instruction classifier (SDM vol. 2, appendix A, opcode maps).
 *
 * A 66h prefix on a near branch is ignored in 64-bit mode, as Intel processors do.
 */

#include "insn.h"

/* Attributes of an opcode, besides enum softpt_insn_kind in the low bits */
#define KIND	0x001f
#define IMM8	0x0020	/* an 8-bit displacement follows */
#define IMMZ	0x0040	/* a 16- or 32-bit displacement follows */
#define MODRM	0x0080	/* the next byte, ModRM, decides */
#define LEGACY	0x0100	/* no such instruction in 64-bit mode */
#define PREFIX	0x0200
#define ESCAPE	0x0400	/* the opcode is in the second map */

#define IS(kind)	SOFTPT_INSN_##kind

static const u16 map1[256] = {
	[0x0f]		= ESCAPE,
	[0x17]		= IS(MOVSS) | LEGACY,	/* POP SS */
	[0x26]		= PREFIX,
	[0x2e]		= PREFIX,
	[0x36]		= PREFIX,
	[0x3e]		= PREFIX,
	[0x64 ... 0x67]	= PREFIX,
	[0x70 ... 0x7f]	= IS(JCC) | IMM8,
	[0x8e]		= IS(MOVSS) | MODRM,
	[0x9a]		= IS(FAR) | LEGACY,
	[0x9c]		= IS(PUSHF),
	[0x9d]		= IS(POPF),
	[0xc2 ... 0xc3]	= IS(RET),
	[0xc7]		= IS(XBEGIN) | MODRM | IMMZ,
	[0xca ... 0xcb]	= IS(FAR),
	[0xcc]		= IS(TRAP),
	[0xcd]		= IS(TRAP) | MODRM,	/* the vector decides */
	[0xce]		= IS(TRAP) | LEGACY,
	[0xcf]		= IS(IRET),
	[0xe0 ... 0xe3]	= IS(JCC) | IMM8,
	[0xe8]		= IS(CALL) | IMMZ,
	[0xe9]		= IS(JMP) | IMMZ,
	[0xea]		= IS(FAR) | LEGACY,
	[0xeb]		= IS(JMP) | IMM8,
	[0xf0]		= PREFIX,
	[0xf1]		= IS(TRAP),
	[0xf2 ... 0xf3]	= PREFIX,
	[0xff]		= IS(ICALL) | MODRM,
};

static const u16 map2[256] = {
	[0x01]		= IS(IRET) | MODRM,	/* UIRET */
	[0x05]		= IS(SYSCALL),
	[0x34]		= IS(SYSCALL),
	[0x80 ... 0x8f]	= IS(JCC) | IMMZ,
	[0xa2]		= IS(CPUID),
	[0xae]		= IS(PTWRITE) | MODRM,
};

struct decoder {
	const u8 *code;
	unsigned int n;
	unsigned int at;
	bool long_mode;
	bool bits16;	/* 16-bit code: 66h and 67h mean the opposite */
	bool opsize;	/* 66h: not the size that instructions have by default in 32-bit code */
	bool addrsize;	/* 67h, the same */
	bool rep;	/* F3h */
	bool repne;	/* F2h somewhere */
	bool lock;
	u8 segment;	/* the override's prefix, or 0 */
	u8 rex;		/* right before the opcode, or 0 */
};

static bool is_rex(const struct decoder *d, u8 byte)
{
	return d->long_mode && (byte & 0xf0) == 0x40;
}

/* In 64-bit mode there are no other segments than FS and GS. */
static void note_segment(struct decoder *d, u8 byte)
{
	if (!d->long_mode || byte >= 0x64)
		d->segment = byte;
}

static void note_prefix(struct decoder *d, u8 byte)
{
	d->rex = is_rex(d, byte) ? byte : 0;
	if (d->rex)
		return;
	switch (byte) {
	case 0x66:
		d->opsize = !d->bits16;
		break;
	case 0x67:
		d->addrsize = !d->bits16;
		break;
	case 0xf0:
		d->lock = true;
		break;
	case 0xf2:
		d->repne = true;
		d->rep = false;
		break;
	case 0xf3:
		d->rep = true;
		break;
	default:
		note_segment(d, byte);
	}
}

static bool is_prefix(const struct decoder *d, u8 byte)
{
	return map1[byte] & PREFIX || is_rex(d, byte);
}

/* The opcode's attributes, 0 for an instruction of no interest, SHORT without bytes */
static u16 opcode(struct decoder *d)
{
	u16 attr;

	while (d->at < d->n && is_prefix(d, d->code[d->at]))
		note_prefix(d, d->code[d->at++]);
	if (d->at >= d->n)
		return SOFTPT_INSN_SHORT;
	attr = map1[d->code[d->at++]];
	if (attr & LEGACY && d->long_mode)
		return SOFTPT_INSN_OTHER;
	if (!(attr & ESCAPE))
		return attr;
	return d->at < d->n ? map2[d->code[d->at++]] : SOFTPT_INSN_SHORT;
}

/* Bytes of a memory operand's SIB and displacement, with 16-bit addressing */
static unsigned int operand16(u8 modrm)
{
	switch (modrm >> 6) {
	case 0:
		return (modrm & 7) == 6 ? 2 : 0;
	case 1:
		return 1;
	case 2:
		return 2;
	}
	return 0;
}

static unsigned int operand(const struct decoder *d, u8 modrm)
{
	bool sib = (modrm & 7) == 4;
	u8 base = modrm & 7;

	if (d->addrsize && !d->long_mode)
		return operand16(modrm);
	if (sib && d->at < d->n)
		base = d->code[d->at] & 7;
	switch (modrm >> 6) {
	case 0:
		return sib + (base == 5 ? 4 : 0);
	case 1:
		return sib + 1;
	case 2:
		return sib + 4;
	}
	return 0;
}

/* Opcode FFh: the ModRM byte's reg field is the rest of the opcode. */
static u8 group5(u8 reg)
{
	switch (reg) {
	case 2:
		return SOFTPT_INSN_ICALL;
	case 3:
	case 5:
		return SOFTPT_INSN_FAR;
	case 4:
		return SOFTPT_INSN_IJMP;
	}
	return SOFTPT_INSN_OTHER;
}

/* Opcode 0F AEh; what else has F3h before it and 4 in the reg field is undefined. */
static bool is_ptwrite(const struct decoder *d, u8 reg)
{
	return reg == 4 && d->rep && !d->repne && d->opsize == d->bits16 && !d->lock;
}

static u8 by_modrm(const struct decoder *d, u8 kind, u8 modrm)
{
	u8 reg = modrm >> 3 & 7;

	switch (kind) {
	case SOFTPT_INSN_ICALL:
		return group5(reg);
	case SOFTPT_INSN_MOVSS:
		return reg == 2 ? kind : SOFTPT_INSN_OTHER;
	case SOFTPT_INSN_XBEGIN:
		return modrm == 0xf8 ? kind : SOFTPT_INSN_OTHER;
	case SOFTPT_INSN_TRAP:
		return modrm == 0x80 ? SOFTPT_INSN_SYSCALL : kind;
	case SOFTPT_INSN_PTWRITE:
		return is_ptwrite(d, reg) ? kind : SOFTPT_INSN_OTHER;
	}
	return d->rep && d->long_mode && modrm == 0xec ? kind : SOFTPT_INSN_OTHER;
}

static unsigned int displacement(const struct decoder *d, u16 attr)
{
	if (attr & IMM8)
		return 1;
	if (attr & IMMZ)
		return d->opsize && !d->long_mode ? 2 : 4;
	return 0;
}

static u8 pushf_size(const struct decoder *d)
{
	if (d->opsize)
		return 2;
	return d->long_mode ? 8 : 4;
}

/* For softpt_operand_decode() */
static void note_operand(const struct decoder *d, u8 modrm, struct softpt_insn *insn)
{
	insn->size = d->rex & 8 ? 8 : 4;
	insn->modrm = modrm;
	insn->rex = d->rex;
	insn->segment = d->segment;
	if (d->long_mode)
		insn->width = d->addrsize ? 4 : 8;
	else
		insn->width = d->addrsize ? 2 : 4;
}

static bool has_len(u8 kind)
{
	switch (kind) {
	case SOFTPT_INSN_JCC ... SOFTPT_INSN_ICALL:
	case SOFTPT_INSN_MOVSS:
	case SOFTPT_INSN_CPUID:
	case SOFTPT_INSN_XBEGIN:
	case SOFTPT_INSN_PTWRITE:
		return true;
	}
	return false;
}

static struct softpt_insn classify(struct decoder d)
{
	struct softpt_insn insn = { .kind = SOFTPT_INSN_SHORT };
	u16 attr = opcode(&d);
	u8 kind = attr & KIND, modrm = d.at;

	if (attr & MODRM) {
		if (d.at >= d.n)
			return insn;
		kind = by_modrm(&d, kind, d.code[d.at++]);
		if (has_len(kind))
			d.at += operand(&d, d.code[d.at - 1]);
	}
	if (has_len(kind)) {
		d.at += displacement(&d, attr);
		if (d.at > d.n)
			return insn;
		insn.len = d.at;
	}
	if (kind == SOFTPT_INSN_PUSHF)
		insn.size = pushf_size(&d);
	else if (kind == SOFTPT_INSN_PTWRITE)
		note_operand(&d, modrm, &insn);
	insn.kind = kind;
	return insn;
}

/**
 * softpt_insn_classify() - what an instruction does
 * @code: its bytes, and whatever follows
 * @n: how many bytes there are
 * @long_mode: it runs in 64-bit mode, else in 32-bit mode
 *
 * Return: its kind; SOFTPT_INSN_SHORT when @n bytes don't hold all that decides.
 */
struct softpt_insn softpt_insn_classify(const u8 *code, unsigned int n, bool long_mode)
{
	return classify((struct decoder){ .code = code, .n = n, .long_mode = long_mode });
}

/**
 * softpt_insn_classify_16() - the same in a 16-bit segment
 * @code: its bytes, and whatever follows
 * @n: how many bytes there are
 *
 * Return: as softpt_insn_classify().
 */
struct softpt_insn softpt_insn_classify_16(const u8 *code, unsigned int n)
{
	return classify((struct decoder){ .code = code, .n = n, .bits16 = true, .opsize = true,
					  .addrsize = true });
}
