// SPDX-License-Identifier: BSD-2-Clause
/* Text that may be anything, line by line */
#include "lines.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/tool.h"

int lines_open(struct lines *l, const char *path)
{
	bool piped = !strcmp(path, "-");

	*l = (struct lines){ .name = piped ? "stdin" : path };
	l->text = malloc(LINES_LONGEST + 1);
	if (!l->text)
		return refuse(l->name, "%s", strerror(ENOMEM));
	l->file = piped ? stdin : fopen(path, "re");
	if (l->file)
		return 0;
	refuse(path, "%s", strerror(errno));
	lines_close(l);
	return EXIT_REFUSED;
}

static int bad(const struct lines *l, const char *why)
{
	refuse(l->name, "line %" PRIu64 ": %s", l->number, why);
	return -1;
}

int lines_next(struct lines *l)
{
	size_t n = 0;
	int c;

	errno = 0;
	l->number++;
	while ((c = getc_unlocked(l->file)) != EOF && c != '\n') {
		if (!c)
			return bad(l, "a NUL byte: this is no text");
		if (n == LINES_LONGEST)
			return bad(l, "too long: this is no text");
		l->text[n++] = c;
	}
	if (ferror(l->file))
		return bad(l, strerror(errno));
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
	*l = (struct lines){ 0 };
}
