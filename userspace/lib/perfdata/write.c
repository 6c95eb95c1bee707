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
#include "packet/packet.h"
#include "perfdata/crash.h"
#include "perfdata/feature.h"
#include "perfdata/file.h"
#include "perfdata/keep.h"
#include "perfdata/zip.h"

#define PMU_TYPE	8	/* any: perf compares it with AUXTRACE_INFO's only */
#define EVENT_ID	1

/* A CPU's packets from the last PSB on, or a thread's */
struct tail {
	uint32_t cpu;		/* -1: of a thread */
	uint32_t tid;		/* -1: of a CPU */
	uint8_t *buf;
	size_t len;
	size_t alloc;
	uint64_t offset;	/* bytes written of this CPU */
	uint64_t tsc;
};

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
	struct tail *tails;
	unsigned int nr;
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

static uint64_t rtit_ctl(const struct softpt_config *c)
{
	uint64_t ctl = RTIT_PT | (uint64_t)c->mtc_freq << 14;

	ctl |= c->flags & SOFTPT_F_CYC ? RTIT_CYC : 0;
	ctl |= c->flags & SOFTPT_F_PWR ? RTIT_PWR : 0;
	ctl |= c->flags & SOFTPT_F_MTC ? RTIT_MTC : 0;
	ctl |= c->flags & SOFTPT_F_TSC ? RTIT_TSC : 0;
	ctl |= c->flags & SOFTPT_F_RETC ? 0 : RTIT_NORETCOMP;
	ctl |= c->flags & SOFTPT_F_PTW ? RTIT_PTW : 0;
	ctl |= c->flags & SOFTPT_F_BRANCH ? RTIT_BRANCH : 0;
	ctl |= c->flags & SOFTPT_F_EVENT ? RTIT_EVENT : 0;
	return ctl;
}

static struct perffile_attr make_attr(const struct softpt_perf_writer *w)
{
	const struct softpt_config *c = &w->cfg;
	const struct perf_event_attr attr = {
		.type = PMU_TYPE,
		.size = PERFFILE_ATTR_SIZE,
		.config = rtit_ctl(c),
		.sample_period = 1,
		.sample_type = SOFTPT_PERF_SAMPLE_TYPE,
		.read_format = PERF_FORMAT_ID,
		.exclude_kernel = !(c->flags & SOFTPT_F_OS),
		.exclude_user = !(c->flags & SOFTPT_F_USER),
		.exclude_hv = 1,
		.sample_id_all = 1,
		.context_switch = w->setup.switches,
	};
	struct perffile_attr a = { .ids = { sizeof(w->header), sizeof(uint64_t) } };

	memcpy(a.attr, &attr, sizeof(a.attr));
	return a;
}

static void put_attr(struct softpt_perf_writer *w)
{
	const struct perffile_attr a = make_attr(w);
	const uint64_t id = EVENT_ID;

	put(w, &id, sizeof(id));
	w->header.attr_size = sizeof(a);
	w->header.attrs = (struct perffile_section){ w->end, sizeof(a) };
	put(w, &a, sizeof(a));
	w->header.data.offset = w->end;
}

static void put_info(struct softpt_perf_writer *w)
{
	const struct softpt_perf_setup *setup = &w->setup;
	const struct softpt_config *c = &w->cfg;
	const struct perffile_info info = {
		.header = { .type = PERFFILE_REC_AUXTRACE_INFO, .size = sizeof(info) },
		.kind = PERFFILE_INTEL_PT,
		.value = {
			[INFO_PMU_TYPE] = PMU_TYPE,
			[INFO_TIME_SHIFT] = setup->time_shift,
			[INFO_TIME_MULT] = setup->time_mult,
			[INFO_TIME_ZERO] = setup->time_zero,
			[INFO_CAP_TIME_ZERO] = 1,
			[INFO_TSC_BIT] = RTIT_TSC,
			[INFO_NORETCOMP_BIT] = RTIT_NORETCOMP,
			[INFO_SCHED_SWITCH] = setup->switches ? INFO_SWITCH_TASK : 0,
			[INFO_SNAPSHOT] = c->mode == SOFTPT_RING_SNAPSHOT,
			[INFO_PER_CPU] = !setup->threads,
			[INFO_MTC_BIT] = RTIT_MTC,
			[INFO_MTC_FREQ_BITS] = RTIT_MTC_FREQ,
			[INFO_TSC_CTC_N] = c->tsc_ebx,
			[INFO_TSC_CTC_D] = c->tsc_eax,
			[INFO_CYC_BIT] = RTIT_CYC,
			[INFO_MAX_NONTURBO] = c->p1,
			/* perf takes interrupts for disabled where MODE.Exec has no flag. */
			[INFO_EVENT_TRACE] = !!(c->flags & SOFTPT_F_IFLAG),
		},
	};

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

/* The tail of a CPU or a thread. NULL without memory */
static struct tail *tail_of(struct softpt_perf_writer *w, uint32_t cpu, uint32_t tid)
{
	struct tail *tails;
	unsigned int i;

	for (i = 0; i < w->nr; i++)
		if (w->tails[i].cpu == cpu && w->tails[i].tid == tid)
			return &w->tails[i];
	tails = reallocarray(w->tails, w->nr + 1, sizeof(*tails));
	if (!tails)
		return NULL;
	w->tails = tails;
	tails[w->nr] = (struct tail){ .cpu = cpu, .tid = tid };
	return &tails[w->nr++];
}

static int append(struct tail *t, const void *buf, size_t len)
{
	if (len > t->alloc - t->len) {
		size_t alloc = t->len + len + (t->len + len) / 2;
		uint8_t *grown = realloc(t->buf, alloc);

		if (!grown)
			return -ENOMEM;
		t->buf = grown;
		t->alloc = alloc;
	}
	if (len)
		memcpy(t->buf + t->len, buf, len);
	t->len += len;
	return 0;
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
static int put_trace(struct softpt_perf_writer *w, struct tail *t, size_t len, const void *more,
		     size_t n)
{
	static const uint8_t pads[8];
	const size_t padding = -(len + n) & 7;
	const struct perffile_auxtrace rec = {
		.header = { .type = PERFFILE_REC_AUXTRACE, .size = sizeof(rec) },
		.size = len + n + padding,
		.offset = t->offset,
		.reference = t->tsc,
		.idx = t - w->tails,
		.tid = t->tid,
		.cpu = t->cpu,
		.padding = padding,
	};
	struct iovec part[] = {
		{ (void *)&rec, sizeof(rec) }, { t->buf, len }, { (void *)more, n },
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
	t->len -= len;
	if (t->len)
		memmove(t->buf, t->buf + len, t->len);
	return 0;
}

/* Where the last PSB of @buf begins; @len: there is none */
static size_t last_psb(const uint8_t *buf, size_t len)
{
	struct softpt_stream s;
	size_t last = len;

	softpt_stream_init(&s, buf, len);
	while (!softpt_sync_forward(&s, 0, NULL)) {
		last = s.pos - s.begin;
		s.pos += SOFTPT_SIZE_PSB;
	}
	return last;
}

/* How many bytes of the tail are before a PSB that goes on in @buf; all of it: there is none */
static size_t parted_psb(const struct tail *t, const uint8_t *buf, size_t len)
{
	const size_t before = t->len < SOFTPT_SIZE_PSB ? t->len : SOFTPT_SIZE_PSB - 1;
	const size_t behind = len < SOFTPT_SIZE_PSB ? len : SOFTPT_SIZE_PSB - 1;
	uint8_t both[2 * SOFTPT_SIZE_PSB];
	size_t at;

	if (!before)
		return t->len;
	memcpy(both, t->buf + t->len - before, before);
	memcpy(both + before, buf, behind);
	at = last_psb(both, before + behind);
	return at < before ? t->len - before + at : t->len;
}

/* What is before the last PSB of the tail and @buf, which is not their first byte, is written. */
static int put_packets(struct softpt_perf_writer *w, uint32_t cpu, uint32_t tid, uint64_t tsc,
		       const void *buf, size_t len)
{
	const uint8_t *bytes = buf;
	struct tail *t;
	size_t cut;
	int err = 0;

	if (w->err)
		return w->err;
	if (!tsc || w->fd < 0)
		return -EINVAL;
	t = tail_of(w, cpu, tid);
	if (!t)
		return -ENOMEM;
	t->tsc = tsc;
	see_time(w, time_of(w, tsc));
	if (!len)
		return 0;
	cut = last_psb(bytes, len);
	if (cut < len && t->len + cut) {
		err = put_trace(w, t, t->len, bytes, cut);
		bytes += cut;
		len -= cut;
	} else if (cut == len) {
		cut = parted_psb(t, bytes, len);
		if (cut && cut < t->len)
			err = put_trace(w, t, cut, NULL, 0);
	}
	return err ? err : append(t, bytes, len);
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

	for (pos = 0; pos < w->kept.len; pos += rec->size) {
		rec = (const void *)(w->kept.buf + pos);
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
	const struct perffile_attr attr = make_attr(w);
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
	unsigned int i;
	int err;

	for (i = 0; i < w->nr; i++) {
		if (w->tails[i].len && !w->err) {
			err = put_trace(w, &w->tails[i], w->tails[i].len, NULL, 0);
			w->err = w->err ? w->err : err;
		}
		free(w->tails[i].buf);
	}
	if (!w->err && w->fd >= 0)
		put_features(w);
	w->nr = 0;
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
	free(w->tails);
	free(w->index);
	free(w);
	return err;
}
