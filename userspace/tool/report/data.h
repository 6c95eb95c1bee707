/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt report: a report as csv or json, with the same keys */
#ifndef SOFTPT_TOOL_REPORT_DATA_H
#define SOFTPT_TOOL_REPORT_DATA_H

#include "view.h"

/* Return: 0 or -ENOMEM */
int data_print(const struct view *v);

#endif /* SOFTPT_TOOL_REPORT_DATA_H */
