/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt report: a report as text */
#ifndef SOFTPT_TOOL_REPORT_TEXT_H
#define SOFTPT_TOOL_REPORT_TEXT_H

#include "view.h"

/* Return: 0 or -ENOMEM */
int text_print(const struct view *v);

#endif /* SOFTPT_TOOL_REPORT_TEXT_H */
