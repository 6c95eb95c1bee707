// SPDX-License-Identifier: BSD-2-Clause
/* What came of each configuration: a table to read, csv and json to work with */
#include <inttypes.h>

#include "types.h"

/* ---- table ---- */

static void table_head(FILE *to, const struct eval_point *first, bool perf)
{
	const char *spread = "worst     mean   99.9%";

	fprintf(to, "%*s %16s   %-25s %-25s %s%s\n", first->clock_permille < 0 ? 36 : 43, "",
		"bytes per event",
		"   error, in TSC ticks", "   width of the bounds", "   libipt's error",
		perf ? "               perf's error" : "");
	eval_axes_head(to, EVAL_TABLE, first);
	fprintf(to, " %8s %7s", "all", "MTC");
	fprintf(to, " %25s %25s %25s", spread, spread, spread);
	if (perf)
		fprintf(to, " %25s", spread);
	fprintf(to, "  bounds\n");
}

static void table_spread(FILE *to, const struct eval_spread *s)
{
	if (s->n)
		fprintf(to, " %8" PRIu64 " %8.1f %7" PRIu64, s->max, s->mean, s->p999);
	else
		fprintf(to, " %8s %8s %7s", "-", "-", "-");
}

static void table_row(FILE *to, const struct eval_point *p, bool perf)
{
	eval_axes(to, EVAL_TABLE, p);
	fprintf(to, " %8.3f %7.3f", eval_bytes_per_event(p), 2.0 * p->mtc / p->events->n);
	table_spread(to, &p->ours.all);
	table_spread(to, &p->width);
	table_spread(to, &p->ipt.all);
	if (perf)
		table_spread(to, &p->perf.all);
	if (p->outside)
		fprintf(to, "  %" PRIu64 " WRONG\n", p->outside);
	else if (p->unbounded)
		fprintf(to, "  held, %" PRIu64 " open\n", p->unbounded);
	else
		fprintf(to, "  held\n");
}

/* ---- csv and json: the same keys ---- */

static void csv_head(FILE *to, const struct eval_point *first)
{
	static const char *const columns[] = {
		"events", "records", "bytes", "mtc", "mtc_bytes", "mtc_suppressed",
		"error_max", "error_mean", "error_p999", "width_max", "width_mean", "width_p999",
		"unbounded", "outside",
		"libipt_records", "libipt_error_max", "libipt_error_mean", "libipt_error_p999",
		"error_p50",
		"perf_records", "perf_error_max", "perf_error_mean", "perf_error_p999",
	};
	size_t i;

	eval_axes_head(to, EVAL_CSV, first);
	for (i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		fprintf(to, ",%s", columns[i]);
	eval_axes_head_end(to, EVAL_CSV);
}

static void csv_spread(FILE *to, const struct eval_spread *s)
{
	if (s->n)
		fprintf(to, ",%" PRIu64 ",%.3f,%" PRIu64, s->max, s->mean, s->p999);
	else
		fprintf(to, ",,,");
}

static void csv_row(FILE *to, const struct eval_point *p, bool perf)
{
	eval_axes(to, EVAL_CSV, p);
	fprintf(to, ",%zu,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
		p->events->n, p->records, p->bytes, p->mtc, 2 * p->mtc, p->mtc_suppressed);
	csv_spread(to, &p->ours.all);
	csv_spread(to, &p->width);
	fprintf(to, ",%" PRIu64 ",%" PRIu64 ",%zu", p->unbounded, p->outside, p->ipt.all.n);
	csv_spread(to, &p->ipt.all);
	if (p->ours.all.n)
		fprintf(to, ",%" PRIu64 ",", p->ours.all.p50);
	else
		fprintf(to, ",,");
	if (perf)
		fprintf(to, "%zu", p->perf.all.n);
	csv_spread(to, &p->perf.all);
	eval_axes_end(to, EVAL_CSV, p);
}

static void json_spread(FILE *to, const char *name, const struct eval_spread *s)
{
	if (s->n)
		fprintf(to, ",\"%s_max\":%" PRIu64 ",\"%s_mean\":%.3f,\"%s_p999\":%" PRIu64, name,
			s->max, name, s->mean, name, s->p999);
	else
		fprintf(to, ",\"%s_max\":null,\"%s_mean\":null,\"%s_p999\":null", name, name, name);
}

static void json_row(FILE *to, const struct eval_point *p, bool perf)
{
	eval_axes(to, EVAL_JSON, p);
	fprintf(to, ",\"events\":%zu,\"records\":%" PRIu64 ",\"bytes\":%" PRIu64,
		p->events->n, p->records, p->bytes);
	fprintf(to, ",\"mtc\":%" PRIu64 ",\"mtc_bytes\":%" PRIu64 ",\"mtc_suppressed\":%" PRIu64,
		p->mtc, 2 * p->mtc, p->mtc_suppressed);
	json_spread(to, "error", &p->ours.all);
	json_spread(to, "width", &p->width);
	fprintf(to, ",\"unbounded\":%" PRIu64 ",\"outside\":%" PRIu64 ",\"libipt_records\":%zu",
		p->unbounded, p->outside, p->ipt.all.n);
	json_spread(to, "libipt_error", &p->ipt.all);
	if (p->ours.all.n)
		fprintf(to, ",\"error_p50\":%" PRIu64, p->ours.all.p50);
	else
		fprintf(to, ",\"error_p50\":null");
	if (perf)
		fprintf(to, ",\"perf_records\":%zu", p->perf.all.n);
	else
		fprintf(to, ",\"perf_records\":null");
	json_spread(to, "perf_error", &p->perf.all);
	eval_axes_end(to, EVAL_JSON, p);
}

void eval_print(FILE *to, enum eval_format format, const struct eval_point *points, size_t n,
		bool perf)
{
	static void (*const row[])(FILE *, const struct eval_point *, bool) = {
		[EVAL_TABLE] = table_row, [EVAL_CSV] = csv_row, [EVAL_JSON] = json_row,
	};
	size_t i;

	if (format == EVAL_TABLE)
		table_head(to, points, perf);
	if (format == EVAL_CSV)
		csv_head(to, points);
	for (i = 0; i < n; i++)
		row[format](to, &points[i], perf);
}
