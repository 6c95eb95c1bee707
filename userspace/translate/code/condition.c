// SPDX-License-Identifier: BSD-2-Clause
#include "condition.h"

#define SIGN	(1ull << 63)

/* A copy: what was checked is what is used. */
static struct softpt_xl_test tests[SOFTPT_XL_TESTS];
static u32 nr_tests;

void condition_take(const struct softpt_xl_shared *shared)
{
	nr_tests = min(READ_ONCE(shared->nr_tests), SOFTPT_XL_TESTS);
	memcpy(tests, shared->test, sizeof(tests));
}

bool condition_any(void)
{
	return nr_tests;
}

/* The System V ABI's */
static u64 argument(const struct context *c, u8 number)
{
	const u64 reg[] = { c->rdi, c->rsi, c->rdx, c->rcx, c->r8, c->r9 };

	return number < ARRAY_LEN(reg) ? reg[number] : 0;
}

static u64 extend(u64 value, const struct softpt_xl_test *test)
{
	const u32 above = (64u - test->bits) & 63;

	value <<= above;
	return test->is_signed ? (u64)((s64)value >> above) : value >> above;
}

static bool holds(const struct softpt_xl_test *test, const struct context *c)
{
	const u64 flip = test->is_signed ? SIGN : 0;
	const u64 a = extend(argument(c, test->arg), test) ^ flip, b = test->value ^ flip;

	switch (test->op) {
	case SOFTPT_XL_EQ:
		return a == b;
	case SOFTPT_XL_NE:
		return a != b;
	case SOFTPT_XL_LT:
		return a < b;
	case SOFTPT_XL_LE:
		return a <= b;
	case SOFTPT_XL_GT:
		return a > b;
	case SOFTPT_XL_GE:
		return a >= b;
	case SOFTPT_XL_AND:
		return (a ^ flip) & (b ^ flip);
	}
	return false;
}

bool condition_holds(const struct context *c)
{
	bool all = true;
	u32 i;

	for (i = 0; i < nr_tests; i++) {
		all = all && holds(&tests[i], c);
		if (!tests[i].last)
			continue;
		if (all)
			return true;
		all = true;
	}
	return !nr_tests;
}
