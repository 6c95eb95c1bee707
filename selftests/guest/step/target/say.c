// SPDX-License-Identifier: BSD-2-Clause
#include "say.h"

#include <stdarg.h>
#include <stdio.h>

bool quiet;

void say(const char *format, ...)
{
	va_list args;

	if (quiet)
		return;
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
}
