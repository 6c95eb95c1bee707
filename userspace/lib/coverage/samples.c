// SPDX-License-Identifier: BSD-2-Clause
#include "coverage/samples.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "code/dwarf/bodies.h"
#include "code/dwarf/lines.h"
#include "report/index.h"

/* A function that was executed; @function: its number */
struct body {
	const struct coverage_file *file;
	struct source_body at;
	uint32_t name;
	uint32_t function;
};

struct search {
	const struct coverage *coverage;
	const struct coverage_calls *calls;
	const struct coverage_file *file;
	struct contexts *contexts;
	size_t elsewhere;
	char *path;		/* of one of these */
	struct body *body;
	uint32_t n;
	struct report_index by_entry;	/* a file and an address: the body that begins there */
};

/* ---- bodies ---- */

static bool was_executed(const struct coverage_file *f, const struct source_body *body)
{
	uint64_t from, to;
	ptrdiff_t at = 0;

	while ((at = source_body_piece(body, at, &from, &to)) > 0)
		if (coverage_next(f, from, to) < to)
			return true;
	return false;
}

static bool is_here(struct search *s, uint64_t entry)
{
	const struct symbol_place place = { coverage_symbols(s->file), entry };
	char path[4096];
	int line;

	if (!source_line(&place, &line, path, sizeof(path)) || !access(path, R_OK))
		return true;
	if (!s->elsewhere++)
		s->path = strdup(path);
	return false;
}

/* A name up to the version of a symbol. Return: 0: it can't be in a profile, which blanks divide */
static size_t length_of(const char *name)
{
	size_t i;

	if (!name)
		return 0;
	for (i = 0; name[i] && (name[i] != '@' || !i); i++)
		if (isspace((unsigned char)name[i]) || iscntrl((unsigned char)name[i]))
			return 0;
	return i;
}

static bool add_body(struct search *s, const struct source_body *body, const char *name)
{
	uint32_t *number = index_at(&s->by_entry, (uintptr_t)s->file, source_body_entry(body));
	struct body *grown = array_more(s->body, s->n, sizeof(*grown));

	if (!number || !grown)
		return false;
	s->body = grown;
	*number = s->n;
	grown = &grown[s->n++];
	*grown = (struct body){ .file = s->file, .at = *body };
	grown->name = contexts_name(s->contexts, name, length_of(name));
	grown->function = contexts_function(s->contexts, grown->name);
	return grown->function != CONTEXT_NONE;
}

static bool take_body(void *ctx, const struct source_body *body)
{
	struct search *s = ctx;
	const char *name = source_body_name(body);

	if (!length_of(name) || !was_executed(s->file, body))
		return true;
	return !is_here(s, source_body_entry(body)) || add_body(s, body, name);
}

static bool find_bodies(struct search *s)
{
	struct symbol_file *symbols;
	size_t i;

	for (i = 0; i < coverage_files(s->coverage); i++) {
		s->file = coverage_file(s->coverage, i);
		symbols = coverage_symbols(s->file);
		if (symbols && !source_bodies(symbols, take_body, s))
			return false;
	}
	return true;
}

/* Return: NULL: none that is known begins there */
static const struct body *body_at(struct search *s, const struct coverage_place *place)
{
	const uint32_t *number = index_at(&s->by_entry, (uintptr_t)place->file, place->addr);

	return number && *number != INDEX_NEW ? &s->body[*number] : NULL;
}

/* ---- instructions ---- */

/* From the outermost function on to where an instruction comes from */
struct way {
	struct contexts *contexts;
	uint32_t function;
	struct context_spot spot;
	unsigned int copies;
	bool inside;
};

static void take_spot(void *ctx, const struct source_spot *spot)
{
	struct way *way = ctx;
	const size_t len = length_of(spot->name);

	uint32_t name;

	if (way->inside) {
		name = len ? contexts_name(way->contexts, spot->name, len) : CONTEXT_NONE;
		way->function = contexts_inlined(way->contexts, way->function, way->spot, name);
	}
	way->inside = true;
	way->spot = (struct context_spot){ spot->offset, spot->discriminator };
	way->copies = spot->copies;
}

/* What was called, and where debug information has no name for it, its symbol */
static uint32_t name_at(struct search *s, const struct coverage_place *place)
{
	const struct body *body = body_at(s, place);
	struct source_function function;
	struct symbol_place at;
	size_t len;

	if (body || !place->file || !coverage_symbols(place->file))
		return body ? body->name : CONTEXT_NONE;
	at = (struct symbol_place){ coverage_symbols(place->file), place->addr };
	source_function_at(&at, &function);
	len = function.from == place->addr ? length_of(function.name) : 0;
	return len ? contexts_name(s->contexts, function.name, len) : CONTEXT_NONE;
}

static void take_calls(struct search *s, const struct coverage_place *from, uint32_t line)
{
	const size_t n = coverage_calls_number(s->calls);
	const struct coverage_call *call;
	size_t i;

	for (i = coverage_calls_from(s->calls, from); i < n; i++) {
		call = coverage_call(s->calls, i);
		if (!coverage_is_from(call, from))
			return;
		contexts_call(s->contexts, line, name_at(s, &call->to), call->times);
	}
}

static void take_insn(struct search *s, const struct body *body, const struct coverage_insn *insn)
{
	struct way way = { .contexts = s->contexts, .function = body->function };
	const struct coverage_place place = { body->file, insn->addr };
	uint32_t line;

	if (!insn->known || !source_spots(&body->at, insn->addr, take_spot, &way))
		return;
	line = contexts_execute(s->contexts, way.function, way.spot, insn->times * way.copies);
	take_calls(s, &place, line);
}

static void take_lines(struct search *s, const struct body *body)
{
	struct coverage_insn insn;
	uint64_t from, to;
	ptrdiff_t at = 0;

	contexts_begin_copy(s->contexts);
	while ((at = source_body_piece(&body->at, at, &from, &to)) > 0)
		for (; coverage_insn(body->file, from, to, &insn); from += insn.size)
			take_insn(s, body, &insn);
}

/* ---- all of it ---- */

static void take_entries(struct search *s)
{
	const struct coverage_call *call;
	const struct body *body;
	size_t i;

	for (i = 0; i < coverage_calls_number(s->calls); i++) {
		call = coverage_call(s->calls, i);
		body = body_at(s, &call->to);
		if (body)
			contexts_enter(s->contexts, body->function, call->times);
	}
}

static bool take_all(struct search *s)
{
	uint32_t i;

	if (!find_bodies(s))
		return false;
	for (i = 0; i < s->n; i++)
		take_lines(s, &s->body[i]);
	take_entries(s);
	return !contexts_finish(s->contexts);
}

int samples_find(struct samples *samples, const struct coverage *coverage,
		 const struct coverage_calls *calls)
{
	struct search s = { .coverage = coverage, .calls = calls, .contexts = contexts_new() };
	const bool done = s.contexts && take_all(&s);

	*samples = (struct samples){ s.contexts, s.elsewhere, s.path };
	free(s.body);
	index_free(&s.by_entry);
	return done ? 0 : -ENOMEM;
}

void samples_free(struct samples *samples)
{
	contexts_free(samples->functions);
	free(samples->path);
}
