// SPDX-License-Identifier: BSD-2-Clause
/*
 * perf.data files, written.
 *
 * Records are appended, and only then counted in the header: so the file is whole at any
 * moment. What comes behind the data (the index of traces, the machine) waits for the end.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/array.h"
#include "base/output.h"
#include "perfdata/crash.h"
#include "perfdata/event.h"
#include "perfdata/feature.h"
#include "perfdata/file.h"
#include "perfdata/keep.h"
#include "perfdata/tail.h"
#include "perfdata/zip.h"

#define EVENT_ID	1

struct softpt_perf_writer {
	int fd;			/* -1: none yet */
	struct zip *zip;	/* NULL: the file is not compressed */
	int err;		/* the first; nothing is written after it */
	struct softpt_perf_setup setup;
	struct softpt_config cfg;
	bool keep;
	struct perfkeep kept;
	struct perffile_header header;
	uint64_t end;		/* of the file */
	struct perftails tails;
	struct perffile_section *index;	/* where the AUXTRACE records are */
	size_t nindex;
	struct perfnames names;		/* of code that is mapped */
	struct perfcrashes crashes;	/* of this file */
	uint64_t first, last;		/* perf's time of what is recorded */
};

/* ---- bytes ---- */

/* Where not all of it could be written commit() goes back. */
static void put_parts(struct softpt_perf_writer *w, struct iovec *part, int n)
{
	size_t len = 0;
	int i;

	for (i = 0; i < n; i++)
		len += part[i].iov_len;
	for (i = 0; i < n && w->zip && !w->err; i++)
		w->err = zip_put(w->zip, part[i].iov_base, part[i].iov_len);
	if (!w->zip && !w->err)
		w->err = output_gather_at(w->fd, part, n, w->end);
	w->end += len;
}

static void put(struct softpt_perf_writer *w, const void *buf, size_t len)
{
	struct iovec part = { (void *)buf, len };

	put_parts(w, &part, 1);
}

static void put_header(struct softpt_perf_writer *w)
{
	uint64_t end = w->end;

	if (w->zip) {
		if (!w->err)
			w->err = zip_head(w->zip, &w->header, sizeof(w->header));
		return;
	}
	w->end = 0;
	put(w, &w->header, sizeof(w->header));
	w->end = end;
}

/* What was put is part of the data, once it is in the file. */
static int commit(struct softpt_perf_writer *w)
{
	const int whole = w->zip && !w->err ? zip_frame(w->zip, 0) : 1;

	if (!w->err && whole < 0)
		w->err = whole;
	if (!w->err && whole) {
		w->header.data.size = w->end - w->header.data.offset;
		put_header(w);
	}
	if (w->err && w->zip)
		zip_undo(w->zip);
	if (w->err)
		w->end = w->header.data.offset + w->header.data.size;
	return w->err;
}

/* All that was put is in the file. */
static void end_zip(struct softpt_perf_writer *w)
{
	int whole = w->zip && !w->err ? zip_frame(w->zip, 1) : 1;

	if (whole < 0) {
		w->err = whole;
		zip_undo(w->zip);
	}
}

/* ---- the begin ---- */

static void put_attr(struct softpt_perf_writer *w)
{
	const struct perffile_attr a = perfevent_attr(&w->setup);
	const uint64_t id = EVENT_ID;

	put(w, &id, sizeof(id));
	w->header.attr_size = sizeof(a);
	w->header.attrs = (struct perffile_section){ w->end, sizeof(a) };
	put(w, &a, sizeof(a));
	w->header.data.offset = w->end;
}

static void put_info(struct softpt_perf_writer *w)
{
	const struct perffile_info info = perfevent_info(&w->setup);

	put(w, &info, sizeof(info));
}

static int begin(struct softpt_perf_writer *w, int fd)
{
	if (lseek(fd, 0, SEEK_SET) < 0)
		return -errno;
	w->fd = fd;
	w->err = w->zip ? zip_begin(w->zip, fd, sizeof(w->header)) : 0;
	w->header = (struct perffile_header){
		.magic = PERFFILE_MAGIC, .size = sizeof(w->header),
	};
	w->end = sizeof(w->header);
	w->first = UINT64_MAX;
	w->last = 0;
	put_attr(w);
	put_info(w);
	end_zip(w);
	return commit(w);
}

int softpt_perf_writer_new(struct softpt_perf_writer **writer, int fd,
			   const struct softpt_perf_setup *setup)
{
	struct softpt_perf_writer *w;
	int err;

	if (!setup->time_mult || setup->time_shift > 63)
		return -EINVAL;
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->setup = *setup;
	w->cfg = *setup->cfg;
	w->setup.cfg = &w->cfg;
	err = setup->level ? zip_new(&w->zip, setup->level) : 0;
	if (!err)
		err = begin(w, fd);
	if (err) {
		zip_free(w->zip);
		free(w);
		return err;
	}
	*writer = w;
	return 0;
}

/* ---- traces ---- */

static void see_time(struct softpt_perf_writer *w, uint64_t time)
{
	if (w->first > time)
		w->first = time;
	if (w->last < time)
		w->last = time;
}

static uint64_t time_of(const struct softpt_perf_writer *w, uint64_t tsc)
{
	const struct softpt_perf_setup *s = &w->setup;

	return s->time_zero + (uint64_t)((__uint128_t)tsc * s->time_mult >> s->time_shift);
}

static int note_index(struct softpt_perf_writer *w)
{
	void *grown = array_more(w->index, w->nindex, sizeof(*w->index));

	if (!grown)
		return -ENOMEM;
	w->index = grown;
	w->index[w->nindex++] = (struct perffile_section){
		w->end, sizeof(struct perffile_auxtrace)
	};
	return 0;
}

/* A record: the first @len bytes of the tail, and @n at @more behind them */
static int put_trace(struct softpt_perf_writer *w, struct perftail *t, size_t len,
		     const void *more, size_t n)
{
	static const uint8_t pads[8];
	const size_t padding = -(len + n) & 7;
	const struct perffile_auxtrace rec = {
		.header = { .type = PERFFILE_REC_AUXTRACE, .size = sizeof(rec) },
		.size = len + n + padding,
		.offset = t->offset,
		.reference = t->tsc,
		.idx = t - w->tails.v,
		.tid = t->tid,
		.cpu = t->cpu,
		.padding = padding,
	};
	struct iovec part[] = {
		{ (void *)&rec, sizeof(rec) }, { t->packets.buf, len }, { (void *)more, n },
		{ (void *)pads, padding },
	};
	int err = note_index(w);

	if (err)
		return err;
	put_parts(w, part, 4);
	err = commit(w);
	if (err)
		return err;
	t->offset += rec.size;
	perfbuf_drop(&t->packets, len);
	return 0;
}

/* What is before the last PSB, which is not the first byte, is written. */
static int put_packets(struct softpt_perf_writer *w, uint32_t cpu, uint32_t tid, uint64_t tsc,
		       const void *buf, size_t len)
{
	const uint8_t *bytes = buf;
	struct perftail *t;
	size_t cut;
	int err = 0;

	if (w->err)
		return w->err;
	if (!tsc || w->fd < 0)
		return -EINVAL;
	t = perftails_get(&w->tails, cpu, tid);
	if (!t)
		return -ENOMEM;
	t->tsc = tsc;
	see_time(w, time_of(w, tsc));
	cut = len ? perftail_cut(t, bytes, len) : 0;
	if (cut && cut < t->packets.len) {
		err = put_trace(w, t, cut, NULL, 0);
	} else if (cut) {
		cut -= t->packets.len;
		err = put_trace(w, t, t->packets.len, bytes, cut);
		bytes += cut;
		len -= cut;
	}
	return err ? err : perfbuf_put(&t->packets, bytes, len);
}

int softpt_perf_writer_trace(struct softpt_perf_writer *w, unsigned int cpu, uint64_t tsc,
			     const void *buf, size_t len)
{
	return put_packets(w, cpu, -1, tsc, buf, len);
}

int softpt_perf_writer_thread(struct softpt_perf_writer *w, uint32_t tid, uint64_t tsc,
			      const void *buf, size_t len)
{
	return put_packets(w, -1, tid, tsc, buf, len);
}

/* ---- records ---- */

static void put_record(struct softpt_perf_writer *w, const struct perf_event_header *rec)
{
	struct softpt_perf_id id;

	memcpy(&id, (const char *)rec + rec->size - sizeof(id), sizeof(id));
	if (id.time)
		see_time(w, id.time);
	id.id = EVENT_ID;
	put(w, rec, rec->size - sizeof(id));
	put(w, &id, sizeof(id));
}

int softpt_perf_writer_record(struct softpt_perf_writer *w, const struct perf_event_header *rec)
{
	if (rec->size % 8 || rec->size < sizeof(*rec) + sizeof(struct softpt_perf_id))
		return -EINVAL;
	if (w->fd < 0 && !w->keep)
		return w->err ? w->err : -EINVAL;
	if (w->keep && !perfkeep_add(&w->kept, rec))
		return -ENOMEM;
	if (perfnames_add(&w->names, rec))
		return -ENOMEM;
	if (w->fd < 0)
		return w->err;
	put_record(w, rec);
	return commit(w);
}

void softpt_perf_writer_keep(struct softpt_perf_writer *w)
{
	w->keep = true;
}

static int put_kept(struct softpt_perf_writer *w)
{
	const struct perf_event_header *rec;
	size_t pos;

	for (pos = 0; pos < w->kept.records.len; pos += rec->size) {
		rec = (const void *)(w->kept.records.buf + pos);
		put_record(w, rec);
	}
	return commit(w);
}

int softpt_perf_writer_crash(struct softpt_perf_writer *w, const struct softpt_perf_crash *crash)
{
	if (w->fd < 0)
		return w->err ? w->err : -EINVAL;
	return perfcrash_add(&w->crashes, crash);
}

/* ---- the end: feature sections, behind the data ---- */

static void put_crashes(struct softpt_perf_writer *w)
{
	const size_t size = perfcrash_kept(&w->crashes) * sizeof(*w->crashes.v);
	const struct perffile_more more = {
		.crashes = { w->end, size }, .crash = sizeof(*w->crashes.v),
		.magic = PERFFILE_MORE_MAGIC,
	};

	if (!size)
		return;
	put(w, w->crashes.v, size);
	put(w, &more, sizeof(more));
}

static void put_own(struct softpt_perf_writer *w)
{
	const struct softpt_perf_setup *setup = &w->setup;
	struct perffile_own own = { .magic = PERFFILE_OWN_MAGIC };

	own.vdso = (struct perffile_section){ w->end, setup->vdso_len };
	put(w, setup->vdso, setup->vdso_len);
	own.vdso32 = (struct perffile_section){ w->end, setup->vdso32_len };
	put(w, setup->vdso32, setup->vdso32_len);
	put_crashes(w);
	put(w, &own, sizeof(own));
}

/* One after the other, and where they are in @table. Return: how many are not empty */
static size_t make_features(struct softpt_perf_writer *w, struct perfbuf *all,
			    struct perffile_section *table)
{
	const struct perffile_attr attr = perfevent_attr(&w->setup);
	const struct perffeatures f = {
		.setup = &w->setup, .attr = &attr, .id = EVENT_ID, .index = w->index,
		.nindex = w->nindex, .names = &w->names, .first = w->first, .last = w->last,
	};
	size_t i, n = 0, from;

	for (i = 0; i < perffeatures_nr; i++) {
		from = all->len;
		perffeature_make(all, &f, perffeatures[i]);
		if (all->len == from)
			continue;
		w->header.features[perffeatures[i] / 64] |= 1ull << perffeatures[i] % 64;
		table[n++] = (struct perffile_section){ from, all->len - from };
	}
	return n;
}

/* A table of sections where the data ends, then what they hold */
static void put_features(struct softpt_perf_writer *w)
{
	struct perffile_section table[64];
	struct perfbuf all = { 0 };
	size_t n, i;

	w->header.data.size = w->end - w->header.data.offset;
	n = make_features(w, &all, table);
	for (i = 0; i < n; i++)
		table[i].offset += w->end + n * sizeof(*table);
	if (!w->err)
		w->err = all.err;
	put(w, table, n * sizeof(*table));
	put(w, all.buf, all.len);
	put_own(w);
	end_zip(w);
	put_header(w);
	free(all.buf);
}

/* The file is whole. */
static int end(struct softpt_perf_writer *w)
{
	struct perftail *t;
	unsigned int i;
	int err;

	for (i = 0; i < w->tails.n && !w->err; i++) {
		t = &w->tails.v[i];
		err = t->packets.len ? put_trace(w, t, t->packets.len, NULL, 0) : 0;
		w->err = w->err ? w->err : err;
	}
	perftails_free(&w->tails);
	if (!w->err && w->fd >= 0)
		put_features(w);
	w->nindex = 0;
	w->crashes.n = 0;
	w->fd = -1;
	return w->err;
}

int softpt_perf_writer_look(struct softpt_perf_writer *w)
{
	return w->fd >= 0 ? commit(w) : w->err;
}

int softpt_perf_writer_next(struct softpt_perf_writer *w, int fd)
{
	const bool was = w->fd >= 0;
	int err = end(w);

	if (err)
		return err;
	if (was)
		perfkeep_drop_switches(&w->kept);
	if (fd >= 0)
		err = begin(w, fd);
	return err || fd < 0 ? err : put_kept(w);
}

int softpt_perf_writer_end(struct softpt_perf_writer *w)
{
	int err;

	if (!w)
		return 0;
	err = end(w);
	perfkeep_free(&w->kept);
	perfnames_free(&w->names);
	perfcrash_free(&w->crashes);
	zip_free(w->zip);
	free(w->index);
	free(w);
	return err;
}
