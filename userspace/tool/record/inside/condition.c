// SPDX-License-Identifier: BSD-2-Clause
/*
 * CONDITION	= GROUP { "||" GROUP }
 * GROUP	= TEST { "&&" TEST }
 * TEST		= "arg" 1..6 [ ":" TYPE ] OPERATOR [ "-" ] NUMBER
 */
#include "condition.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "base/number.h"
#include "../../cli/tool.h"

#define ARGS	6	/* in registers */

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \t\n");
}

/* Return: whether @at begins with @text, and is moved behind it */
static bool takes(const char **at, const char *text)
{
	const size_t n = strlen(text);

	if (strncmp(*at, text, n))
		return false;
	*at += n;
	return true;
}

/* Of a name or a number: what follows is no part of it. */
static bool is_over(const char *at)
{
	return !isalnum((unsigned char)*at) && *at != '_';
}

/* ---- the parts of a test ---- */

/* As uprobes have them: s8 to u64 */
static bool read_type(const char **at, struct softpt_xl_test *test)
{
	const char *p = *at;
	uint64_t bits;

	test->is_signed = *p == 's';
	if ((*p != 's' && *p != 'u') || p[1] == '0')
		return false;
	p++;
	if (!softpt_number(&p, &bits) || !is_over(p) ||
	    (bits != 8 && bits != 16 && bits != 32 && bits != 64))
		return false;
	test->bits = bits;
	*at = p;
	return true;
}

static const char *read_argument(const char **at, struct softpt_xl_test *test)
{
	const char *p = *at;

	if (!takes(&p, "arg") || *p < '1' || *p > '0' + ARGS || !is_over(p + 1))
		return "arg1 to arg6 is to be here";
	test->arg = *p++ - '1';
	*at = p;
	test->bits = 64;
	test->is_signed = true;
	if (!takes(at, ":"))
		return NULL;
	return read_type(at, test) ? NULL : "no type: s8, s16, s32, s64, u8, u16, u32 or u64";
}

static const char *read_operator(const char **at, struct softpt_xl_test *test)
{
	/* What begins with another one comes first. */
	static const struct {
		const char *text;
		uint8_t op;
	} ops[] = {
		{ "==", SOFTPT_XL_EQ }, { "!=", SOFTPT_XL_NE }, { "<=", SOFTPT_XL_LE },
		{ ">=", SOFTPT_XL_GE }, { "<", SOFTPT_XL_LT }, { ">", SOFTPT_XL_GT },
		{ "&", SOFTPT_XL_AND },
	};
	size_t i;

	for (i = 0; i < sizeof(ops) / sizeof(ops[0]) && strncmp(*at, "&&", 2); i++)
		if (takes(at, ops[i].text)) {
			test->op = ops[i].op;
			return NULL;
		}
	return "==, !=, <, <=, >, >= or & is to be here";
}

/* Whether the argument can have that value; of a mask: all of its bits */
static bool fits(const struct softpt_xl_test *test, bool negative, uint64_t number)
{
	const unsigned int above = 64 - test->bits;

	if (negative)
		return test->is_signed && number <= 1ull << (test->bits - 1);
	return number <= UINT64_MAX >> (above + (test->is_signed && test->op != SOFTPT_XL_AND));
}

static const char *read_number(const char **at, struct softpt_xl_test *test)
{
	const char *p = *at;
	const bool negative = takes(&p, "-");
	uint64_t number;

	if (!softpt_number(&p, &number) || !is_over(p))
		return "a number of 64 bits is to be here, decimal or 0x";
	if (!fits(test, negative, number))
		return "the argument can't have this value: give it another type (arg1:u64)";
	test->value = negative ? -number : number;
	*at = p;
	return NULL;
}

/* ---- all of it ---- */

static const char *read_test(const char **at, struct softpt_xl_test *test)
{
	const char *why = read_argument(at, test);

	*at = skip_blanks(*at);
	if (!why)
		why = read_operator(at, test);
	*at = skip_blanks(*at);
	return why ? why : read_number(at, test);
}

const char *condition_parse(struct condition *c, const char *text, const char **at)
{
	struct condition new = { .text = text };
	struct softpt_xl_test *test;
	const char *why;

	for (*at = text;;) {
		*at = skip_blanks(*at);
		if (new.nr == SOFTPT_XL_TESTS)
			return "16 comparisons at most";
		test = &new.test[new.nr++];
		why = read_test(at, test);
		if (why)
			return why;
		*at = skip_blanks(*at);
		test->last = !takes(at, "&&");
		if (!test->last || takes(at, "||"))
			continue;
		if (**at)
			return "&& or || is to be here";
		*c = new;
		return NULL;
	}
}

int condition_option(const struct command *cmd, struct condition *c, const char *text)
{
	const char *at, *why;

	if (c->text)
		return misuse(cmd, "--if: once, with all of it (--if 'arg1 > 1 && arg2 == 0')");
	why = condition_parse(c, text, &at);
	if (why && *at)
		return misuse(cmd, "--if '%s', at '%s': %s", text, at, why);
	return why ? misuse(cmd, "--if '%s', at its end: %s", text, why) : 0;
}

void condition_share(const struct condition *c, struct softpt_xl_shared *shared)
{
	memcpy(shared->test, c->test, sizeof(shared->test));
	shared->nr_tests = c->nr;
}
