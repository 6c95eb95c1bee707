// SPDX-License-Identifier: BSD-2-Clause
/* Which configuration is worth its bytes, and what a silence before an event costs */
#include <math.h>
#include <stdlib.h>

#include "config/values.h"
#include "panels.h"

#define ERROR_LEAST	0.01	/* of the scale; an error of 0 is drawn there */

/* A decade that holds @v: up, or down */
static double decade(double v, bool up)
{
	double power = log10(v > ERROR_LEAST ? v : ERROR_LEAST);

	return pow(10, up ? floor(power) + 1 : floor(power));
}

static void scale_front(struct svg_panel *panel, const struct eval_point *points, size_t n)
{
	double least = INFINITY, most = 0, error = 1;
	unsigned int d;
	size_t i;

	for (i = 0; i < n; i++) {
		least = fmin(least, eval_bytes_per_event(&points[i]));
		most = fmax(most, eval_bytes_per_event(&points[i]));
		for (d = 0; d < EVAL_DECODERS; d++)
			error = fmax(error, eval_error_of(&points[i], &eval_decoders[d])->all.mean);
	}
	panel->x = (struct svg_axis){ "bytes per event", decade(least, false), decade(most, true),
				      true };
	panel->y = (struct svg_axis){ "mean error, TSC ticks", ERROR_LEAST, decade(error, true),
				      true };
}

static void dot(const struct svg_panel *panel, const struct eval_point *p, double error,
		const char *colour)
{
	char resume[SOFTPT_VALUE_MAX], burst[SOFTPT_VALUE_MAX], suppress[SOFTPT_VALUE_MAX];

	softpt_print_suppress(&p->cfg, suppress);
	softpt_print_resume(&p->cfg, resume);
	softpt_print_burst(&p->cfg, burst);
	fprintf(panel->to, "<circle cx='%.1f' cy='%.1f' r='4' fill='%s' fill-opacity='0.6'><title>",
		svg_x(panel, eval_bytes_per_event(p)), svg_y(panel, error), colour);
	fprintf(panel->to, "cyc=%d,mtc_freq=%u,suppress=%s,resume=%s,burst=%s,preroll=%u",
		!!(p->cfg.flags & SOFTPT_F_CYC), p->cfg.mtc_freq, suppress, resume, burst,
		p->cfg.preroll);
	if (p->clock_permille >= 0)
		fprintf(panel->to, ",clock_permille=%d", p->clock_permille);
	fprintf(panel->to, "</title></circle>\n");
}

static int by_bytes(const void *a, const void *b)
{
	const struct eval_point *const *x = a, *const *y = b;

	if ((*x)->bytes != (*y)->bytes)
		return (*x)->bytes < (*y)->bytes ? -1 : 1;
	return ((*x)->ours.all.mean > (*y)->ours.all.mean) -
	       ((*x)->ours.all.mean < (*y)->ours.all.mean);
}

/* Those that no other beats in both, joined */
static void draw_best(const struct svg_panel *panel, const struct eval_point *points, size_t n)
{
	const struct eval_point **sorted = calloc(n, sizeof(*sorted)), *best;
	size_t i;

	if (!sorted)
		return;		/* the dots alone are a picture, too */
	for (i = 0; i < n; i++)
		sorted[i] = &points[i];
	qsort(sorted, n, sizeof(*sorted), by_bytes);
	for (best = sorted[0], i = 1; i < n; i++) {
		if (sorted[i]->ours.all.mean >= best->ours.all.mean)
			continue;
		svg_line(panel, eval_bytes_per_event(best), best->ours.all.mean,
			 eval_bytes_per_event(sorted[i]), sorted[i]->ours.all.mean, SVG_OURS,
			 false);
		best = sorted[i];
	}
	free(sorted);
}

/* Return: whether it told anything */
static bool draw_dots(const struct svg_panel *panel, const struct eval_point *points, size_t n,
		      const struct eval_decoder *d)
{
	bool any = false;
	size_t i;

	for (i = 0; i < n; i++) {
		const struct eval_spread *all = &eval_error_of(&points[i], d)->all;

		if (all->n)
			dot(panel, &points[i], all->mean, d->colour);
		any |= all->n;
	}
	return any;
}

void eval_draw_front(struct svg_panel *panel, const struct eval_point *points, size_t n)
{
	unsigned int d, row = 1;

	scale_front(panel, points, n);
	svg_panel(panel, "What bytes buy: a dot for each configuration");
	draw_dots(panel, points, n, &eval_decoders[0]);
	draw_best(panel, points, n);
	svg_legend(panel, 0, SVG_OURS, false, "libsoftpt, and its Pareto front");
	for (d = 1; d < EVAL_DECODERS; d++)
		if (draw_dots(panel, points, n, &eval_decoders[d]))
			svg_legend(panel, row++, eval_decoders[d].colour, false,
				   eval_decoders[d].name);
}

/* ---- error by silence ---- */

/* The worst of all that suppress, -1 where there is no event. Return: whether any does */
static bool worst_of(const struct eval_point *points, size_t n, bool cyc,
		     const struct eval_decoder *d, double *worst)
{
	bool any = false;
	unsigned int k;
	size_t i;

	for (k = 0; k < EVAL_SILENCES; k++)
		worst[k] = -1;
	for (i = 0; i < n; i++) {
		const struct eval_point *p = &points[i];
		const struct eval_error *e = eval_error_of(p, d);

		if (!p->cfg.suppress || cyc != !!(p->cfg.flags & SOFTPT_F_CYC) || !e->all.n)
			continue;
		any = true;
		for (k = 0; k < EVAL_SILENCES; k++)
			if (e->count[k])
				worst[k] = fmax(worst[k], eval_periods(p, e->worst[k]));
	}
	return any;
}

/* Class k is from 2^(k-1) periods to twice as many: a step each, joined */
static void draw_worst(const struct svg_panel *panel, const double *worst, const char *colour,
		       bool dashed)
{
	double x = 0, y = 0;
	unsigned int k;

	for (k = 0; k < EVAL_SILENCES; k++) {
		double from = k ? ldexp(1, k - 1) : 0.5;

		if (worst[k] < 0)
			continue;
		if (x > 0)
			svg_line(panel, x, y, from, worst[k], colour, dashed);
		x = 2 * from;
		y = worst[k];
		svg_line(panel, from, y, x, y, colour, dashed);
	}
}

/* All decoders, without CYC or with it. Return: the next row of the legend */
static unsigned int draw_lines(const struct svg_panel *panel, const struct eval_point *points,
			       size_t n, bool cyc, unsigned int row)
{
	double worst[EVAL_SILENCES];
	char text[40];
	unsigned int i;

	for (i = 0; i < EVAL_DECODERS; i++) {
		const struct eval_decoder *d = &eval_decoders[i];

		if (!worst_of(points, n, cyc, d, worst))
			continue;
		draw_worst(panel, worst, d->colour, cyc);
		snprintf(text, sizeof(text), "%s%s", d->name, cyc ? ", cyc=1" : "");
		svg_legend(panel, row++, d->colour, cyc, text);
	}
	return row;
}

void eval_draw_gaps(struct svg_panel *panel, const struct eval_point *points, size_t n)
{
	double most = 1e4;
	unsigned int d;
	size_t i;

	for (i = 0; i < n; i++)
		for (d = 0; d < EVAL_DECODERS; d++) {
			const struct eval_error *e = eval_error_of(&points[i], &eval_decoders[d]);

			most = fmax(most, eval_periods(&points[i], e->all.max));
		}
	panel->x = (struct svg_axis){ "MTC periods since the event before", 0.1, 1e5, true };
	panel->y = (struct svg_axis){ "worst error, MTC periods", 1e-3, decade(most, true),
				      true };
	svg_panel(panel, "An event behind a silence: the worst of all that suppress");
	svg_line(panel, 0.1, 1, 1e5, 1, SVG_GREY, true);
	draw_lines(panel, points, n, true, draw_lines(panel, points, n, false, 0));
}
