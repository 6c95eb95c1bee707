// SPDX-License-Identifier: BSD-2-Clause
/* A row for each instruction, as csv or json */
#include <stdio.h>
#include <string.h>

#include "view.h"
#include "../report/fields.h"

/* Its symbol without the version */
static const char *name_of(const struct coverage_function *f, char *buf)
{
	if (!f->at.name)
		return annotate_label(f, buf);
	snprintf(buf, LABEL_MAX, "%.*s", (int)strcspn(f->at.name, "@"), f->at.name);
	return buf;
}

static void put_insn(struct fields *f, const struct coverage_function *function,
		     const struct coverage_insn *insn)
{
	char name[LABEL_MAX], path[4096], text[128];
	const char *source = NULL;
	int line = 0;

	if (function)
		source = annotate_source(function, insn->addr, &line, path, sizeof(path));
	field_text(f, "function", function ? name_of(function, name) : NULL);
	field_text(f, "demangled", function ? function->at.label : NULL);
	field_text(f, "module", function ? function->module : NULL);
	field_hex(f, "address", true, insn->addr);
	field_number(f, "times", true, insn->times);
	field_number(f, "taken", insn->conditional, insn->taken);
	field_text(f, "instruction",
		   function ? annotate_insn(function, insn, text, sizeof(text)) : NULL);
	field_text(f, "file", source);
	field_number(f, "line", source, line);
	fields_end(f);
}

static void put_function(struct fields *f, const struct coverage_function *function)
{
	struct coverage_insn insn;
	uint64_t at;

	for (at = function->at.from; annotate_next(function, at, &insn); at = insn.addr + insn.size)
		put_insn(f, function, &insn);
}

int annotate_data(const struct annotate_view *v)
{
	struct fields f = { .form = FIELDS_HEAD };
	uint64_t shown = 0;
	size_t i;

	if (v->format == ANNOTATE_CSV)
		put_insn(&f, NULL, &(struct coverage_insn){ 0 });
	f.form = v->format == ANNOTATE_CSV ? FIELDS_CSV : FIELDS_JSON;
	for (i = 0; i < coverage_functions(v->coverage) && shown < v->limit; i++) {
		const struct coverage_function *function = coverage_function(v->coverage, i);

		if (!annotate_shows(v, function))
			continue;
		put_function(&f, function);
		shown++;
	}
	return 0;
}
