// SPDX-License-Identifier: BSD-2-Clause
/* The options: which functions, lines and probes */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "../../cli/tool.h"
#include "inside.h"

#define PROBE	"usdt:"

/* Up to the next comma that is not within a template's arguments */
static size_t name_len(const char *text)
{
	unsigned int depth = 0;
	size_t i;

	for (i = 0; text[i] && (text[i] != ',' || depth); i++) {
		depth += text[i] == '<';
		depth -= text[i] == '>' && depth;
	}
	return i;
}

/* The colon of LIBRARY:FUNCTION, not those of name::space; NULL: there is none */
static char *colon_of(char *text)
{
	char *at;

	for (at = strchr(text, ':'); at; at = strchr(at + 2, ':'))
		if (at[1] != ':')
			return at;
	return NULL;
}

/* @text: of the name */
static int add_name(const struct command *cmd, struct inside *in, const char *option,
		    const char *text, size_t len)
{
	struct inside_name *n = &in->name[in->nr];

	if (in->nr == INSIDE_MOST)
		return misuse(cmd, "%s: %d names at most", option, INSIDE_MOST);
	in->nr++;
	if (asprintf(&n->text, "%s %.*s", option, (int)len, text) < 0)
		n->text = NULL;
	n->copy = strndup(text, len);
	return n->text && n->copy ? 0 : refuse("record", "out of memory");
}

/* ---- --in ---- */

static int read_probe(const struct command *cmd, struct inside_name *n)
{
	const char *colon;

	n->kind = INSIDE_PROBE;
	n->function = n->copy + strlen(PROBE);
	colon = strchr(n->function, ':');
	if (!colon || colon == n->function || !colon[1])
		return misuse(cmd, "%s: a probe is " PROBE "PROVIDER:NAME", n->text);
	return 0;
}

static int read_name(const struct command *cmd, struct inside_name *n)
{
	char *colon;

	if (!strncmp(n->copy, PROBE, strlen(PROBE)))
		return read_probe(cmd, n);
	colon = colon_of(n->copy);
	n->function = n->copy;
	if (colon) {
		*colon = 0;
		n->library = n->copy;
		n->function = colon + 1;
	}
	if (!*n->copy || !*n->function)
		return misuse(cmd, "%s: a name is missing", n->text);
	return 0;
}

/* ---- --in-lines ---- */

static int read_line(const struct command *cmd, struct inside_name *n)
{
	char *colon = strrchr(n->copy, ':');
	uint64_t line;

	if (!colon || colon == n->copy || !softpt_number_within(colon + 1, 1, INT_MAX, &line))
		return misuse(cmd, "%s: a line is FILE:LINE (work.c:13)", n->text);
	*colon = 0;
	n->source = n->copy;
	n->line = (int)line;
	n->kind = INSIDE_LINE;
	return 0;
}

/* ---- both ---- */

typedef int (*read_fn)(const struct command *cmd, struct inside_name *n);

static int read_names(const struct command *cmd, struct inside *in, const char *option,
		      const char *text, read_fn read)
{
	const char *const before = in->text;
	int status;
	size_t len;

	if (asprintf(&in->text, "%s%s%s", before ? before : "", before ? "," : "", text) < 0)
		in->text = NULL;
	free((char *)before);
	if (!in->text)
		return refuse("record", "out of memory");
	for (;; text += len + 1) {
		len = name_len(text);
		status = add_name(cmd, in, option, text, len);
		if (!status)
			status = read(cmd, &in->name[in->nr - 1]);
		if (status || !text[len])
			return status;
	}
}

static bool has_kind(const struct inside *in, bool lines)
{
	unsigned int i;

	for (i = 0; i < in->nr; i++)
		if (in->name[i].kind == INSIDE_LINE ? lines : !lines)
			return true;
	return false;
}

int inside_option(const struct command *cmd, struct inside *in, const char *text)
{
	if (has_kind(in, false))
		return misuse(cmd, "--in: once, with all functions (--in NAME,NAME)");
	return read_names(cmd, in, "--in", text, read_name);
}

int inside_lines_option(const struct command *cmd, struct inside *in, const char *text)
{
	if (has_kind(in, true))
		return misuse(cmd, "--in-lines: once, with all lines (--in-lines A.c:1,B.c:2)");
	return read_names(cmd, in, "--in-lines", text, read_line);
}

bool inside_has_probe(const struct inside *in)
{
	unsigned int i;

	for (i = 0; i < in->nr; i++)
		if (in->name[i].kind == INSIDE_PROBE)
			return true;
	return false;
}
