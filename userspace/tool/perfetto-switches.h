/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOFTPT_TOOL_PERFETTO_SWITCHES_H
#define SOFTPT_TOOL_PERFETTO_SWITCHES_H

#include "input.h"
#include "perfetto.h"

/* A track per CPU with who ran. Return: exit status */
int perfetto_switches(struct perfetto *p, const struct input *in);

#endif /* SOFTPT_TOOL_PERFETTO_SWITCHES_H */
