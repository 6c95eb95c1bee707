/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions and code of a file that was mapped, whoever has mapped it */
#ifndef SOFTPT_CODE_SOURCE_H
#define SOFTPT_CODE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code/symbols.h"

/* The name of the file */
const char *source_path(const struct symbol_file *f);
/* Where it was linked to be mapped: from its first page on to behind the last one */
void source_range(const struct symbol_file *f, uint64_t *from, uint64_t *to);
/*
 * The separate file with its debug information, and the name that @link says it has; NULL: there is
 * none. Both are valid as long as the files of the symbols.
 */
const char *source_debug(struct symbol_file *f, const char **link);
/* 32 or 64: the mode that its code executes in */
unsigned int source_bits(const struct symbol_file *f);

/**
 * struct source_function - a function
 * @name: its symbol, NULL: there is none
 * @label: the symbol as people write it
 * @from: its first address
 * @to: behind it
 */
struct source_function {
	const char *name;
	const char *label;
	uint64_t from;
	uint64_t to;
};

/* The function at a place; all around it that no symbol names is one without a name */
void source_function_at(const struct symbol_place *place, struct source_function *function);

/* Up to @size bytes of code at a place. Return: how many */
size_t source_code(const struct symbol_place *place, uint8_t *buf, size_t size);

#endif /* SOFTPT_CODE_SOURCE_H */
