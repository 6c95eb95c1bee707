// SPDX-License-Identifier: BSD-2-Clause
/* A panel of a page: a frame with two axes */
#include "svg.h"

#include <math.h>

/* 0 to 1 along an axis */
static double along(const struct svg_axis *a, double v)
{
	double part;

	if (a->log)
		part = v <= a->min ? 0 : log10(v / a->min) / log10(a->max / a->min);
	else
		part = (v - a->min) / (a->max - a->min);
	return part < 0 ? 0 : part > 1 ? 1 : part;
}

double svg_x(const struct svg_panel *p, double v)
{
	return p->left + p->width * along(&p->x, v);
}

double svg_y(const struct svg_panel *p, double v)
{
	return p->top + p->height * (1 - along(&p->y, v));
}

void svg_line(const struct svg_panel *p, double x1, double y1, double x2, double y2,
	      const char *colour, bool dashed)
{
	fprintf(p->to, "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='%s'%s/>\n",
		svg_x(p, x1), svg_y(p, y1), svg_x(p, x2), svg_y(p, y2), colour,
		dashed ? " stroke-dasharray='5 4'" : "");
}

void svg_legend(const struct svg_panel *p, unsigned int row, const char *colour, bool dashed,
		const char *text)
{
	const double x = p->left + p->width - 250, y = p->top + 18 + 18 * row;

	fprintf(p->to, "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='%s' stroke-width='3'%s/>\n",
		x, y - 4, x + 26, y - 4, colour, dashed ? " stroke-dasharray='5 4'" : "");
	fprintf(p->to, "<text x='%.1f' y='%.1f'>%s</text>\n", x + 34, y, text);
}

static void scale_mark(const struct svg_panel *p, bool vertical, double v)
{
	if (vertical)
		fprintf(p->to, "<text x='%.1f' y='%.1f' text-anchor='end'>%g</text>\n",
			p->left - 6, svg_y(p, v) + 4, v);
	else
		fprintf(p->to, "<text x='%.1f' y='%.1f' text-anchor='middle'>%g</text>\n",
			svg_x(p, v), p->top + p->height + 18, v);
	if (vertical)
		svg_line(p, p->x.min, v, p->x.max, v, "#dddddd", false);
	else
		svg_line(p, v, p->y.min, v, p->y.max, "#dddddd", false);
}

/* Each power of ten, or quarters */
static void scale(const struct svg_panel *p, bool vertical)
{
	const struct svg_axis *a = vertical ? &p->y : &p->x;
	double v;

	if (a->log)
		for (v = a->min; v <= a->max * 1.001; v *= 10)
			scale_mark(p, vertical, v);
	else
		for (v = 0; v <= 4; v++)
			scale_mark(p, vertical, a->min + (a->max - a->min) * v / 4);
}

void svg_panel(const struct svg_panel *p, const char *title)
{
	const double middle = p->top + p->height / 2;

	fprintf(p->to, "<text x='%.1f' y='%.1f' font-size='16'>%s</text>\n", p->left,
		p->top - 14, title);
	if (p->x.name)
		scale(p, false);
	if (p->y.name)
		scale(p, true);
	fprintf(p->to, "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' fill='none' stroke='black'/>\n",
		p->left, p->top, p->width, p->height);
	if (p->x.name)
		fprintf(p->to, "<text x='%.1f' y='%.1f' text-anchor='middle'>%s</text>\n",
			p->left + p->width / 2, p->top + p->height + 38, p->x.name);
	if (p->y.name)
		fprintf(p->to, "<text transform='translate(%.1f %.1f) rotate(-90)' text-anchor='middle'>%s</text>\n",
			p->left - 62, middle, p->y.name);
}
