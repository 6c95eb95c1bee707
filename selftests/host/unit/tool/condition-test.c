// SPDX-License-Identifier: BSD-2-Clause
/* Conditions of softpt record --if: what they mean, and where what is none is wrong */
#include <stdlib.h>
#include <string.h>

#include "userspace/tool/record/inside/condition.h"
#include "selftests/kit/kit.h"

#define TEST(v, a, o, b, s) \
	{ .value = (v), .arg = (a), .op = (o), .bits = (b), .is_signed = (s), .last = true }

/* One comparison */
static const struct row {
	const char *text;
	struct softpt_xl_test test;
} rows[] = {
	{ "arg1 > 100", TEST(100, 0, SOFTPT_XL_GT, 64, true) },
	{ "  arg6<=0x10 ", TEST(16, 5, SOFTPT_XL_LE, 64, true) },
	{ "arg2 == -1", TEST(UINT64_MAX, 1, SOFTPT_XL_EQ, 64, true) },
	{ "arg2:u64!=18446744073709551615", TEST(UINT64_MAX, 1, SOFTPT_XL_NE, 64, false) },
	{ "arg3:s32 < -2147483648", TEST(-2147483648ull, 2, SOFTPT_XL_LT, 32, true) },
	{ "arg3:u32 >= 4294967295", TEST(UINT32_MAX, 2, SOFTPT_XL_GE, 32, false) },
	{ "arg4:s8 == 127", TEST(127, 3, SOFTPT_XL_EQ, 8, true) },
	{ "arg4:u16 == 65535", TEST(65535, 3, SOFTPT_XL_EQ, 16, false) },
	{ "arg5 & 0x8000000000000000", TEST(1ull << 63, 4, SOFTPT_XL_AND, 64, true) },
	{ "arg5:s8&255", TEST(255, 4, SOFTPT_XL_AND, 8, true) },
	{ "arg5:s8& -1", TEST(UINT64_MAX, 4, SOFTPT_XL_AND, 8, true) },
	{ "arg1 == -9223372036854775808", TEST(1ull << 63, 0, SOFTPT_XL_EQ, 64, true) },
};

/* What is wrong begins behind the '^', which is no part of it. */
static const char *const wrong[] = {
	"^", "  ^", "^arg", "^arg0 == 1", "^arg7 == 1", "^arg10 == 1", "^arg1x == 1", "^1 == arg1",
	"^$arg1 == 1", "^(arg1 == 1)", "arg1:^", "arg1:^int == 1", "arg1:^s31 == 1",
	"arg1:^s032 == 1", "arg1:^u32x == 1", "arg1:^s128 == 1", "arg1^", "arg1 ^= 3",
	"arg1 ^=> 3", "arg1 ^&& arg2 == 1", "arg1 ^+ 3", "arg1 == ^", "arg1 >^> 3", "arg1 == ^arg2",
	"arg1 > ^5ms", "arg1 == ^0x", "arg1 == ^-", "arg1 == ^--1", "arg1 == ^18446744073709551616",
	"arg1 == ^0xffffffffffffffff", "arg1 == ^-9223372036854775809", "arg1:u8 == ^256",
	"arg1:u8 == ^-1", "arg1:u8 & ^256", "arg1:u64 & ^-1", "arg1:s8 == ^128", "arg1:s8 == ^-129",
	"arg1 & 1 ^== 0", "arg1 == 1 ^arg2 == 1", "arg1 == 1 ^| arg2 == 1",
	"arg1 == 1 ^and arg2 == 1", "arg1 == 1 &&^", "arg1 == 1 || ^", "arg1 == 1 || ^&& arg1 == 1",
};

/* On the heap: ASan sees its end. */
static void test_right(const struct row *row)
{
	char *copy = strdup(row->text);
	struct condition c = { 0 };
	const char *at;
	const char *why = condition_parse(&c, copy, &at);

	kit_ok(!why && c.nr == 1 && c.text == copy &&
	       !memcmp(&c.test[0], &row->test, sizeof(row->test)), "%s", row->text);
	free(copy);
}

static void test_wrong(const char *marked)
{
	const size_t before = strcspn(marked, "^");
	char *text = strdup(marked);
	struct condition c = { 0 };
	const char *at = NULL, *why;

	memmove(text + before, text + before + 1, strlen(text + before));
	why = condition_parse(&c, text, &at);
	if (!kit_ok(why && at == text + before && !c.text && !c.nr, "wrong: %s", marked))
		kit_note("%s at '%s'", why, at);
	free(text);
}

/* && binds tighter: each group ends with its last. */
static void test_groups(void)
{
	struct condition c = { 0 };
	unsigned int last = 0, i;
	const char *at;

	kit_ok(!condition_parse(&c, "arg1>1&&arg2>2||arg3>3||arg4>4&&arg5>5&&arg6>6", &at) &&
	       c.nr == 6, "six comparisons");
	for (i = 0; i < c.nr; i++) {
		last |= c.test[i].last << i;
		kit_ok(c.test[i].arg == i && c.test[i].value == i + 1, "comparison %u", i);
	}
	kit_ok(last == 0x26, "three groups: %#x", last);
}

static void test_most(void)
{
	static const char one[] = "arg1==1||";
	char text[(SOFTPT_XL_TESTS + 1) * sizeof(one)] = "";
	struct condition c = { 0 };
	const char *at;
	int i;

	for (i = 1; i < SOFTPT_XL_TESTS; i++)
		strcat(text, one);
	strcat(text, "arg1==1");
	kit_ok(!condition_parse(&c, text, &at) && c.nr == SOFTPT_XL_TESTS, "as many as there may be");
	strcat(text, "&&arg1==1");
	kit_ok(condition_parse(&c, text, &at) && !strcmp(at, "arg1==1"), "one more");
}

int main(void)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		test_right(&rows[i]);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		test_wrong(wrong[i]);
	test_groups();
	test_most();
	return kit_done();
}
