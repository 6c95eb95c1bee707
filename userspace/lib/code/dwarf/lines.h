/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of source that code was made of */
#ifndef SOFTPT_CODE_DWARF_LINES_H
#define SOFTPT_CODE_DWARF_LINES_H

#include "code/source.h"

/* The source file of a place, NULL: not known; valid as long as the files of the symbols */
const char *symbols_source(const struct symbol_place *place);
/* The same, and @line in it */
const char *symbols_line(const struct symbol_place *place, int *line);
/* The same, with its folder. Return: @buf, or NULL: not known, or longer than @len */
const char *source_line(const struct symbol_place *place, int *line, char *buf, size_t len);

/*
 * Up to @n lines of a place: its own, then those that the functions around it were inlined at. All
 * is valid as long as the files of the symbols. Return: how many; 0: not known
 */
unsigned int source_frames(const struct symbol_place *place, struct softpt_flow_line *frame,
			   unsigned int n);

/* Gets code, from @from on, that was made of a line. Return: false to end the walk */
typedef bool (*source_line_fn)(void *ctx, const char *path, int line, uint64_t from);
/* Gets a function that has lines. Return: false to end the walk */
typedef bool (*source_function_fn)(void *ctx, const struct source_function *function);

/* All lines that code was made of. Return: false where @fn ended it */
bool source_lines(struct symbol_file *f, source_line_fn fn, void *ctx);
/* All functions that have lines */
bool source_functions(struct symbol_file *f, source_function_fn fn, void *ctx);

#endif /* SOFTPT_CODE_DWARF_LINES_H */
