/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt report: what a group is called */
#ifndef SOFTPT_TOOL_REPORT_LABEL_H
#define SOFTPT_TOOL_REPORT_LABEL_H

#include <stddef.h>

#include "view.h"

#define LABEL_MAX	REPORT_NAME_MAX

/* Return: @buf, of LABEL_MAX bytes */
const char *label_of(const struct view *v, const struct report_group *g, char *buf);

#endif /* SOFTPT_TOOL_REPORT_LABEL_H */
