// SPDX-License-Identifier: BSD-2-Clause
#include "name.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code/names/named.h"
#include "source/share.h"
#include "../../cli/tool.h"

#define IP	"ip="

bool name_is(const char *text)
{
	return !strncmp(text, IP, strlen(IP)) && text[strlen(IP)] &&
	       !isdigit((unsigned char)text[strlen(IP)]);
}

int name_option(const struct command *cmd, struct triggers *set, struct names *n,
		const char *text)
{
	const char *keys = strchr(text, ',');
	const unsigned int i = set->nr;
	char with[256], why[320];

	if (i == SOFTPT_TRIGGERS)
		return misuse(cmd, "--trigger: there are %d", SOFTPT_TRIGGERS);
	snprintf(with, sizeof(with), IP "0%s", keys ? keys : "");
	if (trigger_parse(&set->trigger[i], with, why, sizeof(why)))
		return misuse(cmd, "--trigger %s: %s", text, why);
	set->trigger[i].index = i;
	set->text[i] = text;
	set->nr++;
	n->name[i] = text + strlen(IP);
	return 0;
}

static int find(struct softpt_trigger *t, struct names *n, const char *text, const char *name)
{
	struct named found;
	const char *why;
	char *copy = strndup(name, strcspn(name, ","));

	if (!copy)
		return refuse("record", "out of memory");
	why = named_find(n->program, copy, &found);
	free(copy);
	if (why)
		return refuse(n->program, "--trigger %s: %s", text, why);
	t->value = found.addr;
	t->mask = found.addr;
	n->moves = found.moves;
	return 0;
}

static bool find_program(struct names *n, const char *argv0)
{
	char path[PATH_MAX];

	if (!n->program && argv0 && !xl_find(argv0, path, sizeof(path)))
		n->program = realpath(path, NULL);
	return n->program;
}

int names_find(struct triggers *set, struct names *n, const char *argv0)
{
	unsigned int i;
	int status = 0;

	for (i = 0; i < set->nr && !status; i++) {
		if (!n->name[i])
			continue;
		if (!find_program(n, argv0))
			return refuse(argv0 ? argv0 : "record",
				      "--trigger %s: no program has that function (ip=ADDRESS)",
				      set->text[i]);
		status = find(&set->trigger[i], n, set->text[i], n->name[i]);
	}
	return status;
}

void names_free(struct names *n)
{
	free(n->program);
	n->program = NULL;
}

void names_place(const struct triggers *set, const struct names *n,
		 const struct softpt_xl_process *p, struct softpt_trigger *to)
{
	const bool same = n->program && !strncmp(p->exe, n->program, sizeof(p->exe));
	unsigned int i;

	memcpy(to, set->trigger, sizeof(set->trigger));
	for (i = 0; i < set->nr; i++) {
		if (!n->name[i])
			continue;
		if (!same)
			to[i].source = SOFTPT_ON_NOTHING;
		to[i].value += n->moves ? p->base : 0;
		to[i].mask = to[i].value;
	}
}
