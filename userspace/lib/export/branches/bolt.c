// SPDX-License-Identifier: BSD-2-Clause
/*
 * Branches and what is executed between them, in the format that perf2bolt takes with -pa: all of
 * them, exactly, where perf has samples of LBR.
 */
#include <errno.h>
#include <inttypes.h>

#include "export/branches/branched.h"

static void put_end(const struct branched *b, uint32_t end, FILE *to)
{
	if (b->edges.end[end].file == b->of)
		fprintf(to, " %" PRIx64, b->edges.end[end].addr);
	else
		fputs(" X:0", to);
}

/* BOLT knows no code in stubs, and would find that what was executed there does not match. */
static int print(void *ctx, FILE *to)
{
	const struct branched *b = ctx;
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

static int write_bolt(const struct export *e, struct branched *b)
{
	int err = export_print(e, print, b);

	if (!err)
		error_tell(e->errors, b->recording, 0, "the profile is of %s (perf2bolt -pa -p FILE)",
			   b->edges.file[b->of].path);
	return err;
}

static int run_bolt(const struct export *e, const struct export_stream *streams, unsigned int nr)
{
	unsigned int i;

	for (i = 1; i < nr; i++)
		if (streams[i].in != streams->in)
			return error_tell(e->errors, streams[i].in->path, -EINVAL,
					  "a profile is of one recording (merge-fdata adds files)");
	return branched_export(e, streams, nr, write_bolt);
}

const struct exporter export_bolt = { "bolt", run_bolt };
