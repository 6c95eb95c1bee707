// SPDX-License-Identifier: BSD-2-Clause
/*
 * Folded stacks, for flame graphs (flamegraph.pl, inferno): a line for each path of calls, the
 * functions with ';' between them, and how many instructions the last executed itself.
 */
#include <inttypes.h>
#include <string.h>

#include "base/quote.h"
#include "export/profile.h"

/* What stands between functions and lines does not stand in names. */
static void put_name(const struct profile *p, size_t group)
{
	char name[REPORT_NAME_MAX], *at;

	profile_name(p, group, name);
	for (at = name; (at = strchr(at, ';')); at++)
		*at = ':';
	print_plain(p->to, name, sizeof(name));
}

static int write_folded(const struct profile *p)
{
	size_t i, k, n;

	for (i = 0; i < report_links(p->report); i++) {
		const struct report_link *link = report_link(p->report, i);

		if (!link->self)
			continue;
		n = profile_stack(p, i);
		for (k = 0; k < n; k++) {
			if (k)
				putc(';', p->to);
			put_name(p, report_link(p->report, p->stack[k])->group);
		}
		fprintf(p->to, " %" PRIu64 "\n", link->self);
	}
	return 0;
}

static int run_folded(const struct export *e, const struct export_stream *streams, unsigned int nr)
{
	return profile_export(e, streams, nr, REPORT_TREE, write_folded);
}

const struct exporter export_folded = { "folded", run_folded };
