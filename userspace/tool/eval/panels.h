/* SPDX-License-Identifier: BSD-2-Clause */
/* The three panels of a page */
#ifndef SOFTPT_TOOL_EVAL_PANELS_H
#define SOFTPT_TOOL_EVAL_PANELS_H

#include "svg.h"
#include "types.h"

/* front.c */
void eval_draw_front(struct svg_panel *p, const struct eval_point *points, size_t n);
void eval_draw_gaps(struct svg_panel *p, const struct eval_point *points, size_t n);

/* stretch.c: needs the events of the point. Return: 0 or -ENOMEM */
int eval_draw_stretch(struct svg_panel *p, const struct eval_point *point);

#endif /* SOFTPT_TOOL_EVAL_PANELS_H */
