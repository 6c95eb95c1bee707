// SPDX-License-Identifier: BSD-2-Clause
#include "export/branches/branched.h"

#include <errno.h>
#include <stdlib.h>

#include "flow/path.h"

struct walk {
	struct branched branched;
	bool no_memory;		/* a row was not taken, which ended the walk */
};

static bool take_row(void *ctx, const struct softpt_flow_row *row)
{
	struct walk *w = ctx;

	w->no_memory = !edges_take(&w->branched.edges, row);
	return !w->no_memory;
}

static bool take_stride(void *ctx, const struct softpt_flow_thread *thread,
			const struct flow_stride *s)
{
	struct walk *w = ctx;

	w->no_memory = !edges_take_stride(&w->branched.edges, thread, s);
	return !w->no_memory;
}

static bool is_better(const struct edge_file *a, const struct edge_file *b)
{
	if (a->is_program != b->is_program)
		return a->is_program;
	return a->branches > b->branches;
}

static int write_file(const struct export *e, struct branched *b, branched_fn write)
{
	const struct edges *all = &b->edges;
	uint32_t i;

	if (!all->files)
		return error_tell(e->errors, b->recording, -ENOENT,
				  "no branch of a mapped file is in it");
	for (i = 1; i < all->files; i++)
		if (is_better(&all->file[i], &all->file[b->of]))
			b->of = i;
	return write(e, b);
}

int branched_export(const struct export *e, const struct export_stream *streams, unsigned int nr,
		    branched_fn write)
{
	struct walk w = { .branched.recording = streams->in->path };
	struct input part;
	struct flow_path path = {
		.in = &part, .root = e->root, .row = take_row, .context = &w, .errors = e->errors,
		.wanted = EDGE_ROWS, .stride = take_stride,
	};
	int err = export_streams_of(e, streams, nr, &part), failed = 0;

	if (err)
		return err;
	err = flow_path_walk(&path);
	edges_settle(&w.branched.edges);
	if (w.no_memory)
		err = error_tell_errno(e->errors, streams->in->path, -ENOMEM);
	if (!err || err == -EILSEQ)
		failed = write_file(e, &w.branched, write);
	free(part.streams);
	edges_free(&w.branched.edges);
	return failed ? failed : err;
}
