/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a function has its caller's registers, as its file says (DWARF's call frame information) */
#ifndef SOFTPT_CODE_DWARF_UNWIND_H
#define SOFTPT_CODE_DWARF_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

#include "code/symbols.h"

/* Where the caller's RBP is */
enum unwind_rbp {
	UNWIND_SAME,		/* in RBP still */
	UNWIND_SAVED,		/* in the frame */
	UNWIND_UNKNOWN,
};

/**
 * struct unwind_rule - the frame of a function at one of its instructions
 * @by_rbp: its address is told from RBP, else from RSP
 * @offset: the canonical frame address (CFA) less that register
 * @rbp: where the caller's RBP is
 * @rbp_at: that place less the CFA, where it is UNWIND_SAVED
 */
struct unwind_rule {
	bool by_rbp;
	int64_t offset;
	enum unwind_rbp rbp;
	int64_t rbp_at;
};

/* Return: false: the file does not say, or not in these words */
bool source_unwind(const struct symbol_place *place, struct unwind_rule *rule);

#endif /* SOFTPT_CODE_DWARF_UNWIND_H */
