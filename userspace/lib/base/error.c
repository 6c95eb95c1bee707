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

int error_pass(const struct error_sink *to, const char *file, const struct error *e)
{
	if (to)
		to->tell(to->ctx, file, e);
	return e->err;
}

int error_tell(const struct error_sink *to, const char *file, int err, const char *format, ...)
{
	struct error e;
	va_list args;

	va_start(args, format);
	set(&e, err, format, args);
	va_end(args);
	return error_pass(to, file, &e);
}

int error_tell_at(const struct error_sink *to, const char *file, int err, uint64_t offset,
		  const char *format, ...)
{
	struct error e;
	va_list args;

	va_start(args, format);
	set(&e, err, format, args);
	va_end(args);
	e.has_offset = true;
	e.offset = offset;
	return error_pass(to, file, &e);
}

int error_tell_errno(const struct error_sink *to, const char *file, int err)
{
	return error_tell(to, file, err, "%s", strerror(-err));
}
