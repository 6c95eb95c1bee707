// SPDX-License-Identifier: BSD-2-Clause
#include "insns.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "../annotate/view.h"
#include "json.h"

#define AROUND		4	/* of what was not executed, behind what was */
#define PATH_LENGTH	4096

/* ---- which ---- */

struct cursor {
	const struct coverage_function *function;
	uint64_t at;
	unsigned int idle;	/* not executed, one after the other */
};

static struct cursor begin(const struct coverage_function *f)
{
	return (struct cursor){ .function = f, .at = f->at.from };
}

static bool next(struct cursor *c, struct coverage_insn *insn)
{
	if (c->idle >= AROUND)
		c->at = coverage_next(c->function->file, c->at, c->function->at.to);
	if (!annotate_next(c->function, c->at, insn))
		return false;
	c->at = insn->addr + insn->size;
	c->idle = insn->times ? 0 : c->idle + 1;
	return true;
}

/* ---- code ---- */

/* The piece that is being written */
struct piece {
	uint64_t next;
	uint64_t times;
	bool more;	/* an instruction may follow */
};

static void put_begin(struct piece *p, const struct coverage_insn *insn, FILE *to)
{
	if (p->more && insn->addr == p->next && insn->times == p->times)
		return;
	fprintf(to, "%s[\"%" PRIx64 "\",%" PRIu64, p->next ? "],\n" : "\n", insn->addr,
		insn->times);
	p->times = insn->times;
	p->more = true;
}

static int put_insn(struct piece *p, const struct coverage_function *f,
		    const struct coverage_insn *insn, FILE *to)
{
	static const char digit[] = "0123456789abcdefg";	/* a size is 16 at most */
	char text[130];
	int err;

	put_begin(p, insn, to);
	p->next = insn->addr + insn->size;
	text[0] = digit[insn->size];
	annotate_insn(f, insn, &text[1], sizeof(text) - 1);
	putc(',', to);
	err = json_text(to, text);
	if (insn->conditional) {
		fprintf(to, ",%" PRIu64, insn->taken);
		p->more = false;
	}
	return err;
}

/* Return: 0, -ENOSPC: it is larger than @room; or -ENOMEM */
static int put_code(const struct coverage_function *f, size_t room, FILE *to)
{
	struct cursor cursor = begin(f);
	struct piece piece = { 0 };
	struct coverage_insn insn;
	int err = 0;

	putc('[', to);
	while (!err && next(&cursor, &insn)) {
		err = put_insn(&piece, f, &insn, to);
		if (!err && (size_t)ftello(to) > room)
			err = -ENOSPC;
	}
	fputs(piece.next ? "]]" : "]", to);
	return err;
}

/* ---- lines ---- */

/* Instructions of a line, one after the other; those whose line is not known are of line 0 */
struct run {
	size_t n;
	uint32_t file;
	int line;
};

static int find_line(struct page_source *s, const struct coverage_function *f, uint64_t addr,
		     struct run *run)
{
	char path[PATH_LENGTH];

	*run = (struct run){ 1, 0, 0 };
	if (!annotate_source(f, addr, &run->line, path, sizeof(path)) || run->line <= 0)
		return run->line = 0;
	return page_source_line(s, path, run->line, &run->file);
}

static void put_run(const struct run *run, const char *before, FILE *to)
{
	if (run->n)
		fprintf(to, "%s%zu,%" PRIu32 ",%d", before, run->n, run->file, run->line);
}

static int put_lines(struct page_source *s, const struct coverage_function *f, FILE *to)
{
	struct cursor cursor = begin(f);
	struct run run = { 0 }, now;
	struct coverage_insn insn;
	const char *before = "";
	int err = 0;

	putc('[', to);
	while (!err && next(&cursor, &insn)) {
		err = find_line(s, f, insn.addr, &now);
		if (run.n && run.file == now.file && run.line == now.line) {
			run.n++;
			continue;
		}
		put_run(&run, before, to);
		before = run.n ? "," : "";
		run = now;
	}
	put_run(&run, before, to);
	putc(']', to);
	return err;
}

/* ---- all ---- */

/* Return: 0 or -errno; @text is NULL unless it is 0 */
static int finish(FILE *to, char **text, int err)
{
	if (fclose(to) && !err)
		err = -ENOMEM;
	if (err) {
		free(*text);
		*text = NULL;
	}
	return err;
}

static void spend(struct page_insns *insns, size_t size)
{
	insns->room -= size < insns->room ? size : insns->room;
}

static int find_code(struct page_insns *insns, uint32_t i, const struct coverage_function *f)
{
	size_t size;
	FILE *to = open_memstream(&insns->code[i], &size);
	int err = to ? finish(to, &insns->code[i], put_code(f, insns->room, to)) : -ENOMEM;

	if (!err)
		spend(insns, size);
	return err == -ENOSPC ? 0 : err;
}

static int find_lines(struct page_insns *insns, uint32_t i, const struct coverage_function *f,
		      struct page_source *s)
{
	size_t size;
	FILE *to = open_memstream(&insns->lines[i], &size);
	int err = to ? finish(to, &insns->lines[i], put_lines(s, f, to)) : -ENOMEM;

	if (!err)
		spend(insns, size);
	return err;
}

int page_insns_find(struct page_insns *insns, const struct page_functions *functions,
		    struct page_source *source)
{
	uint32_t i;
	int err;

	*insns = (struct page_insns){ .n = functions->n, .room = PAGE_INSNS_MAX };
	insns->code = calloc(insns->n + 1, sizeof(*insns->code));
	insns->lines = calloc(insns->n + 1, sizeof(*insns->lines));
	err = insns->code && insns->lines ? 0 : -ENOMEM;
	for (i = 0; i < insns->n && !err; i++) {
		err = find_code(insns, i, &functions->function[i]);
		if (!err && source && insns->code[i])
			err = find_lines(insns, i, &functions->function[i], source);
	}
	return err;
}

static void free_texts(char **text, uint32_t n)
{
	while (text && n--)
		free(text[n]);
	free(text);
}

void page_insns_free(struct page_insns *insns)
{
	free_texts(insns->code, insns->n);
	free_texts(insns->lines, insns->n);
}

static void put_texts(char *const *text, uint32_t n, const char *name, FILE *to)
{
	uint32_t i;

	fprintf(to, ",\n\"%s\":[", name);
	for (i = 0; i < n; i++)
		fprintf(to, "%s%s", i ? ",\n" : "\n", text[i] ? text[i] : "0");
	putc(']', to);
}

void page_insns_put_code(const struct page_insns *insns, FILE *to)
{
	put_texts(insns->code, insns->n, "insns", to);
}

void page_insns_put_lines(const struct page_insns *insns, FILE *to)
{
	put_texts(insns->lines, insns->n, "insns", to);
}
