/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOFTPT_TOOL_PERFETTO_THREADS_H
#define SOFTPT_TOOL_PERFETTO_THREADS_H

#include "input.h"
#include "perfetto.h"

/* A track per thread with its calls, one per CPU with who ran. Return: exit status */
int perfetto_threads(struct perfetto *p, const struct input *in, const char *root);

#endif /* SOFTPT_TOOL_PERFETTO_THREADS_H */
