// SPDX-License-Identifier: BSD-2-Clause
/* What no recording of a test is large enough for: the limits of a stream of Arrow */
#include <errno.h>
#include <string.h>

#include "selftests/kit/kit.h"
#include "userspace/lib/export/arrow/message.h"

/* By hand: the list of fields is at 6, the table at 16 */
static void test_table(struct flat *f)
{
	static const unsigned char want[] = {
		16, 0, 0, 0, 0, 0, 10, 0, 7, 0, 4, 0, 0, 0, 6, 0,
		10, 0, 0, 0, 0x34, 0x12, 0xff,
	};
	size_t field[3];

	flat_begin(f);
	flat_table(f, 0, "201", field);
	flat_set(f, field[0], 2, 0x1234);
	flat_set(f, field[2], 1, 0xff);
	kit_is(f->len, sizeof(want), "bytes of a table");
	kit_ok(!f->full && !memcmp(f->data, want, sizeof(want)), "they are those of the format");
}

static void test_full(struct flat *f)
{
	unsigned int i;

	flat_begin(f);
	for (i = 0; i < FLAT_ROOM && !f->full; i++)
		flat_string(f, 0, "text");
	kit_ok(f->full && f->len <= FLAT_ROOM && f->len > FLAT_ROOM - 16, "a message that is full");
	flat_vector(f, 0, UINT32_MAX, 16);
	flat_table(f, 0, "8888", (size_t[4]){ 0 });
	kit_ok(f->full && f->len <= FLAT_ROOM, "nothing is written behind it");
	flat_begin(f);
	kit_ok(!f->full, "the next one is not");
}

static void test_schemas(struct flat *f)
{
	const struct table *table;
	size_t i;

	for (i = 0; (table = tables_table(i)); i++) {
		arrow_schema(f, table);
		kit_ok(!f->full && f->len < FLAT_ROOM / 2, "the schema of %s: %zu bytes",
		       table->name, f->len);
	}
}

/* Offsets have 31 bits. */
static void test_long_text(void)
{
	static const struct column text = { .name = "text", .type = COLUMN_TEXT };
	struct arrow_column c;

	if (arrow_column_begin(&c, &text))
		kit_bail("memory");
	kit_is(arrow_column_text(&c, 0, "some"), 0, "a text");
	c.len = INT32_MAX - 3;
	kit_is(arrow_column_text(&c, 1, "more"), -EOVERFLOW, "a text that is too long");
	kit_ok(c.len == INT32_MAX - 3 && !c.offset[2], "it is not taken");
	arrow_column_free(&c);
}

int main(void)
{
	static struct flat f;

	test_table(&f);
	test_full(&f);
	test_schemas(&f);
	test_long_text();
	return kit_done();
}
