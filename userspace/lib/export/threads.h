/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOFTPT_EXPORT_THREADS_H
#define SOFTPT_EXPORT_THREADS_H

#include "input/input.h"
#include "export/perfetto.h"

/*
 * A track per thread with its calls, one per CPU with who ran. @errors is told.
 * Return: 0 or -errno
 */
int perfetto_threads(struct perfetto *p, const struct input *in, const char *root,
		     const struct error_sink *errors);

#endif /* SOFTPT_EXPORT_THREADS_H */
