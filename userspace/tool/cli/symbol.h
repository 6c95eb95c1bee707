/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses as names */
#ifndef SOFTPT_TOOL_CLI_SYMBOL_H
#define SOFTPT_TOOL_CLI_SYMBOL_H

#include <stdint.h>
#include <stdio.h>

#include "code/symbols.h"

/* Write NAME+0xN of an address */
void symbol_write(FILE *out, const struct softpt_symbol *sym, uint64_t ip);
/* On stdout */
void symbol_print(const struct softpt_symbol *sym, uint64_t ip);

#endif /* SOFTPT_TOOL_CLI_SYMBOL_H */
