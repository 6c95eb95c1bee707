// SPDX-License-Identifier: BSD-2-Clause
/* The records of a perf.data file that the next file begins with, too */
#include "perfdata/keep.h"

#include <stdlib.h>
#include <string.h>

#include <softpt/perf.h>

static uint32_t cpu_of(const struct perf_event_header *rec)
{
	struct softpt_perf_id id;

	memcpy(&id, (const uint8_t *)rec + rec->size - sizeof(id), sizeof(id));
	return id.cpu;
}

static bool is_switch(const struct perf_event_header *rec)
{
	return rec->type == PERF_RECORD_SWITCH || rec->type == PERF_RECORD_SWITCH_CPU_WIDE;
}

/* Records are multiples of 8, so that each is aligned. */
static const struct perf_event_header *at(const struct perfkeep *k, size_t pos)
{
	return (const void *)(k->records.buf + pos);
}

static bool is_last_of_cpu(const struct perfkeep *k, size_t pos, size_t end)
{
	const uint32_t cpu = cpu_of(at(k, pos));

	for (pos += at(k, pos)->size; pos < end; pos += at(k, pos)->size)
		if (is_switch(at(k, pos)) && cpu_of(at(k, pos)) == cpu)
			return false;
	return true;
}

/* Those before @end, but for the last of each CPU there */
static void drop_switches(struct perfkeep *k, size_t end)
{
	size_t from = 0, to = 0, size;

	while (from < k->records.len) {
		size = at(k, from)->size;
		if (from >= end || !is_switch(at(k, from)) || is_last_of_cpu(k, from, end)) {
			memmove(k->records.buf + to, k->records.buf + from, size);
			to += size;
		}
		from += size;
	}
	k->records.len = to;
	k->kept = to;
}

bool perfkeep_add(struct perfkeep *k, const struct perf_event_header *rec)
{
	/* What is not dropped may be more than that, and is not looked through for each. */
	if (k->records.len >= PERFKEEP_MAX && k->records.len - k->kept >= PERFKEEP_MAX / 4)
		drop_switches(k, k->records.len / 2);
	return !perfbuf_put(&k->records, rec, rec->size);
}

void perfkeep_drop_switches(struct perfkeep *k)
{
	drop_switches(k, k->records.len);
}

void perfkeep_free(struct perfkeep *k)
{
	free(k->records.buf);
	*k = (struct perfkeep){ 0 };
}
