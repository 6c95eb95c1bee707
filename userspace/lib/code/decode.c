// SPDX-License-Identifier: BSD-2-Clause
#include "code/decode.h"

#include <stdbool.h>

#include "../../../kmod/x86/decode.h"
#include "../../../kmod/x86/insn.h"

/* Far transfers that matter to who follows a path, and not to who single-steps */
static bool is_far(const struct softpt_x86 *x, const uint8_t *code)
{
	const uint8_t modrm = code[x->modrm];

	if (x->map != 1)
		return false;
	switch (x->opcode) {
	case 0x07:	/* SYSRET */
	case 0x35:	/* SYSEXIT */
	case 0xaa:	/* RSM */
		return true;
	case 0x01:	/* VMCALL, VMLAUNCH, VMRESUME */
		return modrm >= 0xc1 && modrm <= 0xc3;
	}
	return false;
}

static uint64_t target_of(const struct softpt_x86 *x, const uint8_t *code, uint64_t addr,
			  unsigned int bits)
{
	uint64_t target = softpt_x86_target(x, code, addr);

	return bits == 64 ? target : (uint32_t)target;
}

struct code_insn code_decode(const uint8_t *code, size_t n, uint64_t addr, unsigned int bits)
{
	struct code_insn insn = { 0 };
	struct softpt_x86 x;

	n = n < SOFTPT_X86_MAX ? n : SOFTPT_X86_MAX;
	softpt_x86_decode_in(code, n, bits, &x);
	if (x.kind == SOFTPT_X86_SHORT || x.imm + x.imm_len > SOFTPT_X86_MAX)
		return insn;
	insn.size = x.len;
	insn.kind = bits == 16 ? softpt_insn_classify_16(code, n).kind :
				 softpt_insn_classify(code, n, bits == 64).kind;
	switch (insn.kind) {
	case SOFTPT_INSN_JCC:
	case SOFTPT_INSN_JMP:
	case SOFTPT_INSN_CALL:
		insn.target = target_of(&x, code, addr, bits);
		break;
	case SOFTPT_INSN_RET:
	case SOFTPT_INSN_IJMP:
	case SOFTPT_INSN_ICALL:
	case SOFTPT_INSN_PTWRITE:
		break;
	case SOFTPT_INSN_FAR:
	case SOFTPT_INSN_IRET:
	case SOFTPT_INSN_SYSCALL:
	case SOFTPT_INSN_TRAP:
		insn.kind = SOFTPT_INSN_FAR;
		break;
	default:
		insn.kind = is_far(&x, code) ? SOFTPT_INSN_FAR : SOFTPT_INSN_OTHER;
	}
	return insn;
}

bool code_is_conditional(const struct code_insn *insn)
{
	return insn->kind == SOFTPT_INSN_JCC;
}
