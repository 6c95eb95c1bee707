// SPDX-License-Identifier: BSD-2-Clause
#include "export/covered.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "flow/path.h"

/* What an exporter writes, and how */
struct job {
	const struct export *e;
	const char *path;	/* of the first recording */
	covered_fn write;
	const void *what;
};

static int print(void *ctx, FILE *to)
{
	const struct job *job = ctx;

	return job->write(job->what, to);
}

/* ---- recordings ---- */

static bool take_row(void *ctx, const struct softpt_flow_row *row)
{
	return coverage_take(ctx, row);
}

/* Return: 0, -EILSEQ with all that could be followed, or -errno */
static int walk(const struct export *e, const struct export_stream *streams, unsigned int nr,
		struct coverage *coverage)
{
	struct input part;
	struct flow_path path = {
		.in = &part, .root = e->root, .wanted = COVERAGE_ROWS, .row = take_row,
		.context = coverage, .errors = e->errors,
	};
	int err = export_streams_of(e, streams, nr, &part);

	if (err)
		return err;
	err = flow_path_walk(&path);
	coverage_end_walk(coverage);
	free(part.streams);
	return err;
}

/* Each recording has its streams in a row. */
static int walk_all(const struct export *e, const struct export_stream *streams, unsigned int nr,
		    struct coverage *coverage)
{
	unsigned int i, n;
	int err = 0, one;

	for (i = 0; i < nr; i += n) {
		for (n = 1; i + n < nr && streams[i + n].in == streams[i].in;)
			n++;
		one = walk(e, streams + i, n, coverage);
		if (one && one != -EILSEQ)
			return one;
		err = one ? one : err;
	}
	return err;
}

static int cover(struct job *job, const struct export_stream *streams, unsigned int nr,
		 int (*export)(struct job *job, const struct coverage *coverage))
{
	struct coverage *coverage = coverage_new();
	int err = -ENOMEM, failed = 0;

	job->path = streams->in->path;
	if (!coverage)
		return error_tell_errno(job->e->errors, job->path, err);
	err = walk_all(job->e, streams, nr, coverage);
	if (!err || err == -EILSEQ)
		failed = coverage_finish(coverage) ?
			 error_tell_errno(job->e->errors, job->path, -ENOMEM) :
			 export(job, coverage);
	coverage_free(coverage);
	return failed ? failed : err;
}

/* ---- instructions ---- */

static int export_coverage(struct job *job, const struct coverage *coverage)
{
	job->what = coverage;
	return export_print(job->e, print, job);
}

int covered_export(const struct export *e, const struct export_stream *streams, unsigned int nr,
		   covered_fn write)
{
	struct job job = { .e = e, .write = write };

	return cover(&job, streams, nr, export_coverage);
}

/* ---- source files ---- */

/* Those that are here come first. Return: how many */
static size_t sort_out(struct coverage_sources *sources)
{
	size_t i, n = 0;

	for (i = 0; i < sources->n; i++) {
		const struct coverage_source source = sources->source[i];

		if (access(source.path, R_OK))
			continue;
		sources->source[i] = sources->source[n];
		sources->source[n++] = source;
	}
	return n;
}

static int write_sources(struct job *job, struct coverage_sources *sources)
{
	const struct export *e = job->e;
	const size_t all = sources->n, here = sort_out(sources);
	int err;

	if (!all)
		return error_tell(e->errors, job->path, -ENOENT,
				  "no file that was executed has lines of source (build with -g)");
	if (!here)
		return error_tell(e->errors, job->path, -ENOENT,
				  "none of its %zu source files is here, %s ...", all,
				  sources->source->path);
	sources->n = here;
	job->what = sources;
	err = export_print(e, print, job);
	sources->n = all;
	if (!err && here < all)
		error_tell(e->errors, job->path, 0, "%zu source files that are not here are left out",
			   all - here);
	return err;
}

static int export_sources(struct job *job, const struct coverage *coverage)
{
	struct coverage_sources sources;
	int err = coverage_sources_find(&sources, coverage);

	err = err ? error_tell_errno(job->e->errors, job->path, err) : write_sources(job, &sources);
	coverage_sources_free(&sources);
	return err;
}

int covered_export_sources(const struct export *e, const struct export_stream *streams,
			   unsigned int nr, covered_fn write)
{
	struct job job = { .e = e, .write = write };

	return cover(&job, streams, nr, export_sources);
}
