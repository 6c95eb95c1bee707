// SPDX-License-Identifier: BSD-2-Clause
/* The options: which functions, lines and probes */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "../../cli/tool.h"
#include "calls.h"
#include "inside.h"

#define PROBE	"usdt:"
#define CALL	"syscall:"

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
	n->source = strncmp(n->copy, "./", 2) ? n->copy : n->copy + 2;
	n->line = (int)line;
	n->kind = INSIDE_LINE;
	return 0;
}

/* ---- --start and --stop ---- */

static bool is_number(const char *text)
{
	return *text && !text[strspn(text, "0123456789")];
}

/* What ends with a number is a line: no function is called so. */
static int read_place(const struct command *cmd, struct inside_name *n)
{
	const char *colon = strrchr(n->copy, ':');

	if (!strncmp(n->copy, CALL, strlen(CALL))) {
		n->kind = INSIDE_CALL;
		if (!calls_number(n->copy + strlen(CALL), &n->call))
			return misuse(cmd, "%s: no such system call", n->text);
		return 0;
	}
	return colon && is_number(colon + 1) ? read_line(cmd, n) : read_name(cmd, n);
}

/* ---- all of them ---- */

/**
 * struct way - an option
 * @way: which
 * @option: its text
 * @role: of its places
 * @read: reads one
 */
struct way {
	enum inside_way way;
	const char *option;
	enum softpt_xl_role role;
	int (*read)(const struct command *cmd, struct inside_name *n);
};

static const struct way ways[] = {
	{ INSIDE_IN, "--in", SOFTPT_XL_ROLE_CALL, read_name },
	{ INSIDE_LINES, "--in-lines", SOFTPT_XL_ROLE_CALL, read_line },
	{ INSIDE_START, "--start", SOFTPT_XL_ROLE_START, read_place },
	{ INSIDE_STOP, "--stop", SOFTPT_XL_ROLE_STOP, read_place },
};

static const struct way *find_way(enum inside_way way)
{
	unsigned int i = 0;

	while (ways[i].way != way)
		i++;
	return &ways[i];
}

/* What is told where nothing was recorded */
static bool join_text(struct inside *in, const char *text)
{
	char *const before = in->text;

	if (asprintf(&in->text, "%s%s%s", before ? before : "", before ? "," : "", text) < 0)
		in->text = NULL;
	free(before);
	return in->text;
}

int inside_option(const struct command *cmd, struct inside *in, enum inside_way way,
		  const char *text)
{
	const struct way *w = find_way(way);
	int status;
	size_t len;

	if (in->given & way)
		return misuse(cmd, "%s: once, with all of them (%s A,B)", w->option, w->option);
	in->given |= way;
	if (way != INSIDE_STOP && !join_text(in, text))
		return refuse("record", "out of memory");
	for (;; text += len + 1) {
		len = name_len(text);
		status = add_name(cmd, in, w->option, text, len);
		if (!status) {
			in->name[in->nr - 1].role = w->role;
			status = w->read(cmd, &in->name[in->nr - 1]);
		}
		if (status || !text[len])
			return status;
	}
}

bool inside_begins_at_probe(const struct inside *in)
{
	unsigned int i;

	for (i = 0; i < in->nr; i++)
		if (in->name[i].kind == INSIDE_PROBE && in->name[i].role != SOFTPT_XL_ROLE_STOP)
			return true;
	return false;
}
