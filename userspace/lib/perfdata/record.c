// SPDX-License-Identifier: BSD-2-Clause
/* The records of a perf.data file, and what they say */
#include <string.h>
#include <sys/mman.h>

#include "perfdata/state.h"

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
