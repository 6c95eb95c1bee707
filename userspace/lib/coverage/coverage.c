// SPDX-License-Identifier: BSD-2-Clause
/*
 * Runs of instructions -> how often each address was executed. A run adds its times where it begins
 * and takes them off where it ends: the sum up to an address is what that was executed.
 */
#include "coverage/coverage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "code/decode.h"
#include "flow/process.h"
#include "report/index.h"

#define ROOM	1024	/* runs of a file, at first */

/* From @addr on each instruction was executed @times; or a branch there was taken so often */
struct step {
	uint64_t addr;
	uint64_t times;
};

struct steps {
	struct step *step;
	size_t n;
};

struct coverage_file {
	struct symbol_file *symbols;
	struct coverage_run *run;
	size_t n;
	size_t room;
	struct steps times;
	struct steps taken;
};

struct coverage {
	struct symbol_files *symbols;
	struct report_index by_file;	/* of the walk: the number of ours */
	struct coverage_file **file;
	size_t files;
	struct coverage_function *function;
	size_t functions;
	uint64_t instructions;
	uint64_t elsewhere;
	bool no_memory;		/* a row was not taken, which ended the walk */
};

struct coverage *coverage_new(void)
{
	struct coverage *c = calloc(1, sizeof(*c));

	if (c)
		c->symbols = symbol_files_new();
	if (c && c->symbols)
		return c;
	free(c);
	return NULL;
}

void coverage_free(struct coverage *c)
{
	size_t i;

	if (!c)
		return;
	for (i = 0; i < c->files; i++) {
		free(c->file[i]->run);
		free(c->file[i]->times.step);
		free(c->file[i]->taken.step);
		free(c->file[i]);
	}
	index_free(&c->by_file);
	symbol_files_free(c->symbols);
	free(c->file);
	free(c->function);
	free(c);
}

/* ---- rows ---- */

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_place(const void *a, const void *b)
{
	const struct coverage_run *x = a, *y = b;
	int order = compare(x->from, y->from);

	return order ? order : compare(x->end, y->end);
}

/* Runs of the same instructions are one: processes of a program have the same. */
static void merge(struct coverage_file *f)
{
	size_t i, n = 0;

	if (!f->n)
		return;
	qsort(f->run, f->n, sizeof(*f->run), by_place);
	for (i = 1; i < f->n; i++) {
		if (by_place(&f->run[n], &f->run[i])) {
			f->run[++n] = f->run[i];
			continue;
		}
		f->run[n].times += f->run[i].times;
		f->run[n].taken += f->run[i].taken;
	}
	f->n = n + 1;
}

static bool make_room(struct coverage_file *f)
{
	struct coverage_run *grown;

	if (f->n < f->room)
		return true;
	merge(f);
	if (f->n < f->room / 2)
		return true;
	grown = reallocarray(f->run, f->room ? 2 * f->room : ROOM, sizeof(*grown));
	if (!grown)
		return false;
	f->run = grown;
	f->room = f->room ? 2 * f->room : ROOM;
	return true;
}

static uint32_t add_file(struct coverage *c, struct symbol_file *symbols)
{
	struct coverage_file **grown = reallocarray(c->file, c->files + 1, sizeof(*grown));
	struct coverage_file *f = calloc(1, sizeof(*f));

	if (grown)
		c->file = grown;
	if (!grown || !f) {
		free(f);
		return INDEX_NEW;
	}
	f->symbols = symbols;
	grown[c->files] = f;
	return c->files++;
}

/* A walk before may have had the file. Return: INDEX_NEW without memory */
static uint32_t find_file(struct coverage *c, const struct symbol_file *of)
{
	struct symbol_file *symbols = symbol_files_get(c->symbols, source_path(of));
	uint32_t i;

	for (i = 0; i < c->files; i++)
		if (c->file[i]->symbols == symbols)
			return i;
	return add_file(c, symbols);
}

struct coverage_file *coverage_file_of(struct coverage *c, const struct symbol_file *of)
{
	uint32_t *number = index_at(&c->by_file, (uintptr_t)of, 0);

	if (number && *number == INDEX_NEW)
		*number = find_file(c, of);
	return number && *number != INDEX_NEW ? c->file[*number] : NULL;
}

void coverage_end_walk(struct coverage *c)
{
	index_free(&c->by_file);
}

static bool take(struct coverage *c, const struct softpt_flow_row *row)
{
	const uint64_t executed = row->instructions * row->times;
	struct coverage_file *f = NULL;
	struct symbol_place place;

	symbols_place(row->thread->process->symbols, row->ip, &place);
	c->instructions += executed;
	if (place.file) {
		f = coverage_file_of(c, place.file);
		if (!f)
			return false;
	}
	if (!f || !f->symbols) {
		c->elsewhere += executed;
		return true;
	}
	if (!make_room(f))
		return false;
	f->run[f->n++] = (struct coverage_run){
		.from = place.address, .last = place.address + (row->from - row->ip),
		.end = place.address + row->bytes, .insns = row->instructions,
		.times = row->times, .taken = row->taken,
	};
	return true;
}

bool coverage_take(struct coverage *c, const struct softpt_flow_row *row)
{
	if (!take(c, row))
		c->no_memory = true;
	return !c->no_memory;
}

/* ---- the end ---- */

static int by_address(const void *a, const void *b)
{
	return compare(((const struct step *)a)->addr, ((const struct step *)b)->addr);
}

static void sort(struct steps *s)
{
	size_t i, n = 0;

	if (!s->n)
		return;
	qsort(s->step, s->n, sizeof(*s->step), by_address);
	for (i = 1; i < s->n; i++) {
		if (s->step[i].addr == s->step[n].addr)
			s->step[n].times += s->step[i].times;
		else
			s->step[++n] = s->step[i];
	}
	s->n = n + 1;
}

static int sum_up(struct coverage_file *f)
{
	uint64_t times = 0;
	size_t i;

	merge(f);
	f->times.step = calloc(2 * f->n + 1, sizeof(*f->times.step));
	f->taken.step = calloc(f->n + 1, sizeof(*f->taken.step));
	if (!f->times.step || !f->taken.step)
		return -ENOMEM;
	for (i = 0; i < f->n; i++) {
		const struct coverage_run *r = &f->run[i];

		f->times.step[f->times.n++] = (struct step){ r->from, r->times };
		f->times.step[f->times.n++] = (struct step){ r->end, -r->times };
		f->taken.step[f->taken.n++] = (struct step){ r->last, r->taken };
	}
	sort(&f->times);
	sort(&f->taken);
	for (i = 0; i < f->times.n; i++)
		f->times.step[i].times = times += f->times.step[i].times;
	return 0;
}

static struct coverage_function *add_function(struct coverage *c, const struct coverage_file *f,
					      uint64_t addr)
{
	const struct symbol_place place = { f->symbols, addr };
	const char *path = source_path(f->symbols), *slash = strrchr(path, '/');
	struct coverage_function *grown = array_more(c->function, c->functions, sizeof(*grown));

	if (!grown)
		return NULL;
	c->function = grown;
	grown = &grown[c->functions++];
	*grown = (struct coverage_function){ .file = f, .module = slash ? slash + 1 : path };
	source_function_at(&place, &grown->at);
	grown->entered = coverage_times(f, grown->at.from);
	return grown;
}

static int find_functions(struct coverage *c, const struct coverage_file *f)
{
	struct coverage_function *function = NULL;
	size_t i;

	for (i = 0; i < f->n; i++) {
		const struct coverage_run *r = &f->run[i];

		if (!r->times)
			continue;
		if (!function || r->from >= function->at.to)
			function = add_function(c, f, r->from);
		if (!function)
			return -ENOMEM;
		function->instructions += r->insns * r->times;
	}
	return 0;
}

static int by_instructions(const void *a, const void *b)
{
	const struct coverage_function *x = a, *y = b;
	int order = compare(y->instructions, x->instructions);

	return order ? order : compare(x->at.from, y->at.from);
}

int coverage_finish(struct coverage *c)
{
	size_t i;

	if (c->no_memory)
		return -ENOMEM;
	for (i = 0; i < c->files; i++)
		if (sum_up(c->file[i]) || find_functions(c, c->file[i]))
			return -ENOMEM;
	if (c->functions)
		qsort(c->function, c->functions, sizeof(*c->function), by_instructions);
	return 0;
}

/* ---- what there is ---- */

uint64_t coverage_instructions(const struct coverage *c)
{
	return c->instructions;
}

uint64_t coverage_elsewhere(const struct coverage *c)
{
	return c->elsewhere;
}

size_t coverage_functions(const struct coverage *c)
{
	return c->functions;
}

const struct coverage_function *coverage_function(const struct coverage *c, size_t i)
{
	return &c->function[i];
}

size_t coverage_files(const struct coverage *c)
{
	return c->files;
}

const struct coverage_file *coverage_file(const struct coverage *c, size_t i)
{
	return c->file[i];
}

struct symbol_file *coverage_symbols(const struct coverage_file *f)
{
	return f->symbols;
}

bool coverage_run(const struct coverage_file *f, size_t i, struct coverage_run *run)
{
	if (i < f->n)
		*run = f->run[i];
	return i < f->n;
}

/* How many steps are at an address or before it */
static size_t steps_until(const struct steps *s, uint64_t addr)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		const size_t mid = (low + high) / 2;

		if (s->step[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

uint64_t coverage_times(const struct coverage_file *f, uint64_t addr)
{
	const size_t n = steps_until(&f->times, addr);

	return n ? f->times.step[n - 1].times : 0;
}

uint64_t coverage_taken(const struct coverage_file *f, uint64_t addr)
{
	const size_t n = steps_until(&f->taken, addr);

	return n && f->taken.step[n - 1].addr == addr ? f->taken.step[n - 1].times : 0;
}

uint64_t coverage_next(const struct coverage_file *f, uint64_t addr, uint64_t end)
{
	size_t i = steps_until(&f->times, addr);

	if (i && f->times.step[i - 1].times)
		return addr < end ? addr : end;
	while (i < f->times.n && !f->times.step[i].times)
		i++;
	return i < f->times.n && f->times.step[i].addr < end ? f->times.step[i].addr : end;
}

/* Where the next run begins or ends behind an address */
static uint64_t next_step(const struct coverage_file *f, uint64_t addr)
{
	const size_t n = steps_until(&f->times, addr);

	return n < f->times.n ? f->times.step[n].addr : UINT64_MAX;
}

bool coverage_insn(const struct coverage_file *f, uint64_t addr, uint64_t end,
		   struct coverage_insn *insn)
{
	const struct symbol_place place = { f->symbols, addr };
	const uint64_t next = next_step(f, addr);
	struct code_insn decoded;
	size_t size;

	*insn = (struct coverage_insn){ .addr = addr };
	if (next < end)
		end = next;
	size = addr < end ? source_code(&place, insn->code, sizeof(insn->code) - 1) : 0;
	if (!size)
		return false;
	decoded = code_decode(insn->code, size, addr, source_bits(f->symbols));
	insn->known = decoded.size && decoded.size <= end - addr;
	insn->size = insn->known ? decoded.size : decoded.size ? end - addr : 1;
	if (!insn->known)
		return true;
	insn->conditional = code_is_conditional(&decoded);
	insn->times = coverage_times(f, addr);
	insn->taken = insn->conditional ? coverage_taken(f, addr) : 0;
	return true;
}
