// SPDX-License-Identifier: BSD-2-Clause
/* Why a call failed */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void set(struct error *e, int err, const char *format, va_list args)
{
	if (!e)
		return;
	e->err = err;
	e->has_offset = false;
	vsnprintf(e->text, sizeof(e->text), format, args);
}

int error_set(struct error *e, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	set(e, err, format, args);
	va_end(args);
	return err;
}

int error_set_at(struct error *e, int err, uint64_t offset, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	set(e, err, format, args);
	va_end(args);
	if (e) {
		e->has_offset = true;
		e->offset = offset;
	}
	return err;
}

int error_set_errno(struct error *e, int err)
{
	return error_set(e, err, "%s", strerror(-err));
}
