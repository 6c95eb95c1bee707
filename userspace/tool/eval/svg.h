/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures of softpt eval: a page of panels, each with two axes */
#ifndef SOFTPT_TOOL_EVAL_SVG_H
#define SOFTPT_TOOL_EVAL_SVG_H

#include <stdbool.h>
#include <stdio.h>

#include "types.h"

#define SVG_OURS	(eval_decoders[0].colour)
#define SVG_GREY	"#888888"

struct svg_axis {
	const char *name;
	double min, max;
	bool log;		/* by powers of ten; what is below min is drawn at min */
};

/* A rectangle of the page, in pixels, and what it shows */
struct svg_panel {
	FILE *to;
	double left, top, width, height;
	struct svg_axis x, y;
};

double svg_x(const struct svg_panel *p, double v);
double svg_y(const struct svg_panel *p, double v);

/* The frame, the title, and the axes with their scales */
void svg_panel(const struct svg_panel *p, const char *title);
/* One entry of the legend, @row lines below the panel's upper right corner */
void svg_legend(const struct svg_panel *p, unsigned int row, const char *colour, bool dashed,
		const char *text);
void svg_line(const struct svg_panel *p, double x1, double y1, double x2, double y2,
	      const char *colour, bool dashed);

#endif /* SOFTPT_TOOL_EVAL_SVG_H */
