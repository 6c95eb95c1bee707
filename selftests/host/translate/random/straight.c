// SPDX-License-Identifier: BSD-2-Clause
/* Straight code of random programs, and what faults */
#include <signal.h>

#include "emit.h"

/* Operands that are the immediate, or the opcode, of a block */
static struct patch {
	uint8_t *at;
	unsigned int block;
	bool flip;
} patches[BLOCKS];
static unsigned int nr_patches;

/* Any but RSP and R13 to R15 */
static unsigned int reg(void)
{
	static const uint8_t regs[] = { 0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 1, 1 };

	return regs[pick(sizeof(regs))];
}

static unsigned int rex(bool wide, unsigned int r, unsigned int b)
{
	return 0x40 | wide << 3 | (r >> 3) << 2 | b >> 3;
}

static void put_two(unsigned int n, unsigned int opcode, unsigned int r, unsigned int b, bool wide)
{
	put(1, rex(wide, r, b));
	put(n, opcode);
	put(1, 0xc0 | (r & 7) << 3 | (b & 7));
}

/* OPCODE of two registers */
void two(unsigned int n, unsigned int opcode, unsigned int r, unsigned int b, bool wide)
{
	insn();
	put_two(n, opcode, r, b, wide);
}

/* OPCODE of a register and memory at R14 */
static void data(unsigned int n, unsigned int opcode, unsigned int r, bool wide)
{
	insn();
	put(1, rex(wide, r, 14));
	put(n, opcode);
	put(1, 0x86 | (r & 7) << 3);
	put(4, 8 * TABLE_SIZE + pick(DATA_SIZE - 8 * TABLE_SIZE - 64));
}

/* OPCODE of a register and memory, RIP-relative */
static void relative(unsigned int n, unsigned int opcode, unsigned int r, bool wide)
{
	uint64_t to = DATA + 8 * TABLE_SIZE + pick(DATA_SIZE - 8 * TABLE_SIZE - 64);

	insn();
	put(1, rex(wide, r, 0));
	put(n, opcode);
	put(1, 5 | (r & 7) << 3);
	put(4, to - ((uintptr_t)out + 4));
}

/* What else there is: an immediate behind the operand, and two registers before it */
static void relative_more(void)
{
	const unsigned int r = pick(4);

	insn();
	if (pick(2)) {
		put(2, 0x0583);				/* ADD m, $ */
		put(4, DATA + 8 * TABLE_SIZE + 8 * pick(100) - ((uintptr_t)out + 5));
		put(1, pick(256));
		return;
	}
	put(4, 0xf200e2c4 | (15 - (4 + pick(4))) << 19);	/* ANDN m, v, r: by VEX */
	put(1, 5 | (r == 0 ? 6 : r == 1 ? 7 : r) << 3);
	put(4, DATA + 8 * TABLE_SIZE + 8 * pick(100) - ((uintptr_t)out + 4));
}

/* MOV r, immediate of 64 bits */
static void load(unsigned int r, uint64_t value)
{
	insn();
	put(1, rex(true, 0, r));
	put(1, 0xb8 | (r & 7));
	put(8, value);
}

static void arithmetic(void)
{
	static const uint8_t ops[] = {
		0x01, 0x03, 0x09, 0x11, 0x13, 0x19, 0x21, 0x29, 0x2b, 0x31, 0x39, 0x85, 0x89, 0x87,
		0x00, 0x10, 0x18, 0x30, 0x38, 0x84, 0x63
	};

	insn();
	if (pick(8) == 0)
		put(1, 0x66);
	put_two(1, ops[pick(sizeof(ops))], reg(), reg(), pick(2));
}

/* Opcodes with 0F; SHLD, SHRD, CMPXCHG and XADD among them */
static void two_bytes(void)
{
	static const uint8_t ops[] = {
		0xaf, 0xb6, 0xbf, 0xa3, 0xab, 0xb3, 0xbb, 0xc1, 0xb1, 0xa5, 0xad
	};
	unsigned int op;

	switch (pick(3)) {
	case 0:
		op = 0x40 + pick(16);		/* CMOVcc */
		break;
	case 1:
		op = 0x90 + pick(16);		/* SETcc */
		break;
	default:
		op = ops[pick(sizeof(ops))];
	}
	two(2, op << 8 | 0x0f, reg(), reg(), pick(2));
}

static void shift_or_unary(void)
{
	static const uint8_t unary[] = { 2, 3, 4 };

	switch (pick(4)) {
	case 0:
		two(1, 0xd3, pick(8), reg(), pick(2));
		break;
	case 1:
		two(1, 0xc1, pick(8), reg(), true);
		put(1, pick(64));
		break;
	case 2:
		two(1, 0xf7, unary[pick(3)], reg(), pick(2));
		break;
	case 3:
		two(1, 0xff, pick(2), reg(), pick(2));
		break;
	}
}

static void memory(void)
{
	static const uint8_t ops[] = { 0x01, 0x03, 0x11, 0x29, 0x31, 0x33, 0x39, 0x89, 0x8b, 0x87 };
	unsigned int op = ops[pick(sizeof(ops))];

	switch (pick(6)) {
	case 5:
		relative_more();
		break;
	case 0:
	case 1:
		data(1, op, reg(), pick(2));
		break;
	case 2:
		relative(1, op, reg(), pick(2));
		break;
	case 3:
		insn();			/* below the stack pointer */
		put(4, 0x24448948 | pick(8) << 19);
		put(1, -(8 + pick(120)));
		break;
	case 4:
		data(2, pick(2) ? 0x100f : 0x110f, pick(8), false);	/* MOVUPS */
		break;
	}
}

static void flags(void)
{
	static const uint8_t ops[] = { 0xf5, 0xf8, 0xf9, 0xfc, 0xfd, 0x9e, 0x9f, 0x98, 0x99 };

	switch (pick(4)) {
	case 0:
		INSN(1, 0x9c);					/* PUSHF; POP */
		INSN(2, 0x5841 | pick(5) << 8);
		break;
	case 1:
		insn();						/* PUSH; POPF */
		put(1, 0x68);
		put(4, 0x202 | (pick(0x1000) & 0xcd5));
		INSN(1, 0x9d);
		break;
	default:
		INSN(1, ops[pick(sizeof(ops))]);
	}
}

static void stack(void)
{
	insn();
	put(2, 0x5041 | pick(5) << 8);
	shift_or_unary();
	insn();
	put(2, 0x5841 | pick(5) << 8);
}

static void string(void)
{
	static const uint16_t ops[] = { 0xa4f3, 0xaaf3, 0xa6f3, 0xaef3, 0xabf3, 0xaef2 };

	load(6, DATA + DATA_SIZE / 2 + pick(4096));
	load(7, DATA + DATA_SIZE / 4 + pick(4096));
	load(1, pick(300));
	INSN(2, ops[pick(6)]);
}

/* A branch to what is no code: nothing there, data, no canonical address */
static void astray(void)
{
	const uint64_t to[] = {
		0x12345, 0x3fff0000, DATA + 16, 0x123456789000, 0x800000001234, 0xffff888000000000
	};
	unsigned int r = pick(2), i = pick(6);

	load(r, to[i]);
	if (pick(2)) {
		/* A CALL to what may be an address leaves one on the stack that is no block's. */
		INSN(2, (i == 4 ? 0xd0ff : 0xe0ff) | r << 8);
		return;
	}
	INSN(1, 0x50 | r);
	INSN(1, 0xc3);
}

/* Faults: nothing there, no canonical address, a division, what traps */
static void fault(void)
{
	unsigned int r = reg();

	switch (pick(9)) {
	case 0:
		insn();
		put(4, 0x25048b48);
		put(4, pick(4096));
		break;
	case 1:
		load(11, 0x8000000000000000ull | pick64() >> 2);
		insn();			/* mov (%r11), r */
		put(1, rex(true, r, 11));
		put(1, 0x8b);
		put(1, (r & 7) << 3 | 3);
		break;
	case 2:
		insn();			/* the page behind the data */
		put(3, 0x868949);
		put(4, DATA_SIZE + pick(4000));
		break;
	case 3:
		two(1, 0x31, r, r, false);
		two(1, 0xf7, 6, r, pick(2));		/* DIV */
		break;
	case 4:
		INSN(2, 0x0b0f);
		break;
	case 5:
		INSN(1, 0xcc);
		break;
	case 6:
		INSN(1, 0xf4);
		break;
	case 7:
		astray();
		break;
	case 8:
		/* INT n. A hypervisor takes 0x1a and 0x1b for itself here: they need not fault. */
		insn();
		put(1, 0xcd);
		r = pick(0x80);
		put(1, (r | 1) == 0x1b ? 0x20 : r);
		break;
	}
}

/* A system call: sched_yield(), or kill(getpid(), SIGUSR2 or SIGHUP) */
static void call_kernel(void)
{
	insn();
	put(1, 0xb8);
	if (pick(2)) {
		put(4, 24);
		INSN(2, 0x050f);
		return;
	}
	put(4, 39);
	INSN(2, 0x050f);
	INSN(2, 0xc789);
	insn();
	put(1, 0xbe);
	put(4, pick(2) ? SIGUSR2 : SIGHUP);
	insn();
	put(1, 0xb8);
	put(4, 62);
	INSN(2, 0x050f);
	load(7, pick64());
}

/* MOV r, immediate, which others patch */
static void patched(struct block *b)
{
	unsigned int r = reg();

	insn();
	put(1, rex(false, 0, r));
	put(1, 0xb8 | (r & 7));
	b->patch = (uintptr_t)out;
	put(4, pick64());
}

/* Change what another block does: its immediate, or its condition */
static void patcher(void)
{
	bool flip = pick(2);

	insn();
	if (flip)
		put(2, 0x3580);			/* XOR byte [], 1: the opcode of a Jcc */
	else
		put(2, 0x0589 | pick(8) << 11);	/* MOV [], r */
	patches[nr_patches++] = (struct patch){ out, pick(BLOCKS), flip };
	put(4, 0);
	if (flip)
		put(1, 1);
}

/* LEA 3(b), r */
static void lea(void)
{
	insn();
	put(3, 0x438d48 | pick(4) << 19 | pick(2) << 16);
	put(1, pick(256));
}

void any(struct block *b)
{
	unsigned int n = pick(1000);

	if (n < 350)
		arithmetic();
	else if (n < 500)
		two_bytes();
	else if (n < 600)
		shift_or_unary();
	else if (n < 780)
		memory();
	else if (n < 850)
		flags();
	else if (n < 930)
		stack();
	else if (n < 950)
		string();
	else if (n < 980)
		patched(b);
	else if (n < 984)
		fault();
	else if (n < 988)
		call_kernel();
	else if (n < 992 && nr_patches < BLOCKS)
		patcher();
	else
		lea();
}

void resolve_patches(void)
{
	const struct patch *p;
	uint32_t distance;
	unsigned int i;
	uint64_t at;

	for (p = patches; p < patches + nr_patches; p++) {
		i = p->block;
		while (!(at = p->flip ? blocks[i].flip : blocks[i].patch))
			i = (i + 1) % BLOCKS;
		distance = (uint32_t)(at - ((uintptr_t)p->at + 4 + p->flip));
		memcpy(p->at, &distance, 4);
	}
}
