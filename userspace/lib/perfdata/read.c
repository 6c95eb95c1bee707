// SPDX-License-Identifier: BSD-2-Clause
/*
 * perf.data files, read. A file may come from anywhere: nothing in it is believed before
 * it was held against the size of the file.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/array.h"
#include "packet/packet.h"
#include "perfdata/event.h"
#include "perfdata/file.h"

/* A piece of trace */
struct piece {
	uint64_t offset;	/* of its bytes in the file */
	uint64_t size;
	uint32_t cpu;
	uint32_t tid;
};

struct softpt_perf {
	const uint8_t *file;
	size_t size;
	uint64_t sample_type;
	bool has_id;			/* sample_id_all */
	uint64_t config;		/* of the Intel PT event */
	struct perffile_section vdso, vdso32, cpuid;
	struct perffile_more more;	/* all zero: there is none */
	bool own;			/* written by this library */
	uint64_t info[INFO_NR];
	bool has_info;

	struct piece *pieces;
	size_t npieces;
	uint64_t *records;		/* offsets of all other records */
	size_t nrecords;

	struct softpt_perf_stream *streams;
	uint8_t **joined;		/* per stream; NULL: it lies in the file in one piece */
	unsigned int nstreams;
};

/* Copy a struct out of the file, the bytes that are not there as zeros */
static bool get(const struct softpt_perf *p, uint64_t offset, void *to, size_t len)
{
	if (offset > p->size || len > p->size - offset)
		return false;
	memcpy(to, p->file + offset, len);
	return true;
}

/* ---- header and attributes ---- */

bool softpt_perf_detect(const void *buf, size_t len)
{
	uint64_t magic;

	if (len < sizeof(magic))
		return false;
	memcpy(&magic, buf, sizeof(magic));
	return magic == PERFFILE_MAGIC || magic == __builtin_bswap64(PERFFILE_MAGIC);
}

static int read_header(struct softpt_perf *p, struct perffile_header *h)
{
	if (!softpt_perf_detect(p->file, p->size))
		return -EBADMSG;
	if (!get(p, 0, h, 16))
		return -EBADMSG;
	if (h->magic != PERFFILE_MAGIC || h->size == 16)
		return -EOPNOTSUPP;
	if (h->size < sizeof(*h) || !get(p, 0, h, sizeof(*h)))
		return -EBADMSG;
	if (h->attr_size < PERF_ATTR_SIZE_VER0 + sizeof(struct perffile_section) ||
	    h->attrs.offset > p->size || h->attrs.size > p->size - h->attrs.offset)
		return -EBADMSG;
	if (h->data.offset < sizeof(*h) || h->data.offset > p->size)
		return -EBADMSG;
	/* Never finished, or cut short: up to the end of the file */
	if (!h->data.size || h->data.size > p->size - h->data.offset)
		h->data.size = p->size - h->data.offset;
	return 0;
}

/* An attribute of any version. Return: false behind the last */
static bool read_attr(const struct softpt_perf *p, const struct perffile_header *h, uint64_t i,
		      struct perf_event_attr *attr)
{
	size_t size = h->attr_size - sizeof(struct perffile_section);

	if (i >= h->attrs.size / h->attr_size)
		return false;
	memset(attr, 0, sizeof(*attr));
	return get(p, h->attrs.offset + i * h->attr_size, attr,
		   size < sizeof(*attr) ? size : sizeof(*attr));
}

static void use_attrs(struct softpt_perf *p, const struct perffile_header *h)
{
	struct perf_event_attr attr;
	uint64_t i;

	for (i = 0; read_attr(p, h, i, &attr); i++) {
		if (!i || attr.type == p->info[INFO_PMU_TYPE]) {
			p->sample_type = attr.sample_type;
			p->has_id = attr.sample_id_all;
			p->config = attr.config;
		}
		if (attr.type == p->info[INFO_PMU_TYPE])
			return;
	}
}

static bool is_inside(const struct softpt_perf *p, const struct perffile_section *s)
{
	return s->offset <= p->size && s->size <= p->size - s->offset;
}

/* The sections of features lie behind the data, one for each bit that is set. */
static void find_feature(const struct softpt_perf *p, const struct perffile_header *h,
			 unsigned int feature, struct perffile_section *found)
{
	const unsigned int word = feature / 64;
	const uint64_t bit = 1ull << feature % 64;
	uint64_t before = __builtin_popcountll(h->features[word] & (bit - 1));
	struct perffile_section s;
	unsigned int i;

	if (!(h->features[word] & bit))
		return;
	for (i = 0; i < word; i++)
		before += __builtin_popcountll(h->features[i]);
	if (get(p, h->data.offset + h->data.size + before * sizeof(s), &s, sizeof(s)) &&
	    is_inside(p, &s))
		*found = s;
}

static void find_more(struct softpt_perf *p)
{
	const size_t behind = sizeof(struct perffile_own) + sizeof(struct perffile_more);
	struct perffile_more more;

	if (p->size < behind || !get(p, p->size - behind, &more, sizeof(more)) ||
	    more.magic != PERFFILE_MORE_MAGIC || !is_inside(p, &more.crashes) || !more.crash)
		return;
	p->more = more;
}

/* What is ours alone is at the end of the file. */
static void find_own(struct softpt_perf *p)
{
	struct perffile_own own;

	if (p->size < sizeof(own))
		return;
	memcpy(&own, p->file + p->size - sizeof(own), sizeof(own));
	if (own.magic != PERFFILE_OWN_MAGIC)
		return;
	p->own = true;
	if (is_inside(p, &own.vdso))
		p->vdso = own.vdso;
	if (is_inside(p, &own.vdso32))
		p->vdso32 = own.vdso32;
	find_more(p);
}

/* ---- records ---- */

static int take_info(struct softpt_perf *p, uint64_t at, size_t size)
{
	struct perffile_info info = { 0 };

	if (size > sizeof(info))
		size = sizeof(info);
	if (size < offsetof(struct perffile_info, value) || !get(p, at, &info, size))
		return -EBADMSG;
	if (info.kind != PERFFILE_INTEL_PT)
		return -ENODATA;
	memcpy(p->info, info.value, sizeof(p->info));
	p->has_info = true;
	return 0;
}

/* Return: bytes of the record with its data, or -errno */
static int64_t take_trace(struct softpt_perf *p, uint64_t at, uint64_t left)
{
	struct perffile_auxtrace rec;
	struct piece *grown;
	uint64_t size;

	if (left < sizeof(rec) || !get(p, at, &rec, sizeof(rec)) || rec.header.size < sizeof(rec))
		return -EBADMSG;
	left -= rec.header.size;
	size = rec.size < left ? rec.size : left;
	grown = array_more(p->pieces, p->npieces, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	p->pieces = grown;
	p->pieces[p->npieces++] = (struct piece){
		.offset = at + rec.header.size,
		.size = rec.padding < 8 && rec.padding <= size ? size - rec.padding : size,
		.cpu = rec.cpu,
		.tid = rec.tid,
	};
	return rec.header.size + size;
}

/* Of any other record only the place is kept. Return: 0 or -ENOMEM */
static int take_other(struct softpt_perf *p, uint64_t at)
{
	uint64_t *grown = array_more(p->records, p->nrecords, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	p->records = grown;
	p->records[p->nrecords++] = at;
	return 0;
}

/* One record at @at, @left bytes before the end of the data. Return: as take_trace() */
static int64_t take_record(struct softpt_perf *p, uint64_t at, uint64_t left)
{
	struct perf_event_header header;
	int err = 0;

	if (!get(p, at, &header, sizeof(header)) || header.size < sizeof(header))
		return -EBADMSG;
	if (header.size > left)
		return left;	/* cut short: the last */
	switch (header.type) {
	case PERFFILE_REC_COMPRESSED:
		return -EOPNOTSUPP;
	case PERFFILE_REC_AUXTRACE:
		return take_trace(p, at, left);
	case PERFFILE_REC_AUXTRACE_INFO:
		err = take_info(p, at, header.size);
		break;
	default:
		err = take_other(p, at);
	}
	return err ? err : header.size;
}

static int read_data(struct softpt_perf *p, const struct perffile_section *data, uint64_t *offset)
{
	uint64_t at = data->offset, end = data->offset + data->size;

	while (end - at >= sizeof(struct perf_event_header)) {
		int64_t size = take_record(p, at, end - at);

		*offset = at;
		if (size < 0)
			return size;
		at += size;
	}
	return 0;
}

/* ---- streams ---- */

static int by_cpu(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->cpu == UINT32_MAX && x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static bool same_stream(const struct piece *x, const struct piece *y)
{
	return x->cpu == y->cpu && (x->cpu != UINT32_MAX || x->tid == y->tid);
}

/* @n pieces from @first on are one stream. */
static int join(struct softpt_perf *p, const struct piece *first, size_t n)
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

static int make_streams(struct softpt_perf *p)
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

static int index_file(struct softpt_perf *p, uint64_t *offset)
{
	struct perffile_header h;
	int err = read_header(p, &h);

	if (!err)
		err = read_data(p, &h.data, offset);
	if (!err && !p->has_info)
		err = -ENODATA;
	if (err)
		return err;
	use_attrs(p, &h);
	find_feature(p, &h, PERFFILE_VDSO, &p->vdso);
	find_feature(p, &h, PERFFILE_VDSO32, &p->vdso32);
	find_own(p);
	find_feature(p, &h, PERFFILE_CPUID, &p->cpuid);
	return make_streams(p);
}

int softpt_perf_open(struct softpt_perf **perf, const void *buf, size_t len, uint64_t *offset)
{
	struct softpt_perf *p = calloc(1, sizeof(*p));
	uint64_t at = 0;
	int err;

	if (!p)
		return -ENOMEM;
	p->file = buf;
	p->size = len;
	err = index_file(p, &at);
	if (offset)
		*offset = at;
	if (err) {
		softpt_perf_free(p);
		return err;
	}
	*perf = p;
	return 0;
}

void softpt_perf_free(struct softpt_perf *p)
{
	unsigned int i;

	if (!p)
		return;
	for (i = 0; i < p->nstreams; i++)
		free(p->joined[i]);
	free(p->joined);
	free(p->streams);
	free(p->pieces);
	free(p->records);
	free(p);
}

/* ---- what the file says ---- */

const struct softpt_perf_stream *softpt_perf_stream(const struct softpt_perf *p, unsigned int i)
{
	return i < p->nstreams ? &p->streams[i] : NULL;
}

void softpt_perf_config(const struct softpt_perf *p, struct softpt_config *cfg)
{
	perfevent_config(cfg, p->config, p->info);
}

static const void *section(const struct softpt_perf *p, const struct perffile_section *s,
			   size_t *len)
{
	*len = s->size;
	return *len ? p->file + s->offset : NULL;
}

const void *softpt_perf_vdso(const struct softpt_perf *p, size_t *len)
{
	return section(p, &p->vdso, len);
}

const void *softpt_perf_vdso32(const struct softpt_perf *p, size_t *len)
{
	return section(p, &p->vdso32, len);
}

/* Another version may know more of each, or less. */
bool softpt_perf_crash(const struct softpt_perf *p, size_t i, struct softpt_perf_crash *crash)
{
	const struct perffile_more *m = &p->more;

	*crash = (struct softpt_perf_crash){ 0 };
	if (!m->crash || i >= m->crashes.size / m->crash)
		return false;
	return get(p, m->crashes.offset + i * m->crash, crash,
		   m->crash < sizeof(*crash) ? m->crash : sizeof(*crash));
}

/* A length, and "VENDOR,FAMILY,MODEL,STEPPING" in decimal */
bool softpt_perf_cpu(const struct softpt_perf *p, struct softpt_perf_cpu *cpu)
{
	unsigned int family, model, stepping;
	char text[64] = "";
	size_t len = p->cpuid.size;

	/* What made ours is no part of that processor, and has none of its errata. */
	if (p->own || len < sizeof(uint32_t))
		return false;
	len -= sizeof(uint32_t);
	if (len > sizeof(text) - 1)
		len = sizeof(text) - 1;
	memcpy(text, p->file + p->cpuid.offset + sizeof(uint32_t), len);
	if (sscanf(text, "GenuineIntel,%4u,%3u,%3u", &family, &model, &stepping) != 3 ||
	    family > UINT16_MAX || model > UINT8_MAX || stepping > UINT8_MAX)
		return false;
	*cpu = (struct softpt_perf_cpu){ family, model, stepping };
	return true;
}

uint64_t softpt_perf_time(const struct softpt_perf *p, uint64_t tsc)
{
	unsigned __int128 t = (unsigned __int128)tsc * p->info[INFO_TIME_MULT];

	return p->info[INFO_TIME_ZERO] + (uint64_t)(t >> (p->info[INFO_TIME_SHIFT] & 63));
}

/* The fields of sample_id, in the order that perf_event.h gives */
static size_t read_id(const struct softpt_perf *p, const uint8_t *end, size_t most,
		      struct softpt_perf_id *id)
{
	static const uint64_t fields[] = {
		PERF_SAMPLE_TID, PERF_SAMPLE_TIME, PERF_SAMPLE_ID, PERF_SAMPLE_STREAM_ID,
		PERF_SAMPLE_CPU, PERF_SAMPLE_IDENTIFIER,
	};
	uint64_t v[6] = { 0 };
	size_t i, size = 0;

	for (i = 0; i < 6; i++)
		size += p->sample_type & fields[i] ? sizeof(uint64_t) : 0;
	memset(id, 0, sizeof(*id));
	if (!p->has_id || size > most)
		return 0;
	end -= size;
	for (i = 0; i < 6; i++) {
		if (!(p->sample_type & fields[i]))
			continue;
		memcpy(&v[i], end, sizeof(v[i]));
		end += sizeof(v[i]);
	}
	*id = (struct softpt_perf_id){
		.pid = v[0], .tid = v[0] >> 32, .time = v[1], .cpu = v[4], .id = v[5],
	};
	return size;
}

bool softpt_perf_record(const struct softpt_perf *p, size_t i, struct softpt_perf_record *rec)
{
	struct perf_event_header header;
	const uint8_t *at;
	size_t size;

	if (i >= p->nrecords)
		return false;
	at = p->file + p->records[i];
	memcpy(&header, at, sizeof(header));
	size = header.size - sizeof(header);
	rec->type = header.type;
	rec->misc = header.misc;
	rec->body = at + sizeof(header);
	/* perf's own records have no id; samples have none at their end */
	if (header.type < 64 && header.type != PERF_RECORD_SAMPLE)
		size -= read_id(p, at + header.size, size, &rec->id);
	else
		memset(&rec->id, 0, sizeof(rec->id));
	rec->size = size;
	return true;
}

bool softpt_perf_map_of(const struct softpt_perf_record *rec, struct softpt_perf_map *map)
{
	struct { uint32_t pid, tid; uint64_t addr, len, pgoff; } common;
	size_t name = rec->type == PERF_RECORD_MMAP2 ? 64 : 32;
	const char *body = rec->body;

	if ((rec->type != PERF_RECORD_MMAP && rec->type != PERF_RECORD_MMAP2) ||
	    rec->size <= name || !memchr(body + name, '\0', rec->size - name))
		return false;
	memcpy(&common, body, sizeof(common));
	*map = (struct softpt_perf_map){
		.addr = common.addr,
		.len = common.len,
		.pgoff = common.pgoff,
		.pid = common.pid,
		.tid = common.tid,
		.prot = PROT_EXEC,
		.name = body + name,
	};
	if (rec->type == PERF_RECORD_MMAP2)
		memcpy(&map->prot, body + 56, sizeof(map->prot));
	return true;
}
