// SPDX-License-Identifier: BSD-2-Clause
/* Worst errors by how long nothing had happened: each decoder, on the same bytes */
#include <inttypes.h>

#include "../lib/values.h"
#include "eval.h"

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

double eval_periods(const struct eval_point *p, uint64_t ticks)
{
	return (double)ticks * p->cfg.tsc_eax / ((uint64_t)p->cfg.tsc_ebx << p->cfg.mtc_freq);
}

/* @dash: what suppression alone looks at, where it is off; NULL: as -c has it */
static void print_axes(FILE *to, const char *format, const struct softpt_config *cfg,
		       const char *dash)
{
	char suppress[SOFTPT_VALUE_MAX], resume[SOFTPT_VALUE_MAX], burst[SOFTPT_VALUE_MAX];

	softpt_print_suppress(cfg, suppress);
	softpt_print_resume(cfg, resume);
	softpt_print_burst(cfg, burst);
	if (cfg->suppress)
		dash = NULL;
	fprintf(to, format, !!(cfg->flags & SOFTPT_F_CYC), cfg->mtc_freq, suppress,
		dash ? dash : resume, dash ? dash : burst, cfg->preroll);
}

/* ---- the table: a line for each decoder ---- */

static void table_head(FILE *to)
{
	unsigned int i;

	fprintf(to, "%45s worst error in MTC periods, by the periods since the record before\n",
		"");
	fprintf(to, "%3s %4s %4s %-11s %5s %4s  %-9s", "cyc", "freq", "N", "resume", "burst",
		"pre", "decoder");
	for (i = 0; i < NR_COLUMNS; i++)
		fprintf(to, " %9s", columns[i].periods);
	fputc('\n', to);
}

static void table_row(FILE *to, const struct eval_point *p, const struct eval_decoder *d)
{
	const struct eval_error *e = eval_error_of(p, d);
	unsigned int i;

	print_axes(to, "%3d %4u %4s %-11s %5s %4u", &p->cfg, "-");
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

static void cells(FILE *to, const char *format, const char *cell_format,
		  const struct eval_point *p, const struct eval_decoder *d)
{
	unsigned int i;

	for (i = 0; i < NR_COLUMNS; i++) {
		struct cell cell = cell_of(eval_error_of(p, d), i);
		unsigned int class = columns[i].class;

		if (!cell.count)
			continue;
		print_axes(to, format, &p->cfg, NULL);
		fprintf(to, cell_format, d->name, class ? 1u << (class - 1) : 0, cell.count,
			cell.worst);
	}
}

static void csv_row(FILE *to, const struct eval_point *p, const struct eval_decoder *d)
{
	cells(to, "%d,%u,%s,%s,%s,%u", ",%s,%u,%" PRIu64 ",%" PRIu64 "\n", p, d);
}

static void json_row(FILE *to, const struct eval_point *p, const struct eval_decoder *d)
{
	cells(to, "{\"cyc\":%d,\"mtc_freq\":%u,\"suppress\":\"%s\",\"resume\":\"%s\",\"burst\":\"%s\",\"preroll\":%u",
	      ",\"decoder\":\"%s\",\"periods\":%u,\"records\":%" PRIu64 ",\"error_max\":%" PRIu64 "}\n",
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
		table_head(to);
	if (format == EVAL_CSV)
		fprintf(to, "cyc,mtc_freq,suppress,resume,burst,preroll,decoder,periods,records,error_max\n");
	for (i = 0; i < n; i++)
		for (d = 0; d < EVAL_DECODERS; d++)
			if (eval_error_of(&points[i], &eval_decoders[d])->all.n)
				row[format](to, &points[i], &eval_decoders[d]);
}
