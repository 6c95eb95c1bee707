// SPDX-License-Identifier: BSD-2-Clause
/* A loop executes the same instructions all the time: their texts are kept. */
#include <stdlib.h>
#include <string.h>

#include "../cli/line.h"
#include "../cli/symbol.h"
#include "../cli/tool.h"
#include "insn.h"

#define TABLE_BITS	12

/* What a text was made of, and the text; @len: 0: there is none */
struct insn_text {
	uint64_t ip;
	struct softpt_symbol sym;
	uint8_t code[15];
	uint8_t size;
	uint8_t bits;
	uint8_t len;
	char text[180];
};

struct insn_texts {
	struct insn_text table[1 << TABLE_BITS];
};

struct insn_texts *insn_texts_new(void)
{
	return calloc(1, sizeof(struct insn_texts));
}

void insn_texts_free(struct insn_texts *texts)
{
	free(texts);
}

static void write_insn(FILE *out, const struct softpt_flow_row *row,
		       const struct softpt_symbol *sym)
{
	char text[128], *p = put_text(put_address(text, row->ip), " ");

	fwrite(text, 1, p - text, out);
	symbol_write(out, sym, row->ip);
	fprintf(out, "  %s%s%s", colour(stdout, COLOUR_FLOW),
		softpt_flow_insn(row, text, sizeof(text)), colour(stdout, COLOUR_PLAIN));
}

static bool is_of(const struct insn_text *t, const struct softpt_flow_row *row,
		  const struct softpt_symbol *sym)
{
	return t->len && t->ip == row->ip && t->size == row->size && t->bits == row->bits &&
	       t->sym.name == sym->name && t->sym.module == sym->module &&
	       t->sym.start == sym->start && t->sym.plt == sym->plt &&
	       !memcmp(t->code, row->code, row->size);
}

/* A text that is longer than the room is not kept. */
static void make(struct insn_text *t, const struct softpt_flow_row *row,
		 const struct softpt_symbol *sym)
{
	FILE *out = fmemopen(t->text, sizeof(t->text), "w");
	long len = 0;

	if (out) {
		write_insn(out, row, sym);
		len = ftell(out);
		if (fclose(out))
			len = 0;
	}
	t->len = len > 0 && (size_t)len < sizeof(t->text) ? len : 0;
	t->ip = row->ip;
	t->sym = *sym;
	t->size = row->size;
	t->bits = row->bits;
	memcpy(t->code, row->code, row->size);
}

void insn_print(struct insn_texts *texts, const struct softpt_flow_row *row,
		const struct softpt_symbol *sym)
{
	const uint64_t hash = row->ip * 0x9e3779b97f4a7c15ull;
	struct insn_text *t = texts ? &texts->table[hash >> (64 - TABLE_BITS)] : NULL;

	if (!t || row->size > sizeof(t->code)) {
		write_insn(stdout, row, sym);
		return;
	}
	if (!is_of(t, row, sym))
		make(t, row, sym);
	if (t->len)
		fwrite(t->text, 1, t->len, stdout);
	else
		write_insn(stdout, row, sym);
}
