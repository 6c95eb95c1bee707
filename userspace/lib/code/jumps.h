/* SPDX-License-Identifier: BSD-2-Clause */
/* Notes of indirect jumps: one for a jump and what it goes to, as long as there is room */
#ifndef SOFTPT_CODE_JUMPS_H
#define SOFTPT_CODE_JUMPS_H

#include <stdint.h>

#include "code/blocks.h"

struct code_jumps;

/* Return: NULL without memory */
struct code_jumps *code_jumps_new(void);
void code_jumps_free(struct code_jumps *jumps);

/*
 * The note of the jump at the end of one of blocks @b when it goes to an address, as
 * struct code_block.note. It may be written to until the next call.
 */
uint8_t *code_jumps_note(struct code_jumps *jumps, const struct code_blocks *b,
			 const struct code_block *from, uint64_t to);

#endif /* SOFTPT_CODE_JUMPS_H */
