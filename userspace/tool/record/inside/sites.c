// SPDX-License-Identifier: BSD-2-Clause
#include "sites.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../cli/tool.h"

/* What returns ends a call, and no stretch: that has no use for the frame. */
static bool needs_frame(const struct inside_name *n)
{
	return n->role == SOFTPT_XL_ROLE_CALL;
}

static void look_line(struct inside_name *n, const char *path, bool is_program,
		      struct site_list *list, struct site_counts *counts)
{
	struct statements s = { .source = n->source, .line = n->line };

	if (!sites_of_line(path, &s, needs_frame(n), list, counts))
		return;
	n->bare |= is_program && !s.debug;
	n->known |= s.known;
	n->moved |= s.moved;
	if (s.near && (!n->near || abs(s.near - n->line) < abs(n->near - n->line)))
		n->near = s.near;
}

void site_look(struct inside_name *name, const char *path, bool is_program,
	       struct site_list *list, struct site_counts *counts)
{
	*counts = (struct site_counts){ 0 };
	if (name->kind == INSIDE_LINE)
		look_line(name, path, is_program, list, counts);
	else
		sites_of_probe(path, name->function, needs_frame(name), list, counts);
	name->places |= counts->nr;
	name->unframed |= counts->unframed;
}

void site_tell(const struct inside_name *name, const char *file, const struct site_counts *counts)
{
	if (counts->failed)
		refuse(file, "%s: out of memory", name->text);
	if (counts->inlined)
		fprintf(stderr, "softpt: %s: %s: %zu of %zu places are in copies of inlined functions\n",
			file, name->text, counts->inlined, counts->nr);
	if (counts->unframed)
		fprintf(stderr,
			"softpt: %s: %s: %zu of %zu places are left out (0x%" PRIx64 "): RSP or RBP do not tell the frame there\n",
			file, name->text, counts->unframed, counts->nr + counts->unframed,
			counts->unframed_at);
}

static const char *line_missing(const struct inside_name *n, const char *program, char *buf,
				size_t len)
{
	if (n->bare && !n->known)
		snprintf(buf, len, "%s has no debug information: %s", program,
			 "build it with -g, or install its -dbgsym package");
	else if (!n->known)
		snprintf(buf, len, "no file that is mapped has code of %s", n->source);
	else if (!n->near)
		snprintf(buf, len, "no line of %s has code", n->source);
	else
		snprintf(buf, len, "no code begins this line%s; the nearest line that has is %d",
			 n->moved ? ", which the compiler has merged with others" : "", n->near);
	return buf;
}

const char *site_missing(const struct inside_name *name, const char *program, bool *final)
{
	static char buf[4096];

	*final = name->known || name->unframed;
	if (name->places)
		return NULL;
	if (name->unframed)
		return "RSP or RBP do not tell the frame at any of its places";
	if (name->kind == INSIDE_PROBE)
		return "no file that is mapped has this probe (readelf -n FILE lists them)";
	return line_missing(name, program, buf, sizeof(buf));
}
