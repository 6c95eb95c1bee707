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

#include "export/edges.h"
#include "export/export.h"
#include "flow/path.h"

struct bolt {
	struct edges edges;
	uint32_t of;		/* the file that is written */
	bool no_memory;		/* a row was not taken, which ended the walk */
};

static bool take_row(void *ctx, const struct softpt_flow_row *row)
{
	struct bolt *b = ctx;

	b->no_memory = !edges_take(&b->edges, row);
	return !b->no_memory;
}

static bool take_stride(void *ctx, const struct softpt_flow_thread *thread,
			const struct flow_stride *s)
{
	struct bolt *b = ctx;

	b->no_memory = !edges_take_stride(&b->edges, thread, s);
	return !b->no_memory;
}

/* ---- the file ---- */

static void put_end(const struct bolt *b, uint32_t end, FILE *to)
{
	if (b->edges.end[end].file == b->of)
		fprintf(to, " %" PRIx64, b->edges.end[end].addr);
	else
		fputs(" X:0", to);
}

/* BOLT knows no code in stubs, and would find that what was executed there does not match. */
static int print(void *ctx, FILE *to)
{
	const struct bolt *b = ctx;
	const struct edges *all = &b->edges;
	const struct edge *e;

	for (e = all->branches.edge; e < all->branches.edge + all->branches.n; e++) {
		if (all->end[e->from].file != b->of && all->end[e->to].file != b->of)
			continue;
		putc('B', to);
		put_end(b, e->from, to);
		put_end(b, e->to, to);
		fprintf(to, " %" PRIu64 " 0\n", e->times);
	}
	for (e = all->between.edge; e < all->between.edge + all->between.n; e++)
		if (all->end[e->from].file == b->of && !all->end[e->from].plt)
			fprintf(to, "%c %" PRIx64 " %" PRIx64 " %" PRIu64 "\n",
				e->outside ? 'f' : 'F', all->end[e->from].addr,
				all->end[e->to].addr, e->times);
	return 0;
}

static bool is_better(const struct edge_file *a, const struct edge_file *b)
{
	if (a->is_program != b->is_program)
		return a->is_program;
	return a->branches > b->branches;
}

static int write_file(const struct export *e, struct bolt *b, const char *path)
{
	const struct edges *all = &b->edges;
	uint32_t i;
	int err;

	if (!all->files)
		return error_tell(e->errors, path, -ENOENT, "no branch of a mapped file is in it");
	for (i = 1; i < all->files; i++)
		if (is_better(&all->file[i], &all->file[b->of]))
			b->of = i;
	err = export_print(e, print, b);
	if (!err)
		error_tell(e->errors, path, 0, "the profile is of %s (perf2bolt -pa -p FILE)",
			   all->file[b->of].path);
	return err;
}

static int run_bolt(const struct export *e, const struct export_stream *streams, unsigned int nr)
{
	struct bolt b = { 0 };
	struct input part;
	struct flow_path path = {
		.in = &part, .root = e->root, .row = take_row, .context = &b, .errors = e->errors,
		.wanted = EDGE_ROWS, .stride = take_stride,
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
	edges_settle(&b.edges);
	if (b.no_memory)
		err = error_tell_errno(e->errors, streams->in->path, -ENOMEM);
	if (!err || err == -EILSEQ)
		failed = write_file(e, &b, streams->in->path);
	free(part.streams);
	edges_free(&b.edges);
	return failed ? failed : err;
}

const struct exporter export_bolt = { "bolt", run_bolt };
