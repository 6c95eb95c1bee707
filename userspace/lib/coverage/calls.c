// SPDX-License-Identifier: BSD-2-Clause
#include "coverage/calls.h"

#include <stdlib.h>

#include "base/array.h"
#include "flow/process.h"
#include "report/index.h"

#define KNOWN_BITS	12	/* 2^n calls whose number is kept */

/* A call of the walk, and its number */
struct known {
	const struct flow_process *process;
	size_t mappings;
	uint64_t from;
	uint64_t to;
	uint32_t number;
};

struct coverage_calls {
	struct report_index by_place;	/* a file and an address: a number */
	struct report_index by_ends;	/* numbers of places: one of @call */
	uint32_t places;
	struct coverage_call *call;
	uint32_t n;
	struct known known[1 << KNOWN_BITS];
};

struct coverage_calls *coverage_calls_new(void)
{
	return calloc(1, sizeof(struct coverage_calls));
}

static void forget_numbers(struct coverage_calls *calls)
{
	index_free(&calls->by_place);
	index_free(&calls->by_ends);
}

void coverage_calls_free(struct coverage_calls *calls)
{
	if (!calls)
		return;
	forget_numbers(calls);
	free(calls->call);
	free(calls);
}

/* ---- rows ---- */

/* Return: false without memory */
static bool find_place(struct coverage *c, const struct softpt_flow_row *row, uint64_t addr,
		       struct coverage_place *place)
{
	struct symbol_place at;

	*place = (struct coverage_place){ 0 };
	if (!addr)
		return true;
	symbols_place(row->thread->process->symbols, addr, &at);
	place->addr = at.address;
	if (at.file)
		place->file = coverage_file_of(c, at.file);
	return place->file || !at.file;
}

static uint32_t number_of(struct coverage_calls *calls, const struct coverage_place *place)
{
	uint32_t *number = index_at(&calls->by_place, (uintptr_t)place->file, place->addr);

	if (number && *number == INDEX_NEW)
		*number = calls->places++;
	return number ? *number : INDEX_NEW;
}

static uint32_t add_call(struct coverage_calls *calls, const struct coverage_call *call)
{
	struct coverage_call *grown = array_more(calls->call, calls->n, sizeof(*grown));

	if (!grown)
		return INDEX_NEW;
	calls->call = grown;
	grown[calls->n] = *call;
	return calls->n++;
}

/* Return: INDEX_NEW without memory */
static uint32_t find_call(struct coverage_calls *calls, struct coverage *c,
			  const struct softpt_flow_row *row)
{
	struct coverage_call call = { .times = 0 };
	uint32_t from, to, *number;

	if (!find_place(c, row, row->from, &call.from) || !find_place(c, row, row->ip, &call.to))
		return INDEX_NEW;
	from = number_of(calls, &call.from);
	to = number_of(calls, &call.to);
	number = from == INDEX_NEW || to == INDEX_NEW ? NULL : index_at(&calls->by_ends, from, to);
	if (number && *number == INDEX_NEW)
		*number = add_call(calls, &call);
	return number ? *number : INDEX_NEW;
}

/* The same calls come again and again. */
static struct known *known_at(struct coverage_calls *calls, const struct softpt_flow_row *row)
{
	const uint64_t hash = (row->from ^ row->ip << 16) * 0x9e3779b97f4a7c15ull;

	return &calls->known[hash >> (64 - KNOWN_BITS)];
}

bool coverage_calls_take(struct coverage_calls *calls, struct coverage *c,
			 const struct softpt_flow_row *row)
{
	const struct flow_process *process = row->thread->process;
	const size_t mappings = symbols_mappings(process->symbols);
	struct known *k = known_at(calls, row);
	uint32_t number;

	if (k->process != process || k->mappings != mappings || k->from != row->from ||
	    k->to != row->ip) {
		number = find_call(calls, c, row);
		if (number == INDEX_NEW)
			return false;
		*k = (struct known){ process, mappings, row->from, row->ip, number };
	}
	calls->call[k->number].times++;
	return true;
}

void coverage_calls_end_walk(struct coverage_calls *calls)
{
	size_t i;

	for (i = 0; i < 1 << KNOWN_BITS; i++)
		calls->known[i].process = NULL;
}

/* ---- the end ---- */

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_from(const struct coverage_place *a, const struct coverage_place *b)
{
	int order = compare((uintptr_t)a->file, (uintptr_t)b->file);

	return order ? order : compare(a->addr, b->addr);
}

static int by_place(const void *a, const void *b)
{
	const struct coverage_call *x = a, *y = b;

	return by_from(&x->from, &y->from);
}

void coverage_calls_finish(struct coverage_calls *calls)
{
	if (calls->n)
		qsort(calls->call, calls->n, sizeof(*calls->call), by_place);
	forget_numbers(calls);
}

/* ---- what there is ---- */

size_t coverage_calls_number(const struct coverage_calls *calls)
{
	return calls->n;
}

const struct coverage_call *coverage_call(const struct coverage_calls *calls, size_t i)
{
	return &calls->call[i];
}

size_t coverage_calls_from(const struct coverage_calls *calls, const struct coverage_place *from)
{
	size_t low = 0, high = calls->n;

	while (low < high) {
		const size_t mid = (low + high) / 2;

		if (by_from(&calls->call[mid].from, from) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool coverage_is_from(const struct coverage_call *call, const struct coverage_place *from)
{
	return !by_from(&call->from, from);
}
