// SPDX-License-Identifier: BSD-2-Clause
#include "code/dwarf/bodies.h"

#include <string.h>

#include <dwarf.h>

#include "code/dwarf/discriminator.h"
#include "code/symbolfile.h"

#ifndef DW_AT_GNU_discriminator	/* elfutils has no name for it */
#define DW_AT_GNU_discriminator	0x2136
#endif

#define DEPTH_MAX	256	/* of scopes in scopes: more is no compiler's */

static unsigned int number_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	return dwarf_formudata(dwarf_attr_integrate(die, name, &attr), &value) ? 0 : value;
}

/* ---- all bodies ---- */

/* The walk through a unit */
struct visit {
	struct source_body body;
	source_body_fn fn;
	void *ctx;
};

static bool has_code(Dwarf_Die *die)
{
	Dwarf_Addr base, from, to;

	return dwarf_tag(die) == DW_TAG_subprogram && dwarf_ranges(die, 0, &base, &from, &to) > 0 &&
	       number_of(die, DW_AT_decl_line);
}

static bool may_have_functions(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
		return true;
	}
	return false;
}

static bool visit(struct visit *v, Dwarf_Die *in, unsigned int depth)
{
	Dwarf_Die die;

	if (depth == DEPTH_MAX || dwarf_child(in, &die))
		return true;
	do {
		v->body.die = die;
		if (has_code(&die) && !v->fn(v->ctx, &v->body))
			return false;
		if (may_have_functions(&die) && !visit(v, &die, depth + 1))
			return false;
	} while (!dwarf_siblingof(&die, &die));
	return true;
}

/* clang, and compilers of other languages that name the LLVM that they are built with */
static bool is_llvm(Dwarf_Die *unit)
{
	Dwarf_Attribute attr;
	const char *producer = dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attr));

	return producer && (strstr(producer, "clang") || strstr(producer, "LLVM"));
}

bool source_bodies(struct symbol_file *f, source_body_fn fn, void *ctx)
{
	struct visit v = { .fn = fn, .ctx = ctx };
	Dwarf_Die *unit = NULL;

	while (f->module && (unit = dwfl_module_nextcu(f->module, unit, &v.body.bias))) {
		v.body.unit = *unit;
		v.body.llvm = is_llvm(unit);
		if (!visit(&v, unit, 0))
			return false;
	}
	return true;
}

/* ---- one of them ---- */

/* A copy may have a name of its own, and else has that of the function that it is of. */
static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attr));

	if (!name)
		name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr));
	return name ? name : dwarf_diename(die);
}

const char *source_body_name(const struct source_body *body)
{
	Dwarf_Die die = body->die;

	return name_of(&die);
}

/* Of several pieces the first one begins the function. */
uint64_t source_body_entry(const struct source_body *body)
{
	Dwarf_Die die = body->die;
	uint64_t from = 0, to;
	Dwarf_Addr entry;

	if (!dwarf_entrypc(&die, &entry))
		return entry + body->bias;
	source_body_piece(body, 0, &from, &to);
	return from;
}

ptrdiff_t source_body_piece(const struct source_body *body, ptrdiff_t piece, uint64_t *from,
			    uint64_t *to)
{
	Dwarf_Die die = body->die;
	Dwarf_Addr base, begin, end;

	piece = dwarf_ranges(&die, piece, &base, &begin, &end);
	if (piece > 0) {
		*from = begin + body->bias;
		*to = end + body->bias;
	}
	return piece;
}

/* ---- spots ---- */

static bool is_scope(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		return true;
	}
	return false;
}

/* The scope directly in @in that an address is in */
static bool find_scope(Dwarf_Die *in, Dwarf_Addr addr, Dwarf_Die *found)
{
	if (dwarf_child(in, found))
		return false;
	do {
		if (is_scope(found) && dwarf_haspc(found, addr) > 0)
			return true;
	} while (!dwarf_siblingof(found, found));
	return false;
}

/* The function that was inlined in @in and has an address */
static bool find_inlined(const Dwarf_Die *in, Dwarf_Addr addr, Dwarf_Die *found)
{
	Dwarf_Die scope = *in;
	unsigned int depth;

	for (depth = 0; depth < DEPTH_MAX && find_scope(&scope, addr, found); depth++) {
		if (dwarf_tag(found) == DW_TAG_inlined_subroutine)
			return true;
		scope = *found;
	}
	return false;
}

static void tell(const struct source_body *body, Dwarf_Die *die, unsigned int line,
		 unsigned int discriminator, source_spot_fn fn, void *ctx)
{
	struct source_spot spot = {
		.name = name_of(die), .offset = line - number_of(die, DW_AT_decl_line), .copies = 1,
	};

	if (body->llvm) {
		spot.discriminator = discriminator_base(discriminator);
		spot.copies = discriminator_copies(discriminator);
	}
	fn(ctx, &spot);
}

bool source_spots(const struct source_body *body, uint64_t addr, source_spot_fn fn, void *ctx)
{
	Dwarf_Die unit = body->unit, die = body->die, inlined;
	Dwarf_Line *row = dwarf_getsrc_die(&unit, addr - body->bias);
	unsigned int depth, discriminator;
	int line;

	if (!row || dwarf_lineno(row, &line) || line < 1 ||
	    dwarf_linediscriminator(row, &discriminator))
		return false;
	for (depth = 0; depth < SPOTS_MAX; depth++) {
		if (!find_inlined(&die, addr - body->bias, &inlined)) {
			tell(body, &die, line, discriminator, fn, ctx);
			return true;
		}
		tell(body, &die, number_of(&inlined, DW_AT_call_line),
		     number_of(&inlined, DW_AT_GNU_discriminator), fn, ctx);
		die = inlined;
	}
	return false;
}
