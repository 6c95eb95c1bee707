// SPDX-License-Identifier: BSD-2-Clause
/* Numbers of lines are the bytes that printf makes of them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "userspace/tool/cli/line.h"
#include "selftests/kit/kit.h"

static bool is_same(char *begin, char *end, const char *want)
{
	*end = '\0';
	if (!strcmp(begin, want))
		return true;
	printf("# \"%s\", and not \"%s\"\n", want, begin);
	return false;
}

/* Numbers of each length; every eighth is amid two numbers of three digits */
static uint64_t number(uint64_t *state)
{
	const uint64_t v = kit_random(state) >> kit_random(state) % 64;

	return kit_random(state) % 8 ? v : v % 1000000 * 10000 + 5000;
}

static void test_integers(void)
{
	char line[64], want[64];
	uint64_t state = 1, v;
	unsigned int i, good = 0;

	for (i = 0; i < 100000; i++) {
		v = number(&state);
		snprintf(want, sizeof(want), "%" PRIu64, v);
		good += is_same(line, put_dec(line, v), want);
		snprintf(want, sizeof(want), "%" PRId64, (int64_t)v);
		good += is_same(line, put_signed(line, v), want);
		snprintf(want, sizeof(want), "0x%" PRIx64, v);
		good += is_same(line, put_hex(line, v), want);
		v /= 2;
		snprintf(want, sizeof(want), "%" PRIu64 ".%03" PRIu64, v / 1000, v % 1000);
		good += is_same(line, put_milli(line, v), want);
	}
	kit_ok(good == 4 * i, "%u of %u integers", good, 4 * i);
}

static void test_three(void)
{
	char line[64], want[64];
	uint64_t state = 2, v, unit;
	unsigned int i, good = 0;

	for (i = 0; i < 300000; i++) {
		unit = i % 2 ? 1000 : 1000000;
		v = unit + number(&state) % (2000 * unit);
		snprintf(want, sizeof(want), "%.3g", (double)v / unit);
		good += is_same(line, put_three(line, v, unit), want);
	}
	kit_ok(good == i, "%u of %u numbers of three digits", good, i);
}

static void test_columns(void)
{
	char line[64];

	kit_ok(is_same(line, put_right(line, put_text(line, "ab"), 5), "   ab") &&
	       is_same(line, put_left(line, put_text(line, "ab"), 5), "ab   ") &&
	       is_same(line, put_right(line, put_text(line, "abcdef"), 5), "abcdef") &&
	       is_same(line, put_left(line, put_text(line, "abcdef"), 5), "abcdef"),
	       "columns, and what is wider");
}

int main(void)
{
	test_integers();
	test_three();
	test_columns();
	return kit_done();
}
