// SPDX-License-Identifier: BSD-2-Clause
/* Text that may be anything, line by line */
#include "base/lines.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int lines_open(struct lines *l, const char *path)
{
	bool piped = !strcmp(path, "-");
	int err;

	*l = (struct lines){ .name = piped ? "stdin" : path };
	l->text = malloc(LINES_LONGEST + 1);
	if (!l->text)
		return error_set_errno(&l->error, -ENOMEM);
	l->file = piped ? stdin : fopen(path, "re");
	if (l->file)
		return 0;
	err = error_set_errno(&l->error, -errno);
	lines_close(l);
	return err;
}

int lines_bad(struct lines *l, const char *format, ...)
{
	char text[ERROR_TEXT];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return error_set(&l->error, -EINVAL, "line %" PRIu64 ": %s", l->number, text);
}

int lines_next(struct lines *l)
{
	size_t n = 0;
	int c;

	errno = 0;
	l->number++;
	while ((c = getc_unlocked(l->file)) != EOF && c != '\n') {
		if (!c)
			return lines_bad(l, "a NUL byte: this is no text");
		if (n == LINES_LONGEST)
			return lines_bad(l, "too long: this is no text");
		l->text[n++] = c;
	}
	if (ferror(l->file))
		return lines_bad(l, "%s", strerror(errno));
	if (c == EOF && !n)
		return 0;
	if (n && l->text[n - 1] == '\r')
		n--;
	l->text[n] = '\0';
	return 1;
}

void lines_close(struct lines *l)
{
	free(l->text);
	if (l->file && l->file != stdin)
		fclose(l->file);
	l->text = NULL;
	l->file = NULL;
}
