// SPDX-License-Identifier: BSD-2-Clause
#include "export/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "flow/path.h"

static bool take_row(void *context, const struct softpt_flow_row *row)
{
	return report_take(context, row);
}

/* Return: 0, -EILSEQ with a report of what could be followed, or -errno */
static int walk(const struct export *e, const struct input *in, struct report *report)
{
	struct flow_path path = {
		.in = in, .root = e->root, .wanted = REPORT_ROWS, .row = take_row,
		.context = report, .errors = e->errors,
	};
	int err = flow_path_walk(&path);

	if ((!err || err == -EILSEQ) && report_finish(report))
		return error_tell_errno(e->errors, in->path, -ENOMEM);
	return err;
}

/* A profile, and who writes it */
struct job {
	struct profile profile;
	profile_fn write;
};

static int print(void *ctx, FILE *to)
{
	struct job *job = ctx;

	job->profile.to = to;
	return job->write(&job->profile);
}

static int export_part(const struct export *e, const struct input *part, enum report_links links,
		       profile_fn write)
{
	struct job job = { .write = write, .profile.path = part->path };
	struct profile *p = &job.profile;
	int err = -ENOMEM, failed;

	p->report = report_new(REPORT_BY_FUNCTION, links, 0);
	if (!p->report)
		return error_tell_errno(e->errors, part->path, err);
	err = walk(e, part, p->report);
	if (!err || err == -EILSEQ) {
		p->stack = calloc(report_links(p->report) + 1, sizeof(*p->stack));
		failed = p->stack ? export_print(e, print, &job) :
				    error_tell_errno(e->errors, part->path, -ENOMEM);
		err = failed ? failed : err;
	}
	free(p->stack);
	report_free(p->report);
	return err;
}

int profile_export(const struct export *e, const struct export_stream *streams, unsigned int nr,
		   enum report_links links, profile_fn write)
{
	struct input part;
	int err = export_recording(e, streams, nr, &part);

	if (err)
		return err;
	err = export_part(e, &part, links, write);
	free(part.streams);
	return err;
}

size_t profile_stack(const struct profile *p, size_t node)
{
	const struct report_link *link = report_link(p->report, node);
	size_t n = 1, i;
	uint32_t other;

	p->stack[0] = node;
	for (; link->from != REPORT_ROOT; link = report_link(p->report, link->from))
		p->stack[n++] = link->from;
	for (i = 0; i < n / 2; i++) {
		other = p->stack[i];
		p->stack[i] = p->stack[n - 1 - i];
		p->stack[n - 1 - i] = other;
	}
	return n;
}

const char *profile_name(const struct profile *p, size_t group, char *buf)
{
	return report_function_name(report_group(p->report, group), buf);
}
