// SPDX-License-Identifier: BSD-2-Clause
#include "code/dwarf/statements.h"

#include <stdlib.h>
#include <string.h>

#include <elfutils/libdw.h>

#include "code/dwarf/units.h"
#include "code/symbolfile.h"

/**
 * struct row - a row of a line table
 * @addr: as the file was linked
 * @line: its line
 * @begins: a statement begins there
 */
struct row {
	uint64_t addr;
	int line;
	bool begins;
};

/* Of a name that rows share, which libdw has once: whether it is the one that is asked for */
struct same {
	const char *name;
	bool is;
};

/* work.c and src/work.c are both /home/me/src/work.c. */
static bool is_end_of(const char *path, const char *source)
{
	const size_t n = strlen(path), len = strlen(source);

	return len <= n && !strcmp(path + n - len, source) &&
	       (len == n || *source == '/' || path[n - len - 1] == '/');
}

static bool is_source(Dwarf_Die *unit, const char *name, const char *source, struct same *last)
{
	char path[4096];

	if (name && name != last->name) {
		last->name = name;
		last->is = unit_path(unit, name, path, sizeof(path)) && is_end_of(path, source);
	}
	return name && last->is;
}

static bool keep(struct statements *s, uint64_t addr)
{
	uint64_t *more;

	if (!(s->nr & (s->nr - 1))) {	/* all room is taken */
		more = reallocarray(s->addr, s->nr ? 2 * s->nr : 1, sizeof(*more));
		if (!more)
			return false;
		s->addr = more;
	}
	s->addr[s->nr++] = addr;
	return true;
}

/* Of two lines that are as near the one that follows */
static bool is_nearer(const struct statements *s, int line)
{
	const int there = abs(line - s->line), now = abs(s->near - s->line);

	return !s->near || there < now || (there == now && line > s->near);
}

static bool take_row(struct statements *s, const struct row *r)
{
	s->known = true;
	if (r->line == s->line) {
		s->moved |= !r->begins;
		return !r->begins || keep(s, r->addr);
	}
	if (r->begins && is_nearer(s, r->line))
		s->near = r->line;
	return true;
}

static bool read_row(Dwarf_Line *line, Dwarf_Addr bias, struct row *row)
{
	Dwarf_Addr addr;
	bool end;

	if (!line || dwarf_lineendsequence(line, &end) || end || dwarf_lineaddr(line, &addr) ||
	    dwarf_lineno(line, &row->line) || row->line < 1 ||
	    dwarf_linebeginstatement(line, &row->begins))
		return false;
	row->addr = addr + bias;
	return true;
}

static bool rows_of_unit(Dwarf_Die *unit, Dwarf_Addr bias, struct statements *s)
{
	struct same last = { 0 };
	Dwarf_Lines *lines;
	Dwarf_Line *line;
	struct row row;
	size_t n, i;

	if (dwarf_getsrclines(unit, &lines, &n))
		return true;
	for (i = 0; i < n; i++) {
		line = dwarf_onesrcline(lines, i);
		if (line && is_source(unit, dwarf_linesrc(line, NULL, NULL), s->source, &last) &&
		    read_row(line, bias, &row) && !take_row(s, &row))
			return false;
	}
	return true;
}

static int by_address(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Each once */
static void sort(struct statements *s)
{
	size_t i, n = 0;

	if (s->nr)
		qsort(s->addr, s->nr, sizeof(*s->addr), by_address);
	for (i = 0; i < s->nr; i++)
		if (!n || s->addr[n - 1] != s->addr[i])
			s->addr[n++] = s->addr[i];
	s->nr = n;
}

bool statements_find(struct symbol_file *f, struct statements *s)
{
	Dwarf_Die *unit = NULL;
	bool enough = true;
	Dwarf_Addr bias;

	*s = (struct statements){ .source = s->source, .line = s->line };
	s->debug = f->module && dwfl_module_getdwarf(f->module, &bias);
	while (s->debug && enough && (unit = dwfl_module_nextcu(f->module, unit, &bias)))
		enough = rows_of_unit(unit, bias, s);
	sort(s);
	return enough;
}

void statements_free(struct statements *s)
{
	free(s->addr);
	s->addr = NULL;
	s->nr = 0;
}
