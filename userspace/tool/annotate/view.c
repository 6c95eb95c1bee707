// SPDX-License-Identifier: BSD-2-Clause
#include "view.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "code/disassemble.h"
#include "code/dwarf/lines.h"

const char *annotate_label(const struct coverage_function *f, char *buf)
{
	if (f->at.name)
		snprintf(buf, LABEL_MAX, "%s", f->at.label);
	else
		snprintf(buf, LABEL_MAX, "%s+0x%" PRIx64, f->module, f->at.from);
	return buf;
}

bool annotate_shows(const struct annotate_view *v, const struct coverage_function *f)
{
	char label[LABEL_MAX];
	int i;

	annotate_label(f, label);
	for (i = 0; i < v->patterns; i++)
		if (!fnmatch(v->pattern[i], label, 0) ||
		    (f->at.name && !fnmatch(v->pattern[i], f->at.name, 0)))
			return true;
	return !v->patterns;
}

/* Code without a name may be all of a file: only what was executed is shown of it. */
bool annotate_next(const struct coverage_function *f, uint64_t at, struct coverage_insn *insn)
{
	if (!f->at.name)
		at = coverage_next(f->file, at, f->at.to);
	return at < f->at.to && coverage_insn(f->file, at, f->at.to, insn);
}

const char *annotate_source(const struct coverage_function *f, uint64_t addr, int *line, char *buf,
			    size_t len)
{
	const struct symbol_place place = { coverage_symbols(f->file), addr };

	return source_line(&place, line, buf, len);
}

const char *annotate_insn(const struct coverage_function *f, const struct coverage_insn *insn,
			  char *buf, size_t len)
{
	return disassemble(insn->addr, insn->code, insn->size,
			   source_bits(coverage_symbols(f->file)), buf, len);
}
