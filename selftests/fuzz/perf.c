// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fuzz target: perf.data of any bytes. All that the reader gives is looked at, to its last byte;
 * each stream is decoded; and processes and threads are made of the records.
 */
#include <string.h>

#include "userspace/include/softpt/decoder.h"
#include "userspace/include/softpt/perf.h"
#include "userspace/lib/flow/process.h"
#include "fuzz.h"

/* No mapping leads to a file: a name that any bytes have made is opened below this. */
#define ROOT	"/dev/null/"

static volatile uint8_t seen;

static void look(const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	while (len--)
		seen ^= *p++;
}

static void decode(const struct softpt_perf_stream *s, const struct softpt_config *cfg)
{
	struct softpt_decoder *d = softpt_decoder_new(NULL);
	const struct softpt_record *rec;

	if (!d)
		return;
	softpt_decoder_set_foreign(d, cfg);
	softpt_decoder_set_buffer(d, s->buf, s->len);
	while (softpt_decoder_next(d, &rec))
		;
	softpt_decoder_free(d);
}

static void look_at_records(const struct softpt_perf *p)
{
	struct softpt_perf_record rec;
	struct softpt_perf_map map;
	size_t i;

	for (i = 0; softpt_perf_record(p, i, &rec); i++) {
		look(rec.body, rec.size);
		if (softpt_perf_map_of(&rec, &map))
			look(map.name, strlen(map.name));
	}
}

static void tell(const struct softpt_perf *p)
{
	struct flow_processes *all = flow_processes_new(p, ROOT, NULL);
	struct input_stream none = { .cpu = 0, .tid = -1 };

	if (!all)
		return;
	flow_processes_until(all, UINT64_MAX);
	flow_processes_on(all, &none);
	flow_processes_free(all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct softpt_perf_stream *s;
	struct softpt_config cfg;
	struct softpt_perf_cpu cpu;
	struct softpt_perf_crash crash;
	struct softpt_perf *p;
	const void *code;
	uint64_t offset;
	size_t len;
	unsigned int i;

	if (softpt_perf_open(&p, data, size, &offset))
		return 0;
	softpt_perf_config(p, &cfg);
	softpt_perf_cpu(p, &cpu);
	code = softpt_perf_vdso(p, &len);
	look(code, len);
	code = softpt_perf_vdso32(p, &len);
	look(code, len);
	softpt_perf_time(p, size);
	for (i = 0; softpt_perf_crash(p, i, &crash); i++)
		look(&crash, sizeof(crash));
	for (i = 0; (s = softpt_perf_stream(p, i)); i++) {
		look(s->buf, s->len);
		decode(s, &cfg);
	}
	look_at_records(p);
	tell(p);
	softpt_perf_free(p);
	return 0;
}
