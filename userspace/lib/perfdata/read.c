// SPDX-License-Identifier: BSD-2-Clause
/*
 * perf.data files, read. A file may come from anywhere: each offset and each size in it is checked
 * against the size of the file before it is used.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "perfdata/event.h"
#include "perfdata/state.h"
#include "perfdata/streams.h"

/* Return: false if it is not in the file */
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
	p->from_softpt = true;
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
	struct perfpiece *grown;
	uint64_t size;

	if (left < sizeof(rec) || !get(p, at, &rec, sizeof(rec)) || rec.header.size < sizeof(rec))
		return -EBADMSG;
	left -= rec.header.size;
	size = rec.size < left ? rec.size : left;
	grown = array_more(p->pieces, p->npieces, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	p->pieces = grown;
	p->pieces[p->npieces++] = (struct perfpiece){
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

/* ---- the file ---- */

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
	return perfstreams_make(p);
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
	if (!p)
		return;
	perfstreams_free(p);
	free(p->pieces);
	free(p->records);
	free(p);
}

/* ---- what the file says ---- */

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

/* Another version of softpt may have written more of each, or less. */
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

	/* softpt is no part of the processor, and has none of its errata. */
	if (p->from_softpt || len < sizeof(uint32_t))
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
