// SPDX-License-Identifier: BSD-2-Clause
/* Durations and names as softpt report prints them */
#include <string.h>

#include "selftests/kit/kit.h"
#include "userspace/tool/report/time.h"

static void test_text(void)
{
	static const struct {
		double ns;
		uint64_t ticks;
		const char *text;
	} cases[] = {
		{ 0, 0, "0" },
		{ 0, 123456789, "123456789" },
		{ 0.5, 1, "0ns" },
		{ 0.5, 1998, "999ns" },
		{ 0.5, 2000, "1us" },
		{ 0.5, 2468, "1.234us" },
		{ 1, 12345, "12.35us" },
		{ 1, 999940, "999.9us" },
		{ 1, 999960, "1ms" },
		{ 1, 999960000, "1s" },
		{ 1, 12345678901, "12.35s" },
		{ 1, 1234567890123, "1235s" },
	};
	const struct view *v;
	char buf[TIME_MAX];
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		v = &(struct view){ .ns = cases[i].ns };
		kit_ok(!strcmp(time_text(v, cases[i].ticks, buf), cases[i].text), "%s",
		       cases[i].text);
	}
}

/* The bound that is farther off is told. */
static void test_bounds(void)
{
	const struct view v = { .ns = 0 };
	struct table t = { .columns = 2 };

	time_put_bounds(&t, &v, 100, 90, 115);
	time_put_bounds(&t, &v, 100, 70, 115);
	time_put_bounds(&t, &v, 100, 70, UINT64_MAX);
	time_put(&t, &v, &(struct report_span){ .ticks = 5, .max = 9, .unbounded = 1 });
	time_put(&t, &v, &(struct report_span){ .ticks = 0 });
	kit_ok(!t.failed && t.n == 10 && !strcmp(t.cell[1], "±15") && !strcmp(t.cell[3], "±30") &&
	       !strcmp(t.cell[5], "±?") && !strcmp(t.cell[7], "±?") && !strcmp(t.cell[8], "-"),
	       "how far off");
	kit_ok(t.width[0] == 3 && t.width[1] == 3, "the width of columns");
	table_free(&t);
}

int main(void)
{
	test_text();
	test_bounds();
	return kit_done();
}
