// SPDX-License-Identifier: BSD-2-Clause
#include "inside.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code/names/named.h"
#include "source/share.h"
#include "../../cli/tool.h"

int inside_option(const struct command *cmd, struct inside *in, const char *text)
{
	const char *name = text;
	size_t len;

	if (in->nr)
		return misuse(cmd, "--in: once, with all functions (--in NAME,NAME)");
	in->text = text;
	for (;; name += len + 1) {
		len = strcspn(name, ",");
		if (!len)
			return misuse(cmd, "--in %s: a name is missing", text);
		if (in->nr++ == SOFTPT_XL_DOORS)
			return misuse(cmd, "--in: %d functions at most", SOFTPT_XL_DOORS);
		if (!name[len])
			return 0;
	}
}

static int find(struct inside *in, unsigned int i, const char *name, size_t len)
{
	char *copy = strndup(name, len);
	struct named found;
	const char *why;
	int status = 0;

	if (!copy)
		return refuse("record", "out of memory");
	why = named_find(in->program, copy, &found);
	if (why)
		status = refuse(in->program, "--in %s: %s", copy, why);
	free(copy);
	if (status)
		return status;
	in->addr[i] = found.addr;
	in->moves = found.moves;
	return 0;
}

int inside_find(struct inside *in, const char *argv0)
{
	const char *name = in->text;
	char path[PATH_MAX];
	unsigned int i;
	int status = 0;

	if (!xl_find(argv0, path, sizeof(path)))
		in->program = realpath(path, NULL);
	if (!in->program)
		return refuse(argv0, "--in %s: no such program", in->text);
	for (i = 0; i < in->nr && !status; i++) {
		status = find(in, i, name, strcspn(name, ","));
		name += strcspn(name, ",") + 1;
	}
	return status;
}

void inside_place(const struct inside *in, struct softpt_xl_shared *shared)
{
	if (!in->nr)
		return;
	memcpy(shared->door, in->addr, sizeof(in->addr));
	shared->doors_move = in->moves;
	shared->doors = in->nr;
	snprintf(shared->program, sizeof(shared->program), "%s", in->program);
}

void inside_free(struct inside *in)
{
	free(in->program);
	in->program = NULL;
}
