// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../cli/tool.h"
#include "table.h"

static int grow(struct table *t)
{
	size_t room = t->room ? 2 * t->room : 256;
	char **grown = reallocarray(t->cell, room, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	t->cell = grown;
	t->room = room;
	return 0;
}

/* In UTF-8 what follows the first byte of a character has no width. */
static size_t width_of(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

void table_put(struct table *t, const char *format, ...)
{
	char *text = NULL;
	size_t *width = &t->width[t->n % t->columns];
	va_list args;

	va_start(args, format);
	if (t->failed || (t->n == t->room && grow(t)) || vasprintf(&text, format, args) < 0)
		t->failed = true;
	va_end(args);
	if (t->failed)
		return;
	if (width_of(text) > *width)
		*width = width_of(text);
	t->cell[t->n++] = text;
}

static void print_cell(const struct table *t, size_t i)
{
	const unsigned int column = i % t->columns;
	const bool last = column + 1 == t->columns, left = t->left & 1u << column;
	const int spaces = last ? 0 : t->width[column] - width_of(t->cell[i]);

	printf("%*s", left ? 0 : spaces, "");
	print_plain(stdout, t->cell[i], SIZE_MAX);
	if (!last)
		printf("%*s", left ? spaces + 1 : 1, "");
}

static enum colour colour_of(const struct table *t, size_t i)
{
	if (i < t->columns)
		return COLOUR_DIM;
	return i % t->columns + 1 == t->columns ? COLOUR_FLOW : COLOUR_PLAIN;
}

int table_print(struct table *t)
{
	size_t i;

	for (i = 0; i < t->n; i++) {
		fputs(colour(stdout, colour_of(t, i)), stdout);
		print_cell(t, i);
		fputs(colour(stdout, COLOUR_PLAIN), stdout);
		if ((i + 1) % t->columns == 0)
			putchar('\n');
	}
	return t->failed ? -ENOMEM : 0;
}

void table_free(struct table *t)
{
	while (t->n)
		free(t->cell[--t->n]);
	free(t->cell);
}
