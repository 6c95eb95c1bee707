// SPDX-License-Identifier: BSD-2-Clause
/*
 * Branches and what is executed between them, in the format that perf2bolt takes with -pa: all of
 * them, exactly, where perf has samples of LBR. A file is of one program: the one that a thread is
 * called after and that took most branches, else the file that took most.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "code/source.h"
#include "export/export.h"
#include "flow/path.h"
#include "flow/process.h"
#include "report/index.h"

#define NOWHERE	UINT32_MAX	/* no end */

/* Where branches begin and end; @plt: in a stub of the linker's */
struct end {
	uint32_t file;		/* INDEX_NEW: none */
	uint64_t addr;
	bool plt;
};

/* From one end to another, so often; @outside: what is before came from another file */
struct edge {
	uint32_t from;
	uint32_t to;
	bool outside;
	uint64_t times;
};

struct edges {
	struct report_index by_ends;
	struct edge *edge;
	uint32_t n;
};

/* Where a thread goes on; @end is NOWHERE where that is not known */
struct place {
	uint32_t tid;
	uint32_t end;
	bool outside;
	struct place *next;
};

/* A file that was mapped; @is_program: a thread is called after it */
struct file {
	char *path;
	uint64_t branches;
	bool is_program;
};

struct bolt {
	struct report_index by_file;
	struct file *file;
	uint32_t files;
	struct report_index by_place;
	struct end *end;
	uint32_t ends;
	struct edges branches;
	struct edges between;
	struct place *places;
	uint32_t of;		/* the file that is written */
	bool no_memory;		/* a row was not taken, which ended the walk */
};

/* ---- what there is ---- */

/* Room for one more of @n. Return: NULL without memory */
static void *grow(void *array, uint32_t n, size_t size)
{
	if (n & (n - 1))
		return array;
	return reallocarray(array, n ? 2 * (size_t)n : 1, size);
}

static uint32_t add_file(struct bolt *b, const struct symbol_file *file)
{
	struct file *grown = grow(b->file, b->files, sizeof(*grown));

	if (!grown)
		return INDEX_NEW;
	b->file = grown;
	grown[b->files] = (struct file){ .path = strdup(source_path(file)) };
	return grown[b->files].path ? b->files++ : INDEX_NEW;
}

/* The number of an address. Return: NOWHERE without memory */
static uint32_t end_at(struct bolt *b, const struct softpt_flow_row *row, uint64_t address)
{
	struct symbols *symbols = row->thread->process->symbols;
	struct symbol_place place;
	struct softpt_symbol sym;
	uint32_t *number, *file = NULL;
	struct end *grown;

	symbols_place(symbols, address, &place);
	if (place.file)
		file = index_at(&b->by_file, (uintptr_t)place.file, 0);
	if (file && *file == INDEX_NEW)
		*file = add_file(b, place.file);
	number = index_at(&b->by_place, (uintptr_t)place.file, place.address);
	if (!number || *number != INDEX_NEW)
		return number ? *number : NOWHERE;
	grown = grow(b->end, b->ends, sizeof(*grown));
	if (!grown)
		return NOWHERE;
	b->end = grown;
	symbols_find(symbols, address, &sym);
	grown[b->ends] = (struct end){ file ? *file : INDEX_NEW, place.address, sym.plt };
	return *number = b->ends++;
}

static bool count(struct edges *edges, uint32_t from, uint32_t to, bool outside)
{
	uint32_t *number = index_at(&edges->by_ends, (uint64_t)from << 1 | outside, to);
	struct edge *grown;

	if (!number)
		return false;
	if (*number == INDEX_NEW) {
		grown = grow(edges->edge, edges->n, sizeof(*grown));
		if (!grown)
			return false;
		edges->edge = grown;
		grown[edges->n] = (struct edge){ from, to, outside, 0 };
		*number = edges->n++;
	}
	edges->edge[*number].times++;
	return true;
}

static struct place *get_place(struct bolt *b, uint32_t tid)
{
	struct place *p;

	for (p = b->places; p; p = p->next)
		if (p->tid == tid)
			return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	*p = (struct place){ tid, NOWHERE, false, b->places };
	b->places = p;
	return p;
}

/* "python3" runs python3.11. */
static void count_file(struct file *file, const char *comm)
{
	if (!file->branches++ && comm && *comm)
		file->is_program = !strncmp(basename(file->path), comm, strlen(comm));
}

static bool take_branch(struct bolt *b, struct place *p, const struct softpt_flow_row *row)
{
	const uint32_t from = end_at(b, row, row->from), to = end_at(b, row, row->ip);
	uint32_t file;

	if (from == NOWHERE || to == NOWHERE || !count(&b->branches, from, to, false))
		return false;
	file = b->end[from].file;
	if (file != INDEX_NEW)
		count_file(&b->file[file], row->comm);
	if (p->end != NOWHERE && b->end[p->end].file == file &&
	    !count(&b->between, p->end, from, p->outside))
		return false;
	p->end = to;
	p->outside = b->end[to].file != file;
	return true;
}

static bool take(struct bolt *b, const struct softpt_flow_row *row)
{
	struct place *p = get_place(b, row->tid);

	if (!p)
		return false;
	if (row->event == SOFTPT_FLOW_BRANCH)
		return take_branch(b, p, row);
	/* Back from the kernel, or from what is lost: what was executed before is not known. */
	p->end = row->event == SOFTPT_FLOW_ON && row->ip ? end_at(b, row, row->ip) : NOWHERE;
	p->outside = true;
	return true;
}

static bool take_row(void *ctx, const struct softpt_flow_row *row)
{
	struct bolt *b = ctx;

	b->no_memory = !take(b, row);
	return !b->no_memory;
}

/* ---- the file ---- */

static void put_end(const struct bolt *b, uint32_t end, FILE *to)
{
	if (b->end[end].file == b->of)
		fprintf(to, " %" PRIx64, b->end[end].addr);
	else
		fputs(" X:0", to);
}

/* BOLT knows no code in stubs, and would find that what was executed there does not match. */
static int print(void *ctx, FILE *to)
{
	const struct bolt *b = ctx;
	const struct edge *e;

	for (e = b->branches.edge; e < b->branches.edge + b->branches.n; e++) {
		if (b->end[e->from].file != b->of && b->end[e->to].file != b->of)
			continue;
		putc('B', to);
		put_end(b, e->from, to);
		put_end(b, e->to, to);
		fprintf(to, " %" PRIu64 " 0\n", e->times);
	}
	for (e = b->between.edge; e < b->between.edge + b->between.n; e++)
		if (b->end[e->from].file == b->of && !b->end[e->from].plt)
			fprintf(to, "%c %" PRIx64 " %" PRIx64 " %" PRIu64 "\n",
				e->outside ? 'f' : 'F', b->end[e->from].addr,
				b->end[e->to].addr, e->times);
	return 0;
}

static bool is_better(const struct file *a, const struct file *b)
{
	if (a->is_program != b->is_program)
		return a->is_program;
	return a->branches > b->branches;
}

static int write_file(const struct export *e, struct bolt *b, const char *path)
{
	uint32_t i;
	int err;

	if (!b->files)
		return error_tell(e->errors, path, -ENOENT, "no branch of a mapped file is in it");
	for (i = 1; i < b->files; i++)
		if (is_better(&b->file[i], &b->file[b->of]))
			b->of = i;
	err = export_print(e, print, b);
	if (!err)
		error_tell(e->errors, path, 0, "the profile is of %s (perf2bolt -pa -p FILE)",
			   b->file[b->of].path);
	return err;
}

static void free_all(struct bolt *b)
{
	struct place *p;
	uint32_t i;

	while ((p = b->places)) {
		b->places = p->next;
		free(p);
	}
	for (i = 0; i < b->files; i++)
		free(b->file[i].path);
	free(b->file);
	free(b->end);
	free(b->branches.edge);
	free(b->between.edge);
	index_free(&b->by_file);
	index_free(&b->by_place);
	index_free(&b->branches.by_ends);
	index_free(&b->between.by_ends);
}

static int run_bolt(const struct export *e, const struct export_stream *streams, unsigned int nr)
{
	struct bolt b = { 0 };
	struct input part;
	struct flow_path path = {
		.in = &part, .root = e->root, .row = take_row, .context = &b, .errors = e->errors,
		.wanted = 1u << SOFTPT_FLOW_BRANCH | 1u << SOFTPT_FLOW_ON |
			  1u << SOFTPT_FLOW_KERNEL | 1u << SOFTPT_FLOW_INTERRUPT |
			  1u << SOFTPT_FLOW_ABORT |
			  1u << SOFTPT_FLOW_OVERFLOW | 1u << SOFTPT_FLOW_LOST,
	};
	unsigned int i;
	int err, failed = 0;

	for (i = 1; i < nr; i++)
		if (streams[i].in != streams->in)
			return error_tell(e->errors, streams[i].in->path, -EINVAL,
					  "a profile is of one recording (merge-fdata adds files)");
	err = export_streams_of(e, streams, nr, &part);
	if (err)
		return err;
	err = flow_path_walk(&path);
	if (b.no_memory)
		err = error_tell_errno(e->errors, streams->in->path, -ENOMEM);
	if (!err || err == -EILSEQ)
		failed = write_file(e, &b, streams->in->path);
	free(part.streams);
	free_all(&b);
	return failed ? failed : err;
}

const struct exporter export_bolt = { "bolt", run_bolt };
