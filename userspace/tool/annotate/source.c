// SPDX-License-Identifier: BSD-2-Clause
#include "source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SOURCE_MAX	(64l << 20)	/* bytes: a recording may name any file */

void source_text_free(struct source_text *s)
{
	while (s->n)
		free(s->line[--s->n]);
	free(s->line);
	free(s->path);
	*s = (struct source_text){ 0 };
}

/* A file of /proc says that it is empty, and reading it may wait for ever. */
static FILE *open_regular(const char *path)
{
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode) || !st.st_size || st.st_size > SOURCE_MAX)
		return NULL;
	return fopen(path, "re");
}

/* Without memory for all lines there are fewer. */
static void read_lines(struct source_text *s, FILE *f)
{
	char *line = NULL, **grown;
	size_t size = 0;
	ssize_t len;

	while ((len = getline(&line, &size, f)) >= 0) {
		grown = reallocarray(s->line, s->n + 1, sizeof(*grown));
		if (!grown)
			break;
		s->line = grown;
		if (len && line[len - 1] == '\n')
			line[--len] = '\0';
		if (len && line[len - 1] == '\r')
			line[--len] = '\0';
		s->line[s->n] = strdup(line);
		if (!s->line[s->n])
			break;
		s->n++;
	}
	free(line);
}

const char *source_text_at(struct source_text *s, const char *path, int line)
{
	FILE *f;

	if (!s->path || strcmp(s->path, path)) {
		source_text_free(s);
		s->path = strdup(path);
		f = s->path ? open_regular(path) : NULL;
		if (f) {
			read_lines(s, f);
			fclose(f);
		}
	}
	return line > 0 && (size_t)line <= s->n ? s->line[line - 1] : NULL;
}
