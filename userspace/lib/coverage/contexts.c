// SPDX-License-Identifier: BSD-2-Clause
#include "coverage/contexts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/index.h"

struct target {
	struct context_target is;
	uint32_t line;
};

/* @times of @is are those of the copies before @copy, which has @most */
struct line {
	struct context_line is;
	uint32_t function;
	uint32_t copy;
	uint64_t most;
};

struct function {
	struct context is;
	uint32_t around;
};

/* Things of one kind, each on its own: others point to them */
struct list {
	void **item;
	uint32_t n;
};

struct contexts {
	struct report_index by_name;	/* hash and number of the names that have it */
	struct report_index by_inlined;	/* number of that around it and its name; spot */
	struct report_index by_line;	/* number of the function, spot */
	struct report_index by_target;	/* number of the line, name */
	struct list names;
	struct list functions;
	struct list lines;
	struct list targets;
	uint32_t copy;
	struct context *first;
	bool no_memory;
};

struct contexts *contexts_new(void)
{
	return calloc(1, sizeof(struct contexts));
}

static void free_list(struct list *list)
{
	while (list->n)
		free(list->item[--list->n]);
	free(list->item);
}

static void forget_numbers(struct contexts *c)
{
	index_free(&c->by_name);
	index_free(&c->by_inlined);
	index_free(&c->by_line);
	index_free(&c->by_target);
}

void contexts_free(struct contexts *c)
{
	if (!c)
		return;
	forget_numbers(c);
	free_list(&c->names);
	free_list(&c->functions);
	free_list(&c->lines);
	free_list(&c->targets);
	free(c);
}

/* ---- numbers ---- */

/* Takes @item, which may be NULL for want of memory. Return: its number */
static uint32_t add(struct contexts *c, struct list *list, void *item)
{
	void **grown = item ? array_more(list->item, list->n, sizeof(*grown)) : NULL;

	if (!item || !grown) {
		free(item);
		c->no_memory = true;
		return CONTEXT_NONE;
	}
	list->item = grown;
	grown[list->n] = item;
	return list->n++;
}

/* The number at a pair of others, for which @size bytes are added to @list where it is new */
static uint32_t find(struct contexts *c, struct report_index *index, uint64_t a, uint64_t b,
		     struct list *list, size_t size)
{
	uint32_t *number = index_at(index, a, b);

	if (!number) {
		c->no_memory = true;
		return CONTEXT_NONE;
	}
	if (*number == INDEX_NEW)
		*number = add(c, list, calloc(1, size));
	return *number;
}

static uint64_t key_of(struct context_spot spot)
{
	return (uint64_t)spot.offset << 32 | spot.discriminator;
}

static bool is_name(const char *known, const char *name, size_t len)
{
	return !strncmp(known, name, len) && !known[len];
}

/* Two names may have one hash: then the second has the next number. */
uint32_t contexts_name(struct contexts *c, const char *name, size_t len)
{
	char *copy = strndup(name, len);
	uint32_t *number = NULL;
	uint64_t hash, i;

	hash = copy ? index_hash(copy) : 0;
	for (i = 0; copy && (number = index_at(&c->by_name, hash, i)); i++)
		if (*number == INDEX_NEW || is_name(c->names.item[*number], name, len))
			break;
	if (number && *number == INDEX_NEW)
		return *number = add(c, &c->names, copy);
	free(copy);
	c->no_memory |= !number;
	return number ? *number : CONTEXT_NONE;
}

/* ---- what is made ---- */

static uint32_t find_function(struct contexts *c, uint32_t around, struct context_spot spot,
			      uint32_t name)
{
	const uint64_t a = (uint64_t)around << 32 | name;
	struct function *f;
	uint32_t number;

	if (name == CONTEXT_NONE)
		return CONTEXT_NONE;
	number = find(c, &c->by_inlined, a, key_of(spot), &c->functions, sizeof(*f));
	if (number == CONTEXT_NONE)
		return CONTEXT_NONE;
	f = c->functions.item[number];
	f->is.name = c->names.item[name];
	f->is.spot = spot;
	f->around = around;
	return number;
}

uint32_t contexts_function(struct contexts *c, uint32_t name)
{
	return find_function(c, CONTEXT_NONE, (struct context_spot){ 0 }, name);
}

uint32_t contexts_inlined(struct contexts *c, uint32_t around, struct context_spot spot,
			  uint32_t name)
{
	return around == CONTEXT_NONE ? CONTEXT_NONE : find_function(c, around, spot, name);
}

void contexts_begin_copy(struct contexts *c)
{
	c->copy++;
}

static void settle(struct line *line)
{
	line->is.times += line->most;
	line->most = 0;
}

uint32_t contexts_execute(struct contexts *c, uint32_t function, struct context_spot spot,
			  uint64_t times)
{
	struct line *line;
	uint32_t number;

	if (function == CONTEXT_NONE)
		return CONTEXT_NONE;
	number = find(c, &c->by_line, function, key_of(spot), &c->lines, sizeof(*line));
	if (number == CONTEXT_NONE)
		return CONTEXT_NONE;
	line = c->lines.item[number];
	if (line->copy != c->copy)
		settle(line);
	line->is.spot = spot;
	line->function = function;
	line->copy = c->copy;
	if (times > line->most)
		line->most = times;
	return number;
}

void contexts_call(struct contexts *c, uint32_t line, uint32_t name, uint64_t times)
{
	struct target *target;
	uint32_t number;

	if (line == CONTEXT_NONE || name == CONTEXT_NONE)
		return;
	number = find(c, &c->by_target, line, name, &c->targets, sizeof(*target));
	if (number == CONTEXT_NONE)
		return;
	target = c->targets.item[number];
	target->line = line;
	target->is.name = c->names.item[name];
	target->is.times += times;
}

void contexts_enter(struct contexts *c, uint32_t function, uint64_t times)
{
	struct function *f = function == CONTEXT_NONE ? NULL : c->functions.item[function];

	if (f)
		f->is.entered += times;
}

/* ---- in order ---- */

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* In each list the last one comes first: it is put in front of those before it. */
static int last_spot(const struct context_spot *a, const struct context_spot *b)
{
	int order = compare(b->offset, a->offset);

	return order ? order : compare(b->discriminator, a->discriminator);
}

static int last_line(const void *a, const void *b)
{
	const struct line *const *x = a, *const *y = b;

	return last_spot(&(*x)->is.spot, &(*y)->is.spot);
}

static int last_target(const void *a, const void *b)
{
	const struct target *const *x = a, *const *y = b;
	int order = compare((*x)->is.times, (*y)->is.times);

	return order ? order : strcmp((*y)->is.name, (*x)->is.name);
}

/* What is not inlined has no spot. */
static int last_function(const void *a, const void *b)
{
	const struct function *const *x = a, *const *y = b;
	int order = compare((*x)->around == CONTEXT_NONE, (*y)->around == CONTEXT_NONE);

	order = order ? order : last_spot(&(*x)->is.spot, &(*y)->is.spot);
	order = order ? order : compare((*x)->is.total, (*y)->is.total);
	return order ? order : strcmp((*y)->is.name, (*x)->is.name);
}

static void put_targets(struct contexts *c, void *const *lines)
{
	uint32_t i;

	for (i = 0; i < c->targets.n; i++) {
		struct target *target = c->targets.item[i];
		struct line *line = lines[target->line];

		target->is.next = line->is.targets;
		line->is.targets = &target->is;
	}
}

static void put_lines(struct contexts *c, void *const *functions)
{
	uint32_t i;

	for (i = 0; i < c->lines.n; i++) {
		struct line *line = c->lines.item[i];
		struct function *f = functions[line->function];

		line->is.next = f->is.lines;
		f->is.lines = &line->is;
	}
}

static void put_functions(struct contexts *c, void *const *functions)
{
	struct context **list;
	uint32_t i;

	for (i = 0; i < c->functions.n; i++) {
		struct function *f = c->functions.item[i], *around;

		around = f->around == CONTEXT_NONE ? NULL : functions[f->around];
		list = around ? &around->is.inlined : &c->first;
		f->is.next = *list;
		*list = &f->is;
	}
}

/* What is inlined has a larger number than what is around it. */
static void sum_up(struct contexts *c)
{
	uint32_t i;

	for (i = 0; i < c->lines.n; i++) {
		struct line *line = c->lines.item[i];
		struct function *f = c->functions.item[line->function];

		settle(line);
		f->is.total += line->is.times;
	}
	for (i = c->functions.n; i-- > 0;) {
		struct function *f = c->functions.item[i], *around;

		around = f->around == CONTEXT_NONE ? NULL : c->functions.item[f->around];
		if (around)
			around->is.total += f->is.total;
	}
}

/* In another order; numbers are of @list as it was. Return: that, or NULL without memory */
static void **sort(struct list *list, int (*order)(const void *a, const void *b))
{
	void **before = calloc(list->n + 1, sizeof(*before));

	if (!before || !list->n)
		return before;
	memcpy(before, list->item, list->n * sizeof(*before));
	qsort(list->item, list->n, sizeof(*list->item), order);
	return before;
}

int contexts_finish(struct contexts *c)
{
	void **functions, **lines, **targets;

	forget_numbers(c);
	sum_up(c);
	functions = sort(&c->functions, last_function);
	lines = sort(&c->lines, last_line);
	targets = sort(&c->targets, last_target);
	if (functions && lines && targets && !c->no_memory) {
		put_targets(c, lines);
		put_lines(c, functions);
		put_functions(c, functions);
	} else {
		c->no_memory = true;
	}
	free(functions);
	free(lines);
	free(targets);
	return c->no_memory ? -ENOMEM : 0;
}

const struct context *contexts_first(const struct contexts *c)
{
	return c->first;
}
