// SPDX-License-Identifier: BSD-2-Clause
#include "export/covered.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "flow/path.h"

/* What an exporter writes, and how; @calls: NULL where nobody wants them */
struct job {
	const struct export *e;
	const char *path;	/* of the first recording */
	struct coverage *coverage;
	struct coverage_calls *calls;
	covered_fn write;
	const void *what;
	bool no_memory;		/* a row was not taken, which ended the walk */
};

static int print(void *ctx, FILE *to)
{
	const struct job *job = ctx;

	return job->write(job->what, to);
}

/* ---- recordings ---- */

static bool take_row(void *ctx, const struct softpt_flow_row *row)
{
	struct job *job = ctx;

	if (row->event == SOFTPT_FLOW_COUNT)
		return coverage_take(job->coverage, row);
	if (coverage_calls_take(job->calls, job->coverage, row))
		return true;
	job->no_memory = true;
	return false;
}

/* Return: 0, -EILSEQ with all that could be followed, or -errno */
static int walk(struct job *job, const struct export_stream *streams, unsigned int nr)
{
	const struct export *e = job->e;
	struct input part;
	struct flow_path path = {
		.in = &part, .root = e->root, .wanted = COVERAGE_ROWS, .row = take_row,
		.context = job, .errors = e->errors,
	};
	int err = export_streams_of(e, streams, nr, &part);

	if (err)
		return err;
	if (job->calls)
		path.wanted |= COVERAGE_CALL_ROWS;
	err = flow_path_walk(&path);
	coverage_end_walk(job->coverage);
	if (job->calls)
		coverage_calls_end_walk(job->calls);
	free(part.streams);
	return err;
}

/* Each recording has its streams in a row. */
static int walk_all(struct job *job, const struct export_stream *streams, unsigned int nr)
{
	unsigned int i, n;
	int err = 0, one;

	for (i = 0; i < nr; i += n) {
		for (n = 1; i + n < nr && streams[i + n].in == streams[i].in;)
			n++;
		one = walk(job, streams + i, n);
		if (one && one != -EILSEQ)
			return one;
		err = one ? one : err;
	}
	return err;
}

static int cover(struct job *job, const struct export_stream *streams, unsigned int nr,
		 int (*export)(struct job *job))
{
	int err = -ENOMEM, failed = 0;

	job->path = streams->in->path;
	job->coverage = coverage_new();
	if (!job->coverage)
		return error_tell_errno(job->e->errors, job->path, err);
	err = walk_all(job, streams, nr);
	if (!err || err == -EILSEQ)
		failed = job->no_memory || coverage_finish(job->coverage) ?
			 error_tell_errno(job->e->errors, job->path, -ENOMEM) : export(job);
	coverage_free(job->coverage);
	return failed ? failed : err;
}

/* ---- instructions ---- */

static int export_coverage(struct job *job)
{
	job->what = job->coverage;
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

static int export_sources(struct job *job)
{
	struct coverage_sources sources;
	int err = coverage_sources_find(&sources, job->coverage);

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

/* ---- functions ---- */

static int write_samples(struct job *job, const struct samples *samples)
{
	const struct export *e = job->e;
	const struct context *first = contexts_first(samples->functions);
	int err;

	if (!first && samples->elsewhere)
		return error_tell(e->errors, job->path, -ENOENT,
				  "no source file of its %zu functions is here, %s ...",
				  samples->elsewhere, samples->path ? samples->path : "");
	if (!first || !first->total)
		return error_tell(e->errors, job->path, -ENOENT,
				  "no function that was executed has lines of source (build with -g)");
	job->what = samples->functions;
	err = export_print(e, print, job);
	if (!err && samples->elsewhere)
		error_tell(e->errors, job->path, 0,
			   "%zu functions whose source files are not here are left out",
			   samples->elsewhere);
	return err;
}

static int export_samples(struct job *job)
{
	struct samples samples;
	int err;

	coverage_calls_finish(job->calls);
	err = samples_find(&samples, job->coverage, job->calls);
	err = err ? error_tell_errno(job->e->errors, job->path, err) : write_samples(job, &samples);
	samples_free(&samples);
	return err;
}

int covered_export_samples(const struct export *e, const struct export_stream *streams,
			   unsigned int nr, covered_fn write)
{
	struct job job = { .e = e, .write = write, .calls = coverage_calls_new() };
	int err = job.calls ? cover(&job, streams, nr, export_samples) :
			      error_tell_errno(e->errors, streams->in->path, -ENOMEM);

	coverage_calls_free(job.calls);
	return err;
}
