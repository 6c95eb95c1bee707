/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt report: text in columns, each as wide as it must be */
#ifndef SOFTPT_TOOL_REPORT_TABLE_H
#define SOFTPT_TOOL_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#define TABLE_COLUMNS	16

/**
 * struct table - rows of cells; the last column is as long as its text
 * @columns: how many
 * @left: bits of the columns that begin at the left
 * @width: of each column
 * @cell: texts, row by row
 * @n: how many
 * @room: for how many there is memory
 * @failed: there was no memory for a cell
 */
struct table {
	unsigned int columns;
	unsigned int left;
	size_t width[TABLE_COLUMNS];
	char **cell;
	size_t n;
	size_t room;
	bool failed;
};

/* The next cell; a name that came with the input is made harmless when it is printed. */
void table_put(struct table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Print all rows, the first of which is the head. Return: 0 or -ENOMEM */
int table_print(struct table *t);
void table_free(struct table *t);

#endif /* SOFTPT_TOOL_REPORT_TABLE_H */
