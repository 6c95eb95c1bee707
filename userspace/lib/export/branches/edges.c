// SPDX-License-Identifier: BSD-2-Clause
/*
 * A program takes the same branches all the time: what one of them counts is looked up once, and so
 * is what a stride does.
 */
#include "export/branches/edges.h"

#include <stdlib.h>
#include <string.h>

#include "code/source.h"

#define PAIRS_LOG2	13
#define PAIRS		(1u << PAIRS_LOG2)

/* Where a thread goes on; @end is NOWHERE where that is not known */
struct edge_place {
	uint32_t tid;
	uint32_t end;
	bool outside;
	struct edge_place *next;
};

/* A branch as an edge, while @symbols has @mappings of them */
struct edge_pair {
	const struct symbols *symbols;
	size_t mappings;
	uint64_t from;
	uint64_t to;
	uint32_t branch;
};

/*
 * Edges of the branches of a stride that are taken, and of what is between them: @between[0] is
 * where the stride is come to from @before and @outside. Of a branch that another file's code is
 * before, @between is NOWHERE.
 */
struct edge_stride {
	uint64_t found;
	uint64_t times;		/* which the edges do not know yet, but that to the first branch */
	unsigned int n;
	uint32_t before;
	bool outside;
	bool outside_behind;
	uint32_t branch[STRIDE_BRANCHES];
	uint32_t between[STRIDE_BRANCHES];
};

/* ---- what there is ---- */

/* Room for one more of @n. Return: NULL without memory */
static void *grow(void *array, uint32_t n, size_t size)
{
	if (n & (n - 1))
		return array;
	return reallocarray(array, n ? 2 * (size_t)n : 1, size);
}

static uint32_t add_file(struct edges *e, const struct symbol_file *file)
{
	struct edge_file *grown = grow(e->file, e->files, sizeof(*grown));

	if (!grown)
		return INDEX_NEW;
	e->file = grown;
	grown[e->files] = (struct edge_file){ .path = strdup(source_path(file)) };
	return grown[e->files].path ? e->files++ : INDEX_NEW;
}

/* The number of an address. Return: NOWHERE without memory */
static uint32_t end_at(struct edges *e, struct symbols *symbols, uint64_t address)
{
	struct symbol_place place;
	struct softpt_symbol sym;
	uint32_t *number, *file = NULL;
	struct edge_end *grown;

	symbols_place(symbols, address, &place);
	if (place.file)
		file = index_at(&e->by_file, (uintptr_t)place.file, 0);
	if (file && *file == INDEX_NEW)
		*file = add_file(e, place.file);
	number = index_at(&e->by_place, (uintptr_t)place.file, place.address);
	if (!number || *number != INDEX_NEW)
		return number ? *number : NOWHERE;
	grown = grow(e->end, e->ends, sizeof(*grown));
	if (!grown)
		return NOWHERE;
	e->end = grown;
	symbols_find(symbols, address, &sym);
	grown[e->ends] = (struct edge_end){ file ? *file : INDEX_NEW, place.address, sym.plt };
	return *number = e->ends++;
}

/* Return: the number of an edge; NOWHERE without memory */
static uint32_t edge_of(struct edge_list *list, uint32_t from, uint32_t to, bool outside)
{
	uint32_t *number = index_at(&list->by_ends, (uint64_t)from << 1 | outside, to);
	struct edge *grown;

	if (!number)
		return NOWHERE;
	if (*number == INDEX_NEW) {
		grown = grow(list->edge, list->n, sizeof(*grown));
		if (!grown)
			return NOWHERE;
		list->edge = grown;
		grown[list->n] = (struct edge){ from, to, outside, 0 };
		*number = list->n++;
	}
	return *number;
}

static struct edge_place *get_place(struct edges *e, uint32_t tid)
{
	struct edge_place *p;

	for (p = e->places; p; p = p->next)
		if (p->tid == tid)
			return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	*p = (struct edge_place){ tid, NOWHERE, false, e->places };
	e->places = p;
	return p;
}

/* ---- branches ---- */

static struct edge_pair *pair_of(struct edges *e, uint64_t from, uint64_t to)
{
	const uint64_t hash = (from ^ to << 20) * 0x9e3779b97f4a7c15ull;

	if (!e->pair)
		e->pair = calloc(PAIRS, sizeof(*e->pair));
	return e->pair ? &e->pair[hash >> (64 - PAIRS_LOG2)] : NULL;
}

/* Return: the number of the edge; NOWHERE without memory */
static uint32_t branch_of(struct edges *e, struct symbols *symbols, uint64_t from, uint64_t to)
{
	struct edge_pair *pair = pair_of(e, from, to);
	uint32_t a, b;

	if (!pair)
		return NOWHERE;
	if (pair->symbols == symbols && pair->mappings == symbols_mappings(symbols) &&
	    pair->from == from && pair->to == to)
		return pair->branch;
	a = end_at(e, symbols, from);
	b = end_at(e, symbols, to);
	pair->symbols = NULL;
	pair->branch = a == NOWHERE || b == NOWHERE ? NOWHERE : edge_of(&e->branches, a, b, false);
	if (pair->branch == NOWHERE)
		return NOWHERE;
	*pair = (struct edge_pair){ symbols, symbols_mappings(symbols), from, to, pair->branch };
	return pair->branch;
}

/* "python3" runs python3.11. */
static void count_file(struct edge_file *file, const char *comm)
{
	if (!file->branches++ && comm && *comm)
		file->is_program = !strncmp(basename(file->path), comm, strlen(comm));
}

/* What is executed from @p on up to a branch. @edge: set to NOWHERE where nothing is known of it */
static bool find_between(struct edges *e, const struct edge_place *p, uint32_t from,
			 uint32_t *edge)
{
	*edge = NOWHERE;
	if (p->end == NOWHERE || e->end[p->end].file != e->end[from].file)
		return true;
	*edge = edge_of(&e->between, p->end, from, p->outside);
	return *edge != NOWHERE;
}

struct branch {
	const struct softpt_flow_thread *thread;
	uint64_t from;
	uint64_t to;
};

/* @branch, @between: set to the edges that it counts in */
static bool take_branch(struct edges *e, struct edge_place *p, const struct branch *b,
			uint32_t *branch, uint32_t *between)
{
	const struct edge *edge;
	uint32_t file;

	*branch = branch_of(e, b->thread->process->symbols, b->from, b->to);
	if (*branch == NOWHERE)
		return false;
	edge = &e->branches.edge[*branch];
	e->branches.edge[*branch].times++;
	file = e->end[edge->from].file;
	if (file != INDEX_NEW)
		count_file(&e->file[file], b->thread->comm);
	if (!find_between(e, p, edge->from, between))
		return false;
	if (*between != NOWHERE)
		e->between.edge[*between].times++;
	p->end = edge->to;
	p->outside = e->end[edge->to].file != file;
	return true;
}

bool edges_take(struct edges *e, const struct softpt_flow_row *row)
{
	struct edge_place *p = get_place(e, row->tid);
	const struct branch b = { row->thread, row->from, row->ip };
	uint32_t branch, between;

	if (!p)
		return false;
	if (row->event == SOFTPT_FLOW_BRANCH)
		return take_branch(e, p, &b, &branch, &between);
	/* Back from the kernel, or from what is lost: what was executed before is not known. */
	p->end = NOWHERE;
	if (row->event == SOFTPT_FLOW_ON && row->ip)
		p->end = end_at(e, row->thread->process->symbols, row->ip);
	p->outside = true;
	return true;
}

/* ---- strides ---- */

static void settle(struct edges *e, struct edge_stride *known)
{
	struct edge *branch;
	unsigned int i;
	uint32_t file;

	for (i = 0; known->times && i < known->n; i++) {
		branch = &e->branches.edge[known->branch[i]];
		branch->times += known->times;
		file = e->end[branch->from].file;
		if (file != INDEX_NEW)
			e->file[file].branches += known->times;
		if (i && known->between[i] != NOWHERE)
			e->between.edge[known->between[i]].times += known->times;
	}
	known->times = 0;
}

/* The first time, branch by branch */
static bool learn(struct edges *e, struct edge_place *p, const struct softpt_flow_thread *thread,
		  const struct flow_stride *s, struct edge_stride *known)
{
	struct branch b = { .thread = thread };
	unsigned int i;

	settle(e, known);
	known->found = 0;
	known->n = 0;
	known->before = p->end;
	known->outside = p->outside;
	for (i = 0; i < s->n; i++) {
		if (!s->branch[i].taken)
			continue;
		b.from = s->branch[i].from;
		b.to = s->branch[i].to;
		if (!take_branch(e, p, &b, &known->branch[known->n],
				 &known->between[known->n]))
			return false;
		known->n++;
	}
	known->outside_behind = p->outside;
	known->found = s->found;
	return true;
}

/* It is come to from somewhere else than the last time. */
static bool come_from(struct edges *e, const struct edge_place *p, struct edge_stride *known)
{
	known->before = p->end;
	known->outside = p->outside;
	return find_between(e, p, e->branches.edge[known->branch[0]].from, &known->between[0]);
}

static bool go_again(struct edges *e, struct edge_place *p, struct edge_stride *known)
{
	if (!known->n)
		return true;
	if ((p->end != known->before || p->outside != known->outside) && !come_from(e, p, known)) {
		known->found = 0;
		return false;
	}
	if (known->between[0] != NOWHERE)
		e->between.edge[known->between[0]].times++;
	known->times++;
	p->end = e->branches.edge[known->branch[known->n - 1]].to;
	p->outside = known->outside_behind;
	return true;
}

bool edges_take_stride(struct edges *e, const struct softpt_flow_thread *thread,
		       const struct flow_stride *s)
{
	struct edge_place *p = get_place(e, thread->tid);
	struct edge_stride *known;

	if (!e->stride)
		e->stride = calloc(STRIDES, sizeof(*e->stride));
	if (!e->stride || !p)
		return false;
	known = &e->stride[s->place];
	return known->found == s->found ? go_again(e, p, known) : learn(e, p, thread, s, known);
}

void edges_settle(struct edges *e)
{
	size_t i;

	for (i = 0; e->stride && i < STRIDES; i++)
		settle(e, &e->stride[i]);
}

void edges_free(struct edges *e)
{
	struct edge_place *p;
	uint32_t i;

	while ((p = e->places)) {
		e->places = p->next;
		free(p);
	}
	for (i = 0; i < e->files; i++)
		free(e->file[i].path);
	free(e->file);
	free(e->end);
	free(e->branches.edge);
	free(e->between.edge);
	free(e->pair);
	free(e->stride);
	index_free(&e->by_file);
	index_free(&e->by_place);
	index_free(&e->branches.by_ends);
	index_free(&e->between.by_ends);
}
