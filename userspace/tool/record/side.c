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

/* The words of a slot, which its process may write to at any time */
static const struct softpt_xl_words *words_of(const struct translation *t, const struct member *m,
					      const struct slot *s)
{
	uint32_t i = 0;

	while (i < SOFTPT_XL_THREADS - 1 && m->slots[i] != s)
		i++;
	return (const void *)((char *)xl_process(&t->all.share, m->area) + softpt_xl_words_at(i));
}

int side_crash(struct translation *t, const struct member *m, const struct slot *s,
	       const struct softpt_xl_escape *e, uint64_t tsc)
{
	const struct softpt_xl_crash told = words_of(t, m, s)->crash;
	struct softpt_perf_crash crash = {
		.pid = m->pid, .tid = s->unit.tid, .time = record_time(t, tsc),
		.signo = told.signo, .code = told.code, .addr = told.addr,
		.trap = told.trap, .err = told.err, .rip = told.rip, .rflags = told.rflags,
	};

	_Static_assert(sizeof(crash.reg) == sizeof(told.reg), "the same registers");
	memcpy(crash.reg, told.reg, sizeof(crash.reg));
	if (told.signo != e->what)
		return 0;
	return softpt_perf_writer_crash(t->writer, &crash);
}

/* Mappings first: a file that ends here must hold those that its trace needs. */
void side_drain(struct translation *t)
{
	if (!t->all.err)
		t->all.err = sideband_drain(t->sideband, t->writer);
	if (!t->all.err)
		t->all.err = kernel_side_drain(&t->kernel, t->writer);
	if (!t->all.err)
		t->all.err = softpt_perf_writer_look(t->writer);
	t->drained = tsc_now();
}
