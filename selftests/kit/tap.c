// SPDX-License-Identifier: BSD-2-Clause
#include "kit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned int count, failed;

static bool line(bool cond, const char *format, va_list ap)
{
	printf("%sok %u - ", cond ? "" : "not ", ++count);
	vprintf(format, ap);
	putchar('\n');
	fflush(stdout);
	failed += !cond;
	return cond;
}

bool kit_ok(bool cond, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	line(cond, format, ap);
	va_end(ap);
	return cond;
}

bool kit_is(long got, long want, const char *format, ...)
{
	bool good = want ? got == want : got >= 0;
	va_list ap;

	va_start(ap, format);
	line(good, format, ap);
	va_end(ap);
	if (!good)
		kit_note("got %ld (%s), want %ld (%s)", got, got < 0 ? strerror(-got) : "success",
			 want, want < 0 ? strerror(-want) : "success");
	return good;
}

void kit_note(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	printf("# ");
	vprintf(format, ap);
	putchar('\n');
	fflush(stdout);
	va_end(ap);
}

void kit_bail(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	line(false, format, ap);
	va_end(ap);
	exit(kit_done());
}

int kit_done(void)
{
	printf("1..%u\n", count);
	return failed || !count;
}
