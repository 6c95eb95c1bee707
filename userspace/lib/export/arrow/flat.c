// SPDX-License-Identifier: BSD-2-Clause
#include "export/arrow/flat.h"

#include <string.h>

#define WORST	8	/* the widest number: what begins at its multiple suits all */
#define OFFSET	4	/* bytes of an offset, and of a length */
#define SHORT	2	/* bytes of a number in the list of a table's fields */

/* Return: where the zeros begin */
static size_t add(struct flat *f, size_t len)
{
	const size_t at = f->len;

	if (len > FLAT_ROOM - at) {
		f->full = true;
		return at;
	}
	memset(f->data + at, 0, len);
	f->len += len;
	return at;
}

void flat_set(struct flat *f, size_t at, size_t size, uint64_t value)
{
	size_t i;

	if (f->full)
		return;
	for (i = 0; i < size; i++)
		f->data[at + i] = value >> 8 * i;
}

void flat_align(struct flat *f, size_t size)
{
	add(f, -f->len % size);
}

void flat_begin(struct flat *f)
{
	f->len = 0;
	f->full = false;
	add(f, OFFSET);
}

/* What comes next is what @from leads to. */
static void lead_here(struct flat *f, size_t from)
{
	flat_set(f, from, OFFSET, f->len - from);
}

/*
 * The list: its own length, that of the table, where in the table each field is. The table begins
 * with how far behind the list it is.
 */
void flat_table(struct flat *f, size_t from, const char *sizes, size_t *field)
{
	const size_t n = strlen(sizes), list_len = SHORT * (2 + n);
	size_t i, size, list, table, end = OFFSET;

	add(f, -(f->len + list_len) % WORST);
	list = add(f, list_len);
	lead_here(f, from);
	table = f->len;
	for (i = 0; i < n; i++) {
		size = sizes[i] - '0';
		if (!size)
			continue;
		end += -end % size;
		flat_set(f, list + SHORT * (2 + i), SHORT, end);
		field[i] = table + end;
		end += size;
	}
	add(f, end);
	flat_set(f, list, SHORT, list_len);
	flat_set(f, list + SHORT, SHORT, end);
	flat_set(f, table, OFFSET, table - list);
}

size_t flat_vector(struct flat *f, size_t from, uint32_t n, size_t size)
{
	add(f, -(f->len + OFFSET) % WORST);
	lead_here(f, from);
	flat_set(f, add(f, OFFSET), OFFSET, n);
	return add(f, n * size);
}

void flat_string(struct flat *f, size_t from, const char *text)
{
	const size_t len = strlen(text);
	size_t at;

	flat_align(f, OFFSET);
	lead_here(f, from);
	flat_set(f, add(f, OFFSET), OFFSET, len);
	at = add(f, len + 1);
	if (!f->full)
		memcpy(f->data + at, text, len);
}
