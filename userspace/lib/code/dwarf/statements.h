/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the statements of a line of source begin */
#ifndef SOFTPT_CODE_DWARF_STATEMENTS_H
#define SOFTPT_CODE_DWARF_STATEMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol_file;

/**
 * struct statements - a line of source, and what the debug information of a file says of it
 * @source: the source file: its name, or the end of its path
 * @line: its number, from 1 on
 * @addr: where a statement of it begins, each once, in their order; statements_free()
 * @nr: how many
 * @debug: there is debug information
 * @known: the file has code of @source
 * @moved: the line has instructions, and no statement of it begins with any
 * @near: a line of @source near to it at which one begins; 0: there is none
 */
struct statements {
	const char *source;
	int line;
	uint64_t *addr;
	size_t nr;
	bool debug;
	bool known;
	bool moved;
	int near;
};

/**
 * statements_find() - look a line up
 * @f: the file
 * @s: the line; the rest is set. A copy of an inlined function counts as well
 *
 * Return: false without memory
 */
bool statements_find(struct symbol_file *f, struct statements *s);
void statements_free(struct statements *s);

#endif /* SOFTPT_CODE_DWARF_STATEMENTS_H */
