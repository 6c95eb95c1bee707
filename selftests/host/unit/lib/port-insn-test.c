// SPDX-License-Identifier: BSD-2-Clause
/* The decoder of PowerPC branches against Capstone: random words of the opcodes that matter */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <capstone/capstone.h>

#include "userspace/lib/port/insn.h"

#define ADDR	0x10000000u
#define COUNT	300000

static uint32_t state = 1;

static uint32_t random_word(void)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

/* Words that have a chance to be a branch or a move */
static uint32_t random_insn(void)
{
	static const uint32_t minor[] = { 16, 50, 51, 528 }, spr[] = { 1, 8, 9 };
	uint32_t w = random_word(), r = random_word();

	switch (r % 5) {
	case 0:
		return (w & 0x03ffffff) | 18u << 26;
	case 1:
		return (w & 0x03ffffff) | 16u << 26;
	case 2:		/* BO as the architecture has it, no hints, BH 0 */
		return (w & 0x03ff0001) | 19u << 26 | minor[r / 5 % 4] << 1;
	case 3:		/* mtspr LR, CTR, XER */
		return (w & 0x03e00000) | 31u << 26 | spr[r / 5 % 3] << 16 | 467 << 1;
	}
	return w;
}

/* What Capstone calls it, as far as it matters */
static int kind_of(const cs_insn *in)
{
	const char *m = in->mnemonic;

	if (!strcmp(m, "mtlr"))
		return PPC_MTLR;
	if (!strcmp(m, "mtctr"))
		return PPC_MTCTR;
	if (!strncmp(m, "rfi", 3) || !strncmp(m, "rfci", 4))
		return PPC_RETURN;
	if (m[0] != 'b' || !strncmp(m, "brinc", 5) || !strncmp(m, "bpermd", 6))
		return PPC_OTHER;
	if (strstr(m, "ctr"))
		return PPC_BRANCH_CTR;
	return strstr(m, "lr") ? PPC_BRANCH_LR : PPC_BRANCH;
}

/* The last operand of a direct branch */
static bool same_target(const cs_insn *in, uint32_t target)
{
	const cs_ppc *p = &in->detail->ppc;

	/* It shows no operand where the displacement is 0. */
	if (!p->op_count || p->operands[p->op_count - 1].type != PPC_OP_IMM)
		return target == ADDR || !target;
	return (uint32_t)p->operands[p->op_count - 1].imm == target;
}

static bool same(const cs_insn *in, const struct ppc_flow *own)
{
	if (kind_of(in) != own->kind)
		return false;
	if (own->kind == PPC_BRANCH && !same_target(in, own->target))
		return false;
	/* Capstone 4 says bdnz of BO = 1z1zz, too, which is "always" */
	return strncmp(in->mnemonic, "bd", 2) || own->counts || own->always;
}

int main(void)
{
	unsigned int i, known = 0, wrong = 0, kinds[PPC_MTCTR + 1] = { 0 };
	cs_insn *in;
	csh cs;

	if (cs_open(CS_ARCH_PPC, CS_MODE_32 | CS_MODE_BIG_ENDIAN, &cs))
		return 1;
	cs_option(cs, CS_OPT_DETAIL, CS_OPT_ON);
	for (i = 0; i < COUNT; i++) {
		uint32_t w = random_insn();
		uint8_t bytes[] = { w >> 24, w >> 16, w >> 8, w };
		struct ppc_flow own = ppc_decode(ADDR, w);

		if (cs_disasm(cs, bytes, 4, ADDR, 1, &in) != 1)
			continue;
		known++;
		kinds[own.kind]++;
		if (!same(in, &own) && wrong++ < 10)
			printf("# %08x %s %s: kind %u target %#x\n", w, in->mnemonic, in->op_str,
			       own.kind, own.target);
		cs_free(in, 1);
	}
	cs_close(&cs);
	for (i = 0; i <= PPC_MTCTR; i++)
		wrong += !kinds[i];
	printf("1..1\n%s 1 - %u words as Capstone has them\n", wrong ? "not ok" : "ok", known);
	return wrong != 0;
}
