// SPDX-License-Identifier: BSD-2-Clause
#include "code/dwarf/unwind.h"

#include <stdlib.h>

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "code/symbolfile.h"

/* Numbers of DWARF (System V ABI, AMD64, figure 3.36) */
#define RBP	6
#define RSP	7

#define FRAME_MAX	(1 << 30)	/* bytes: no compiler makes so large a frame */

static Dwarf_Frame *find_frame(const struct symbol_place *place)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_Addr bias;
	Dwarf_CFI *cfi = dwfl_module_eh_cfi(place->file->module, &bias);

	if (cfi && !dwarf_cfi_addrframe(cfi, place->address - bias, &frame))
		return frame;
	cfi = dwfl_module_dwarf_cfi(place->file->module, &bias);
	if (cfi && !dwarf_cfi_addrframe(cfi, place->address - bias, &frame))
		return frame;
	return NULL;
}

/* The expression that linkers write of a PLT: RSP + 8, and 8 more behind its PUSH */
static bool find_plt(const struct symbol_place *place, const Dwarf_Op *ops, size_t n,
		     struct unwind_rule *rule)
{
	if (n < 2 || ops[0].atom != DW_OP_breg7 || ops[0].number != 8 ||
	    ops[1].atom != DW_OP_breg16)
		return false;
	rule->by_rbp = false;
	rule->offset = (place->address & 15) >= 11 ? 16 : 8;
	return true;
}

static bool find_cfa(Dwarf_Frame *frame, const struct symbol_place *place, struct unwind_rule *rule)
{
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_frame_cfa(frame, &ops, &n))
		return false;
	if (n != 1 || ops->atom != DW_OP_bregx)
		return find_plt(place, ops, n, rule);
	rule->by_rbp = ops->number == RBP;
	rule->offset = (int64_t)ops->number2;
	return (ops->number == RBP || ops->number == RSP) && rule->offset > 0 &&
	       rule->offset < FRAME_MAX;
}

static void find_rbp(Dwarf_Frame *frame, struct unwind_rule *rule)
{
	Dwarf_Op mem[3], *ops;
	size_t n;

	rule->rbp = UNWIND_UNKNOWN;
	if (dwarf_frame_register(frame, RBP, mem, &ops, &n))
		return;
	if (!n && !ops) {
		rule->rbp = UNWIND_SAME;
	} else if (n == 2 && ops[0].atom == DW_OP_call_frame_cfa &&
		   ops[1].atom == DW_OP_plus_uconst) {
		rule->rbp = UNWIND_SAVED;
		rule->rbp_at = (int64_t)ops[1].number;
	}
}

bool source_unwind(const struct symbol_place *place, struct unwind_rule *rule)
{
	Dwarf_Frame *frame = place->file && place->file->module ? find_frame(place) : NULL;
	bool known;

	*rule = (struct unwind_rule){ 0 };
	known = frame && find_cfa(frame, place, rule);
	if (known)
		find_rbp(frame, rule);
	free(frame);
	return known;
}
