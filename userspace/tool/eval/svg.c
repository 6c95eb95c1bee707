// SPDX-License-Identifier: BSD-2-Clause
/* The page: panels with axes, and the file that they are in */
#include "svg.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../cli/tool.h"

#define PAGE_WIDTH	900
#define PANEL_HEIGHT	300
#define PANEL_STEP	400

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

/* The first that suppresses: the third panel shows a stretch of its */
static const struct eval_point *suppressing(const struct eval_point *points, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (points[i].cfg.suppress)
			return &points[i];
	return NULL;
}

static int page_height(const struct eval_point *one)
{
	return one ? 3 * PANEL_STEP : PANEL_STEP;
}

/* Return: 0 or -ENOMEM */
static int draw(FILE *to, const struct eval_point *points, size_t n,
		const struct eval_point *one)
{
	struct svg_panel p = {
		.to = to, .left = 90, .top = 50, .width = PAGE_WIDTH - 120,
		.height = PANEL_HEIGHT,
	};
	int err = 0;

	fprintf(to, "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif' font-size='12'>\n",
		PAGE_WIDTH, page_height(one));
	fprintf(to, "<rect width='100%%' height='100%%' fill='white'/>\n");
	eval_draw_front(&p, points, n);
	if (one) {
		p.top += PANEL_STEP;
		eval_draw_gaps(&p, points, n);
		p.top += PANEL_STEP;
		err = eval_draw_stretch(&p, one);
	}
	fprintf(to, "</svg>\n");
	return err;
}

static int put_svg(FILE *to, const char *path, const char *svg, size_t len, double width,
		   double height)
{
	(void)path, (void)width, (void)height;
	fwrite(svg, 1, len, to);
	return 0;
}

/* One page of text as a file. @put: with a message when it returns EXIT_REFUSED */
static int write_page(const char *path, const char *svg, size_t len, double height,
		      int (*put)(FILE *, const char *, const char *, size_t, double, double))
{
	FILE *to = path ? fopen(path, "we") : NULL;
	int status, failed;

	if (!path)
		return 0;
	if (!to)
		return refuse(path, "%s", strerror(errno));
	status = put(to, path, svg, len, PAGE_WIDTH, height);
	failed = ferror(to);
	if ((fclose(to) || failed) && !status)
		status = refuse(path, "%s", strerror(errno ? errno : EIO));
	return status;
}

int eval_draw(const struct eval_pictures *to, const struct eval_point *points, size_t n)
{
	const struct eval_point *one = suppressing(points, n);
	size_t len = 0;
	char *svg = NULL;
	FILE *page = open_memstream(&svg, &len);
	int err = page ? draw(page, points, n, one) : -errno, status;

	if (page && fclose(page) && !err)
		err = -ENOMEM;
	if (err)
		status = refuse(to->svg ? to->svg : to->png, "%s", strerror(-err));
	else
		status = write_page(to->svg, svg, len, page_height(one), put_svg) |
			 write_page(to->png, svg, len, page_height(one), eval_png);
	free(svg);
	return status;
}
