// SPDX-License-Identifier: BSD-2-Clause
/*
 * A profile for www.speedscope.app (https://www.speedscope.app/file-format-schema.json): each
 * function is a frame, each path of calls a sample that weighs as many instructions as the last
 * function executed itself.
 */
#include <inttypes.h>

#include "base/quote.h"
#include "export/profile.h"

static void put_frames(const struct profile *p)
{
	char name[REPORT_NAME_MAX];
	size_t i;

	for (i = 0; i < report_groups(p->report); i++) {
		const struct report_group *g = report_group(p->report, i);

		fputs(i ? ",\n{\"name\":" : "\n{\"name\":", p->to);
		print_json_string(p->to, profile_name(p, i, name));
		if (g->module) {
			fputs(",\"file\":", p->to);
			print_json_string(p->to, g->module);
		}
		putc('}', p->to);
	}
}

static void put_samples(const struct profile *p)
{
	const char *between = "\n";
	size_t i, k, n;

	for (i = 0; i < report_links(p->report); i++) {
		if (!report_link(p->report, i)->self)
			continue;
		n = profile_stack(p, i);
		fputs(between, p->to);
		for (k = 0; k < n; k++)
			fprintf(p->to, "%c%" PRIu32, k ? ',' : '[',
				report_link(p->report, p->stack[k])->group);
		putc(']', p->to);
		between = ",\n";
	}
}

/* Return: their sum */
static uint64_t put_weights(const struct profile *p)
{
	const char *between = "\n";
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < report_links(p->report); i++) {
		const uint64_t self = report_link(p->report, i)->self;

		if (!self)
			continue;
		fprintf(p->to, "%s%" PRIu64, between, self);
		between = ",\n";
		sum += self;
	}
	return sum;
}

static int write_speedscope(const struct profile *p)
{
	uint64_t sum;

	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
	      "\"exporter\":\"softpt\",\"name\":", p->to);
	print_json_string(p->to, p->path);
	fputs(",\n\"shared\":{\"frames\":[", p->to);
	put_frames(p);
	fputs("]},\n\"profiles\":[{\"type\":\"sampled\",\"name\":\"instructions\",\n"
	      "\"unit\":\"none\",\"startValue\":0,\n\"samples\":[", p->to);
	put_samples(p);
	fputs("],\n\"weights\":[", p->to);
	sum = put_weights(p);
	fprintf(p->to, "],\n\"endValue\":%" PRIu64 "}]}\n", sum);
	return 0;
}

static int run_speedscope(const struct export *e, const struct export_stream *streams,
			  unsigned int nr)
{
	return profile_export(e, streams, nr, REPORT_TREE, write_speedscope);
}

const struct exporter export_speedscope = { "speedscope", run_speedscope };
