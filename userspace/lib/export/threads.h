/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOFTPT_EXPORT_THREADS_H
#define SOFTPT_EXPORT_THREADS_H

#include "input/input.h"
#include "export/perfetto.h"

/* A track per thread with its calls, one per CPU with who ran. Return: exit status */
int perfetto_threads(struct perfetto *p, const struct input *in, const char *root);

#endif /* SOFTPT_EXPORT_THREADS_H */
