// SPDX-License-Identifier: BSD-2-Clause
#include "code/dwarf/units.h"

#include <stdio.h>
#include <stdlib.h>

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "base/array.h"

struct unit_range {
	uint64_t from;
	uint64_t to;
	Dwarf_Die *unit;
};

static bool add(struct units *units, Dwarf_Addr from, Dwarf_Addr to, Dwarf_Die *unit)
{
	struct unit_range *grown = array_more(units->range, units->n, sizeof(*grown));

	if (!grown)
		return false;
	units->range = grown;
	if (from < to)
		grown[units->n++] = (struct unit_range){ from, to, unit };
	return true;
}

static bool add_unit(struct units *units, Dwarf_Die *unit)
{
	Dwarf_Addr base, from, to;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(unit, at, &base, &from, &to)) > 0)
		if (!add(units, from, to, unit))
			return false;
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct unit_range *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

static void read_units(struct units *units, Dwfl_Module *module)
{
	Dwarf_Die *unit = NULL;

	units->known = true;
	while ((unit = dwfl_module_nextcu(module, unit, &units->bias)))
		if (!add_unit(units, unit))
			break;
	if (units->n)
		qsort(units->range, units->n, sizeof(*units->range), by_address);
}

/* How many ranges begin at @addr or before it */
static size_t ranges_to(const struct units *units, uint64_t addr)
{
	size_t low = 0, high = units->n;

	while (low < high) {
		const size_t mid = (low + high) / 2;

		if (units->range[mid].from <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

Dwarf_Die *units_find(struct units *units, Dwfl_Module *module, uint64_t addr, Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(module, addr, bias);
	size_t n;

	if (unit)
		return unit;
	if (!units->known)
		read_units(units, module);
	*bias = units->bias;
	n = ranges_to(units, addr - *bias);
	return n && addr - *bias < units->range[n - 1].to ? units->range[n - 1].unit : NULL;
}

void units_free(struct units *units)
{
	free(units->range);
}

static const char *folder_of(Dwarf_Die *unit)
{
	Dwarf_Attribute attr;

	return dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attr));
}

const char *unit_path(Dwarf_Die *unit, const char *name, char *buf, size_t len)
{
	const char *folder = *name == '/' ? NULL : folder_of(unit);
	int n = snprintf(buf, len, "%s%s%s", folder ? folder : "", folder ? "/" : "", name);

	return n >= 0 && (size_t)n < len ? buf : NULL;
}
