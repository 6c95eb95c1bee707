// SPDX-License-Identifier: BSD-2-Clause
#include "perfdata/streams.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perfdata/state.h"

static int by_cpu(const void *a, const void *b)
{
	const struct perfpiece *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->cpu == UINT32_MAX && x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static bool same_stream(const struct perfpiece *x, const struct perfpiece *y)
{
	return x->cpu == y->cpu && (x->cpu != UINT32_MAX || x->tid == y->tid);
}

/* @n pieces from @first on are one stream. */
static int join(struct softpt_perf *p, const struct perfpiece *first, size_t n)
{
	struct softpt_perf_stream *s = &p->streams[p->nstreams];
	uint8_t *to;
	size_t i;

	*s = (struct softpt_perf_stream){
		.buf = p->file + first->offset,
		.cpu = first->cpu,
		.tid = first->cpu == UINT32_MAX ? (int)first->tid : -1,
	};
	for (i = 0; i < n; i++)
		s->len += first[i].size;
	if (n > 1) {
		to = malloc(s->len + 1);
		if (!to)
			return -ENOMEM;
		p->joined[p->nstreams] = to;
		s->buf = to;
		for (i = 0; i < n; i++) {
			memcpy(to, p->file + first[i].offset, first[i].size);
			to += first[i].size;
		}
	}
	p->nstreams++;
	return 0;
}

int perfstreams_make(struct softpt_perf *p)
{
	size_t i, n;
	int err;

	if (!p->npieces)
		return 0;
	qsort(p->pieces, p->npieces, sizeof(*p->pieces), by_cpu);
	for (i = 0, n = 1; i + 1 < p->npieces; i++)
		n += !same_stream(&p->pieces[i], &p->pieces[i + 1]);
	p->streams = calloc(n, sizeof(*p->streams));
	p->joined = calloc(n, sizeof(*p->joined));
	if (!p->streams || !p->joined)
		return -ENOMEM;
	for (i = 0; i < p->npieces; i += n) {
		for (n = 1; i + n < p->npieces; n++)
			if (!same_stream(&p->pieces[i], &p->pieces[i + n]))
				break;
		err = join(p, &p->pieces[i], n);
		if (err)
			return err;
	}
	return 0;
}

void perfstreams_free(struct softpt_perf *p)
{
	unsigned int i;

	for (i = 0; i < p->nstreams; i++)
		free(p->joined[i]);
	free(p->joined);
	free(p->streams);
}

const struct softpt_perf_stream *softpt_perf_stream(const struct softpt_perf *p, unsigned int i)
{
	return i < p->nstreams ? &p->streams[i] : NULL;
}
