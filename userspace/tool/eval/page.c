// SPDX-License-Identifier: BSD-2-Clause
/* A page of pictures: what stands on it, and the files that it is written to */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../cli/tool.h"
#include "panels.h"
#include "png.h"
#include "svg.h"
#include "types.h"

#define PAGE_WIDTH	900
#define PANEL_HEIGHT	300
#define PANEL_STEP	400
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
