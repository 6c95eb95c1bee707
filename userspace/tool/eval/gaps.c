// SPDX-License-Identifier: BSD-2-Clause
/* Worst errors by how long nothing had happened: each decoder, on the same bytes */
#include <inttypes.h>

#include "types.h"

const struct eval_decoder eval_decoders[EVAL_DECODERS] = {
	{ "libsoftpt", "#0072b2", offsetof(struct eval_point, ours) },
	{ "libipt", "#d55e00", offsetof(struct eval_point, ipt) },
	{ "perf", "#009e73", offsetof(struct eval_point, perf) },
};

/* Classes of EVAL_SILENCES that are a column: from the first, to before that of the next */
static const struct {
	const char *periods;
	unsigned int class;
} columns[] = {
	{ "<1", 0 }, { "1", 1 }, { "2-15", 2 }, { "16-63", 5 }, { "64-255", 7 },
	{ "256-1023", 9 }, { ">=1024", 11 }, { NULL, EVAL_SILENCES }
};

#define NR_COLUMNS (sizeof(columns) / sizeof(columns[0]) - 1)

struct cell {
	uint64_t worst;
	uint64_t count;
};

static struct cell cell_of(const struct eval_error *e, unsigned int column)
{
	struct cell cell = { 0 };
	unsigned int k;

	for (k = columns[column].class; k < columns[column + 1].class; k++) {
		cell.count += e->count[k];
		if (cell.worst < e->worst[k])
			cell.worst = e->worst[k];
	}
	return cell;
}

/* ---- the table: a line for each decoder ---- */

static void table_head(FILE *to, const struct eval_point *first)
{
	unsigned int i;

	fprintf(to, "%45s worst error in MTC periods, by the periods since the record before\n",
		"");
	eval_axes_head(to, EVAL_TABLE, first);
	fprintf(to, "  %-9s", "decoder");
	for (i = 0; i < NR_COLUMNS; i++)
		fprintf(to, " %9s", columns[i].periods);
	fputc('\n', to);
}

static void table_row(FILE *to, const struct eval_point *p, const struct eval_decoder *d)
{
	const struct eval_error *e = eval_error_of(p, d);
	unsigned int i;

	eval_axes(to, EVAL_TABLE, p);
	fprintf(to, "  %-9s", d->name);
	for (i = 0; i < NR_COLUMNS; i++) {
		struct cell cell = cell_of(e, i);

		if (cell.count)
			fprintf(to, " %9.3f", eval_periods(p, cell.worst));
		else
			fprintf(to, " %9s", "-");
	}
	fputc('\n', to);
}

/* ---- csv and json: a line for each cell that has a record ---- */

static void cells(FILE *to, enum eval_format format, const char *cell_format,
		  const struct eval_point *p, const struct eval_decoder *d)
{
	unsigned int i;

	for (i = 0; i < NR_COLUMNS; i++) {
		struct cell cell = cell_of(eval_error_of(p, d), i);
		unsigned int class = columns[i].class;

		if (!cell.count)
			continue;
		eval_axes(to, format, p);
		fprintf(to, cell_format, d->name, class ? 1u << (class - 1) : 0, cell.count,
			cell.worst);
		eval_axes_end(to, format, p);
	}
}

static void csv_row(FILE *to, const struct eval_point *p, const struct eval_decoder *d)
{
	cells(to, EVAL_CSV, ",%s,%u,%" PRIu64 ",%" PRIu64, p, d);
}

static void json_row(FILE *to, const struct eval_point *p, const struct eval_decoder *d)
{
	cells(to, EVAL_JSON,
	      ",\"decoder\":\"%s\",\"periods\":%u,\"records\":%" PRIu64 ",\"error_max\":%" PRIu64,
	      p, d);
}

void eval_print_gaps(FILE *to, enum eval_format format, const struct eval_point *points, size_t n)
{
	static void (*const row[])(FILE *, const struct eval_point *,
				   const struct eval_decoder *) = {
		[EVAL_TABLE] = table_row, [EVAL_CSV] = csv_row, [EVAL_JSON] = json_row,
	};
	unsigned int d;
	size_t i;

	if (format == EVAL_TABLE)
		table_head(to, points);
	if (format == EVAL_CSV) {
		eval_axes_head(to, format, points);
		fprintf(to, ",decoder,periods,records,error_max");
		eval_axes_head_end(to, format);
	}
	for (i = 0; i < n; i++)
		for (d = 0; d < EVAL_DECODERS; d++)
			if (eval_error_of(&points[i], &eval_decoders[d])->all.n)
				row[format](to, &points[i], &eval_decoders[d]);
}
