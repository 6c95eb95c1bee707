// SPDX-License-Identifier: BSD-2-Clause
#include "side.h"

#include <errno.h>
#include <string.h>

#include "base/tsc.h"

/* It was there when the thread came to it: at the last time known. */
int side_code(struct translation *t, struct member *m, const struct softpt_xl_escape *e,
	      const struct place *at)
{
	uint8_t bytes[SOFTPT_XL_BLOCK];
	const struct softpt_perf_code code = {
		.addr = e->from, .pid = m->pid, .len = e->steps, .bytes = bytes,
	};

	if (e->steps > sizeof(bytes) || e->first > SOFTPT_XL_CODE - sizeof(bytes) || !at->tid)
		return -EBADMSG;
	memcpy(bytes, (char *)xl_process(&t->all.share, m->area) + SOFTPT_XL_CODE_AT + e->first,
	       e->steps);
	return softpt_perf_writer_code(t->writer, &code, at->tid, record_time(t, at->tsc));
}

/* Mappings first: a file that ends here must hold those that its trace needs. */
void side_drain(struct translation *t)
{
	if (!t->all.err)
		t->all.err = sideband_drain(t->sideband, t->writer);
	if (!t->all.err)
		t->all.err = softpt_perf_writer_look(t->writer);
	t->drained = tsc_now();
}
