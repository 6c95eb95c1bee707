// SPDX-License-Identifier: GPL-2.0-only
/*
 * The engine's unit tests in the kernel: a KUnit suite, a case for each program of
 * selftests/host/unit/engine that needs nothing but the engine. They are the same files.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include "kit.h"

/* KUnit runs one case at a time. */
static struct kunit *current_test;
static unsigned int checks;
static char name[256];

static bool check(bool cond, const char *format, va_list ap)
{
	vscnprintf(name, sizeof(name), format, ap);
	checks++;
	KUNIT_EXPECT_TRUE_MSG(current_test, cond, "%s", name);
	return cond;
}

bool kit_ok(bool cond, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	check(cond, format, ap);
	va_end(ap);
	return cond;
}

bool kit_is(long got, long want, const char *format, ...)
{
	bool good = want ? got == want : got >= 0;
	va_list ap;

	va_start(ap, format);
	check(good, format, ap);
	va_end(ap);
	if (!good)
		kit_note("got %ld, want %ld", got, want);
	return good;
}

void kit_note(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vscnprintf(name, sizeof(name), format, ap);
	va_end(ap);
	kunit_info(current_test, "%s", name);
}

void kit_bail(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vscnprintf(name, sizeof(name), format, ap);
	va_end(ap);
	KUNIT_ASSERT_FAILURE(current_test, "%s", name);
	unreachable();		/* the case is over */
}

int kit_done(void)
{
	return 0;
}

#define X(program) \
static void program##_case(struct kunit *test) \
{ \
	current_test = test; \
	checks = 0; \
	softpt_kunit_##program(); \
	KUNIT_EXPECT_GT(test, checks, 0); \
	kunit_info(test, "%u checks", checks); \
}

PROGRAMS(X)
#undef X

static struct kunit_case cases[] = {
#define X(program) KUNIT_CASE(program##_case),
	PROGRAMS(X)
#undef X
	{ }
};

static struct kunit_suite suite = {
	.name = "softpt-engine",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("unit tests of softpt's engine");
MODULE_LICENSE("GPL");
