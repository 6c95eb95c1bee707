/* SPDX-License-Identifier: BSD-2-Clause */
/* What of a 32-bit PowerPC instruction matters for the path: branches, LR and CTR */
#ifndef SOFTPT_LIB_PORT_INSN_H
#define SOFTPT_LIB_PORT_INSN_H

#include <stdbool.h>
#include <stdint.h>

enum ppc_kind {
	PPC_OTHER,
	PPC_BRANCH,		/* to @target */
	PPC_BRANCH_LR,
	PPC_BRANCH_CTR,
	PPC_RETURN,		/* rfi, rfci: to where no register of the port's points */
	PPC_MTLR,
	PPC_MTCTR,
};

struct ppc_flow {
	uint8_t kind;		/* enum ppc_kind */
	bool always;		/* unconditional */
	bool link;		/* LR becomes the address behind it */
	bool counts;		/* CTR is counted down */
	uint32_t target;
};

struct ppc_flow ppc_decode(uint32_t addr, uint32_t insn);

#endif /* SOFTPT_LIB_PORT_INSN_H */
