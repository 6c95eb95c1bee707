/* SPDX-License-Identifier: BSD-2-Clause */
/* A trace becomes events again, which the engine turns into the same trace */
#ifndef SOFTPT_EXPORT_REBUILD_H
#define SOFTPT_EXPORT_REBUILD_H

#include "base/error.h"
#include "events/text.h"
#include "input/input.h"
#include "truth/file.h"

/**
 * rebuild() - the events behind the records of a stream
 * @list: all zero; event_list_free() it in any case. It has no lines
 * @in: the trace
 * @stream: one of its streams
 * @cfg: what it was made with; NULL: it says so itself
 * @truth: when they happened; NULL: when the library thinks that they did
 * @error: filled in
 *
 * What a trace does not say is lost: direct branches, the addresses of conditional branches,
 * changes of the clock that were not announced. Returns that were compressed stay one bit, as
 * conditional branches.
 *
 * Return: 0; -EILSEQ: bytes that are no packets; -EINVAL: the truth is not this trace's;
 * -ENODATA: no event; -ENOMEM.
 */
int rebuild(struct event_list *list, const struct input *in, const struct input_stream *stream,
	    const struct softpt_config *cfg, const struct truth_rows *truth, struct error *error);

#endif /* SOFTPT_EXPORT_REBUILD_H */
