// SPDX-License-Identifier: BSD-2-Clause
/*
 * The generator: blocks of random instructions (straight.c), with a random branch behind each.
 *
 * R13 is what branches depend on, R14 the data, R15 the log, RSP the stack. All other registers are
 * anybody's.
 */
#include "emit.h"

struct block blocks[BLOCKS + 1];
uint8_t boundary[CODE_SIZE];

uint8_t *out;
static uint64_t state;

/* Displacements that are known when all blocks have their place */
static struct fixup {
	uint8_t *at;
	unsigned int block;
} fixups[BLOCKS];
static unsigned int nr_fixups;

uint64_t draw(uint64_t *s)
{
	uint64_t x;

	*s += 0x9e3779b97f4a7c15ull;
	x = (*s ^ *s >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

unsigned int pick(unsigned int n)
{
	return (unsigned int)(draw(&state) % n);
}

uint64_t pick64(void)
{
	return draw(&state);
}

static void to_block(unsigned int block)
{
	fixups[nr_fixups++] = (struct fixup){ out, block };
	put(4, 0);
}

/* R13 is another number; R8 is some of its bits, and so are the flags. */
static void stir(void)
{
	insn();
	put(3, 0xed694d);		/* IMUL $, R13, R13 */
	put(4, 0x41c64e6d + 8 * pick(1000));
	insn();
	put(3, 0xc58349);		/* ADD $, R13 */
	put(1, 2 * pick(60) + 1);
	INSN(3, 0xe8894d);		/* MOV R13, R8 */
	insn();
	put(3, 0xf8c149);		/* SAR $, R8 */
	put(1, 30 + pick(20));
}

/* RAX or RCX = the address of some block */
static void choose(unsigned int to)
{
	stir();
	two(1, 0x89, 8, to, false);
	insn();
	put(2, 0xe081 | to << 8);
	put(4, TABLE_SIZE - 1);
	insn();
	put(3, 0x048b49 | to << 19);
	put(1, 0xc6 | to << 3);
}

/* @call: 2: CALL, 4: JMP, as the opcode has it */
static void indirect(struct block *b, unsigned int call)
{
	unsigned int r = pick(2);

	b->end = END_INDIRECT;
	choose(r);
	switch (pick(4)) {
	case 0:
		INSN(2, 0xc0ff | call << 11 | r << 8);
		break;
	case 1:			/* through the stack */
		INSN(5, 0xf024448948ull | r << 19);
		INSN(4, 0xf02444ff | call << 11);
		break;
	case 2:			/* through a cell, RIP-relative */
		insn();
		put(3, 0x868949 | r << 19);
		put(4, DATA_SIZE - 16);
		insn();
		put(2, 0x05ff | call << 11);
		put(4, DATA + DATA_SIZE - 16 - ((uintptr_t)out + 4));
		break;
	case 3:			/* through the table: not loaded before */
		out -= 4;
		put(4, 0xc604ff41 | call << 19 | r << 27);
		break;
	}
}

/* By a return: to an address that was pushed */
static void pushed(struct block *b)
{
	unsigned int r = pick(2);

	b->end = END_INDIRECT;
	choose(r);
	INSN(1, 0x50 | r);
	INSN(1, 0xc3);
}

static void ret(struct block *b)
{
	b->end = END_INDIRECT;
	if (pick(10))
		INSN(1, 0xc3);
	else
		INSN(3, 0x08c2);
}

/* Only what depends on R13 goes back: no loop is without an end. */
static unsigned int ahead(unsigned int i)
{
	return i + 1 + pick(BLOCKS - 1 - i < 40 ? BLOCKS - 1 - i : 40);
}

/* LOOP and its like reach a JMP that goes on. */
static void loop(struct block *b, unsigned int i)
{
	b->end = END_JCC;
	b->target = ahead(i);
	if (pick(3)) {
		stir();
		INSN(3, 0xc18944);	/* MOV R8D, ECX; AND $3, ECX */
		INSN(3, 0x03e183);
		b->target = pick(BLOCKS);
	}
	insn();
	if (pick(4) == 0)
		put(1, 0x67);
	put(1, 0xe0 + pick(4));
	put(1, 2);
	INSN(2, 5 << 8 | 0xeb);
	insn();
	put(1, 0xe9);
	to_block(b->target);
}

static void jcc(struct block *b, unsigned int i)
{
	/* Not of OF and ZF, which SAR leaves the same */
	static const uint8_t conditions[] = { 2, 3, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	unsigned int condition = pick(16);

	b->end = END_JCC;
	b->target = ahead(i);
	if (pick(6)) {
		stir();
		condition = conditions[pick(sizeof(conditions))];
		b->target = pick(3) ? pick(BLOCKS) : i;
	}
	insn();
	if (b->target == i && (uintptr_t)out + 2 - b->at < 128) {
		b->flip = (uintptr_t)out;
		put(1, 0x70 | condition);
		put(1, b->at - ((uintptr_t)out + 1));
		return;
	}
	put(1, 0x0f);
	b->flip = (uintptr_t)out;
	put(1, 0x80 | condition);
	to_block(b->target);
}

static void direct(unsigned int i, unsigned int opcode)
{
	insn();
	put(1, opcode);
	to_block(ahead(i));
	if (opcode == 0xe9)
		put(pick(4), 0xcccccc);
}

static void branch(unsigned int i)
{
	struct block *b = &blocks[i];
	unsigned int n = pick(100);

	if (i == BLOCKS - 1)
		indirect(b, 4);
	else if (n < 40)
		jcc(b, i);
	else if (n < 47)
		loop(b, i);
	else if (n < 55)
		direct(i, 0xe9);
	else if (n < 70)
		direct(i, 0xe8);
	else if (n < 80)
		indirect(b, pick(3) ? 4 : 2);
	else if (n < 83)
		pushed(b);
	else if (n < 95)
		ret(b);
	/* else: the next block */
}

static void generate_block(unsigned int i)
{
	struct block *b = &blocks[i];
	unsigned int n = pick(12);

	b->at = (uintptr_t)out;
	INSN(3, 0x07c741);		/* movl $i, (%r15) */
	put(4, i);
	INSN(4, 0x047f8d4d);		/* lea 4(%r15), %r15 */
	while (n--)
		any(b);
	branch(i);
	if (b->end == END_JCC && b->target == i + 1) {	/* its outcome would not be seen */
		b->target = i;
		fixups[nr_fixups - 1].block = i;
	}
}

static void resolve(void)
{
	const struct fixup *f;
	uint32_t distance;

	for (f = fixups; f < fixups + nr_fixups; f++) {
		distance = (uint32_t)(blocks[f->block].at - ((uintptr_t)f->at + 4));
		memcpy(f->at, &distance, 4);
	}
	resolve_patches();
}

void generate(uint64_t seed)
{
	uint64_t *table = (uint64_t *)DATA;
	unsigned int i;

	state = seed;
	out = (uint8_t *)CODE;
	for (i = 0; i < BLOCKS; i++)
		generate_block(i);
	blocks[BLOCKS].at = (uintptr_t)out;
	insn();
	put(2, 0x0b0f);
	resolve();
	for (i = 0; i < TABLE_SIZE; i++)
		table[i] = blocks[pick(BLOCKS)].at;
}
