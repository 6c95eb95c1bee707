/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SOFTPT_EXPORT_THREADS_H
#define SOFTPT_EXPORT_THREADS_H

#include "input/input.h"
#include "export/perfetto.h"

/**
 * perfetto_threads() - write what threads did
 * @p: where to: a track per thread with its calls, one per CPU with who ran; of a trace by thread,
 * one beneath each thread with when it was recorded
 * @in: the recording
 * @root: put before the names of mapped files
 * @track: of the thread of each stream of @in; left as it is where there is none
 * @errors: is told
 *
 * Return: 0 or -errno.
 */
int perfetto_threads(struct perfetto *p, const struct input *in, const char *root, uint64_t *track,
		     const struct error_sink *errors);

#endif /* SOFTPT_EXPORT_THREADS_H */
