/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions as text: address, function, what it does */
#ifndef SOFTPT_TOOL_FLOW_INSN_H
#define SOFTPT_TOOL_FLOW_INSN_H

#include <softpt/flow.h>

struct insn_texts;

/* Return: NULL without memory */
struct insn_texts *insn_texts_new(void);
void insn_texts_free(struct insn_texts *texts);

/* Print the instruction of a row, without the end of the line, on stdout; @texts may be NULL */
void insn_print(struct insn_texts *texts, const struct softpt_flow_row *row,
		const struct softpt_symbol *sym);

#endif /* SOFTPT_TOOL_FLOW_INSN_H */
