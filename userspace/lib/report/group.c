// SPDX-License-Identifier: BSD-2-Clause
/* An address is looked up once for each process, and anew where that has mapped another file. */
#include "report/group.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code/names/demangle.h"
#include "code/dwarf/lines.h"

#define ROOM	32	/* added to what there is before it is doubled */

/* What an address was the last time */
struct group_answer {
	size_t mappings;
	uint32_t group;
};

static struct report_group *add(struct report_groups *g)
{
	struct report_group *grown;

	if (g->n == g->room) {
		grown = reallocarray(g->group, g->room + ROOM, 2 * sizeof(*grown));
		if (!grown)
			return NULL;
		g->group = grown;
		g->room = 2 * (g->room + ROOM);
	}
	g->group[g->n] = (struct report_group){ 0 };
	return &g->group[g->n++];
}

int groups_begin(struct report_groups *g, enum report_by by)
{
	*g = (struct report_groups){ .by = by };
	return add(g) ? 0 : -ENOMEM;
}

/* ---- what a group is ---- */

static bool copy(char **to, const char *text)
{
	*to = text ? strdup(text) : NULL;
	return !text || *to;
}

static uint32_t new_group(struct report_groups *g, uint32_t *number, const char *name,
			  const char *module)
{
	struct report_group *group = add(g);

	if (!group || !copy(&group->name, name) || !copy(&group->module, module))
		return INDEX_NEW;
	*number = g->n - 1;
	return *number;
}

static bool find_line(struct report_group *group, const struct symbol_place *place)
{
	return copy(&group->source, symbols_line(place, &group->line));
}

/* Functions of the same name in a file are told apart by their addresses. */
static uint32_t by_function(struct report_groups *g, struct symbols *symbols, uint64_t ip)
{
	struct symbol_place place;
	struct softpt_symbol sym;
	uint32_t *number, group;

	symbols_find(symbols, ip, &sym);
	symbols_place(symbols, sym.name ? sym.start : ip, &place);
	number = index_at(&g->by_place, (uintptr_t)place.file, place.address);
	if (!number || *number != INDEX_NEW)
		return number ? *number : INDEX_NEW;
	group = new_group(g, number, sym.name, sym.module);
	if (group == INDEX_NEW || !copy(&g->group[group].label, sym.label) ||
	    !copy(&g->group[group].path, place.file ? source_path(place.file) : NULL))
		return INDEX_NEW;
	g->group[group].address = place.address;
	return !g->lines || find_line(&g->group[group], &place) ? group : INDEX_NEW;
}

static uint32_t by_module(struct report_groups *g, struct symbols *symbols, uint64_t ip)
{
	struct symbol_place place;
	struct softpt_symbol sym;
	uint32_t *number;

	symbols_place(symbols, ip, &place);
	if (!place.file)
		return REPORT_UNKNOWN;
	number = index_at(&g->by_place, (uintptr_t)place.file, 0);
	if (!number || *number != INDEX_NEW)
		return number ? *number : INDEX_NEW;
	symbols_find(symbols, ip, &sym);
	return new_group(g, number, sym.module, sym.module);
}

/* Two names may have one hash: then the second has the next number. */
static uint32_t by_file(struct report_groups *g, struct symbols *symbols, uint64_t ip)
{
	struct symbol_place place;
	uint32_t *number;
	const char *name;
	uint64_t i;

	symbols_place(symbols, ip, &place);
	name = symbols_source(&place);
	for (i = 0; name; i++) {
		number = index_at(&g->by_place, index_hash(name), i);
		if (!number)
			return INDEX_NEW;
		if (*number == INDEX_NEW)
			return new_group(g, number, name, NULL);
		if (!strcmp(g->group[*number].name, name))
			return *number;
	}
	return REPORT_UNKNOWN;
}

/* A thread has the name that it has when it is seen last. */
static uint32_t by_thread(struct report_groups *g, const struct softpt_flow_thread *thread)
{
	uint32_t *number = index_at(&g->by_place, (uintptr_t)thread, 0), i;

	if (!number)
		return INDEX_NEW;
	i = *number == INDEX_NEW ? new_group(g, number, thread->comm, NULL) : *number;
	if (i == INDEX_NEW)
		return i;
	g->group[i].pid = thread->pid;
	g->group[i].tid = thread->tid;
	if (strcmp(g->group[i].name, thread->comm)) {
		free(g->group[i].name);
		if (!copy(&g->group[i].name, thread->comm))
			return INDEX_NEW;
	}
	return i;
}

/* ---- addresses ---- */

static uint32_t look_up(struct report_groups *g, struct symbols *symbols, uint64_t ip)
{
	switch (g->by) {
	case REPORT_BY_MODULE:
		return by_module(g, symbols, ip);
	case REPORT_BY_FILE:
		return by_file(g, symbols, ip);
	default:
		return by_function(g, symbols, ip);
	}
}

static struct group_answer *add_answer(struct report_groups *g, uint32_t *number)
{
	struct group_answer *grown;

	if (!(g->answers & (g->answers - 1))) {
		grown = reallocarray(g->answer, g->answers ? 2 * g->answers : 1, sizeof(*grown));
		if (!grown)
			return NULL;
		g->answer = grown;
	}
	*number = g->answers++;
	g->answer[*number] = (struct group_answer){ .mappings = SIZE_MAX };
	return &g->answer[*number];
}

uint32_t groups_find(struct report_groups *g, const struct softpt_flow_thread *thread, uint64_t ip)
{
	struct symbols *symbols = thread->process->symbols;
	struct group_answer *answer;
	uint32_t *number;

	if (g->by == REPORT_BY_THREAD)
		return by_thread(g, thread);
	if (!ip)
		return REPORT_UNKNOWN;
	number = index_at(&g->by_ip, (uintptr_t)symbols, ip);
	if (!number)
		return INDEX_NEW;
	answer = *number == INDEX_NEW ? add_answer(g, number) : &g->answer[*number];
	if (answer && answer->mappings != symbols_mappings(symbols)) {
		answer->mappings = symbols_mappings(symbols);
		answer->group = look_up(g, symbols, ip);
	}
	return answer ? answer->group : INDEX_NEW;
}

const char *report_function_name(const struct report_group *g, char *buf)
{
	if (g->name)
		snprintf(buf, REPORT_NAME_MAX, "%s", g->label);
	else if (g->module)
		snprintf(buf, REPORT_NAME_MAX, "%s+0x%" PRIx64, g->module, g->address);
	else if (g->address)
		snprintf(buf, REPORT_NAME_MAX, "0x%" PRIx64, g->address);
	else
		snprintf(buf, REPORT_NAME_MAX, "[unknown]");
	return buf;
}

/* A symbol of Rust ends with a hash of how it was built. */
const char *report_function_key(const struct report_group *g)
{
	return g->name && demangle_is_rust(g->name) ? g->label : g->name;
}

void groups_free(struct report_groups *g)
{
	uint32_t i;

	for (i = 0; i < g->n; i++) {
		struct report_group *group = &g->group[i];

		free(group->name);
		free(group->label);
		free(group->source);
		free(group->module);
		free(group->path);
		spread_free(&group->insns);
		spread_free(&group->ticks);
		spread_free(&group->low);
		spread_free(&group->high);
	}
	free(g->group);
	free(g->answer);
	index_free(&g->by_ip);
	index_free(&g->by_place);
}
