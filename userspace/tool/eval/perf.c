// SPDX-License-Identifier: BSD-2-Clause
/*
 * perf's times of the stream. Each of its samples must be the row of ours that comes next,
 * by kind and address, or nothing is said of perf.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <softpt/decoder.h>
#include <softpt/perf.h>
#include "types.h"
#include "export/export.h"
#include "perfscript.h"

struct match {
	struct perf_samples told[PERF_TOLD];
	size_t next[PERF_TOLD];
	struct eval_error *error;
	struct eval_values values;
};

/* The stream as perf.data; a file that has no name */
static int write_data(const struct eval_point *p, const struct eval_stream *s, int fd)
{
	const struct softpt_perf_setup setup = { .cfg = &p->cfg, .time_mult = 1 };
	struct softpt_perf_writer *w;
	int err = softpt_perf_writer_new(&w, fd, &setup), end;

	if (err)
		return err;
	err = export_perf_trace(w, 0, s->bytes, s->len);
	end = softpt_perf_writer_end(w);
	return err ? err : end;
}

/* The next sample of a kind. Return: NULL if it is of something else */
static const struct perf_sample *next(struct match *m, enum perf_told kind,
				      const struct eval_row *row)
{
	const struct perf_samples *s = &m->told[kind];
	bool ip = kind == PERF_TO || kind == PERF_END;

	if (m->next[kind] == s->n || (ip && s->v[m->next[kind]].ip != row->ip))
		return NULL;
	return &s->v[m->next[kind]++];
}

/* Return: enum perf_told, or -1: perf tells nothing of such a row */
static int kind_of(const struct eval_row *row)
{
	switch (row->kind) {
	case SOFTPT_REC_ENABLE:
	case SOFTPT_REC_TIP:
	case SOFTPT_REC_INTR:
	case SOFTPT_REC_OVF:
		return row->has_ip ? PERF_TO : -1;
	case SOFTPT_REC_DISABLE:
		return row->has_ip ? PERF_END : -1;
	case SOFTPT_REC_PTW:
		return PERF_PTWRITE;
	case SOFTPT_REC_PWR:
		return PERF_POWER;
	default:
		return -1;
	}
}

/* Return: 1, 0 when perf has something else, or -ENOMEM */
static int compare(struct match *m, const struct eval_row *row)
{
	const struct perf_sample *sample;
	int kind = kind_of(row);
	uint64_t error;

	if (kind < 0)
		return 1;
	sample = next(m, kind, row);
	if (!sample)
		return 0;
	/* The FUP of these two has a sample of its own. */
	if ((kind == PERF_PTWRITE || kind == PERF_POWER) && row->has_ip && !next(m, PERF_TO, row))
		return 0;
	error = sample->time > row->tsc ? sample->time - row->tsc : row->tsc - sample->time;
	eval_error_note(m->error, row->silence, error);
	return eval_values_add(&m->values, error) ? -ENOMEM : 1;
}

static int compare_all(struct match *m, const struct eval_stream *s)
{
	int same = 1;
	size_t i;

	for (i = 0; i < s->nr_rows && same > 0; i++)
		same = compare(m, &s->rows[i]);
	for (i = 0; i < PERF_TOLD && same > 0; i++)
		same = m->next[i] == m->told[i].n;
	m->error->all = eval_spread_of(&m->values);
	if (same <= 0)
		*m->error = (struct eval_error){ 0 };
	return same < 0 ? same : 0;
}

int eval_perf(struct eval_point *p, const struct eval_stream *s)
{
	int data = memfd_create("softpt.data", MFD_CLOEXEC), err;
	struct match m = { .error = &p->perf };
	size_t i;

	if (data < 0)
		return -errno;
	err = write_data(p, s, data);
	if (!err)
		err = perf_script(data, p->cfg.flags & SOFTPT_F_BRANCH, m.told);
	close(data);
	if (!err)
		err = compare_all(&m, s);
	for (i = 0; i < PERF_TOLD; i++)
		free(m.told[i].v);
	return err;
}
