// SPDX-License-Identifier: BSD-2-Clause
/* Branches of the 32-bit PowerPC architecture, and moves to LR and CTR */
#include "port/insn.h"

#define OPCODE(insn)	((insn) >> 26)
#define EXTENDED(insn)	((insn) >> 1 & 0x3ff)
#define BO(insn)	((insn) >> 21 & 0x1f)
#define SPR(insn)	(((insn) >> 16 & 0x1f) | ((insn) >> 6 & 0x3e0))
#define AA(insn)	((insn) & 2)
#define LK(insn)	((insn) & 1)

enum {
	OP_BC		= 16,
	OP_B		= 18,
	OP_XL		= 19,
	OP_X		= 31,
	XL_BCLR		= 16,
	XL_RFI		= 50,
	XL_RFCI		= 51,
	XL_BCCTR	= 528,
	X_MTSPR		= 467,
	SPR_LR		= 8,
	SPR_CTR		= 9,
	/* BO: what a conditional branch does not look at */
	BO_NO_CONDITION	= 0x10,
	BO_NO_COUNT	= 0x04,
};

static uint32_t relative(uint32_t addr, uint32_t insn, unsigned int bits)
{
	uint32_t sign = 1u << (bits - 1), field = insn & ((1u << bits) - 4);

	return ((field ^ sign) - sign) + (AA(insn) ? 0 : addr);
}

static struct ppc_flow conditional(uint8_t kind, uint32_t insn, uint32_t target)
{
	uint32_t bo = BO(insn);

	return (struct ppc_flow){
		.kind = kind, .link = LK(insn), .counts = !(bo & BO_NO_COUNT), .target = target,
		.always = bo & BO_NO_CONDITION && bo & BO_NO_COUNT,
	};
}

static struct ppc_flow register_branch(uint32_t insn)
{
	switch (EXTENDED(insn)) {
	case XL_BCLR:
		return conditional(PPC_BRANCH_LR, insn, 0);
	case XL_BCCTR:
		return conditional(PPC_BRANCH_CTR, insn, 0);
	case XL_RFI:
	case XL_RFCI:
		return (struct ppc_flow){ .kind = PPC_RETURN, .always = true };
	}
	return (struct ppc_flow){ 0 };
}

struct ppc_flow ppc_decode(uint32_t addr, uint32_t insn)
{
	switch (OPCODE(insn)) {
	case OP_B:
		return (struct ppc_flow){
			.kind = PPC_BRANCH, .always = true, .link = LK(insn),
			.target = relative(addr, insn, 26),
		};
	case OP_BC:
		return conditional(PPC_BRANCH, insn, relative(addr, insn, 16));
	case OP_XL:
		return register_branch(insn);
	case OP_X:
		if (EXTENDED(insn) == X_MTSPR && SPR(insn) == SPR_LR)
			return (struct ppc_flow){ .kind = PPC_MTLR };
		if (EXTENDED(insn) == X_MTSPR && SPR(insn) == SPR_CTR)
			return (struct ppc_flow){ .kind = PPC_MTCTR };
	}
	return (struct ppc_flow){ 0 };
}
