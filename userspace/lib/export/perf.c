// SPDX-License-Identifier: BSD-2-Clause
/* Packets -> perf.data: the time of perf is the TSC, for there is no other */
#include "export/export.h"

#include <errno.h>
#include <string.h>

#include "packet/stream.h"
#include <softpt/perf.h>

/* perf takes a piece of trace to be from about this time: its last TSC packet */
static uint64_t last_tsc(const void *buf, size_t len)
{
	struct softpt_packet pkt;
	struct softpt_stream s;
	uint64_t tsc = 1;	/* perf wants it to be not 0 */

	softpt_stream_init(&s, buf, len);
	while (!softpt_sync_forward(&s, 0, NULL)) {
		while (softpt_stream_parse(&s, &pkt) > 0)
			if (pkt.type == SOFTPT_PKT_TSC && pkt.payload)
				tsc = pkt.payload;
		if (s.pos < s.end)
			s.pos++;
	}
	return tsc;
}

/* Everything on the CPU belongs to one thread: without this perf follows no branches */
static int put_start(struct softpt_perf_writer *w, unsigned int cpu)
{
	const struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		struct softpt_perf_id id;
	} start = {
		.header = { .type = PERF_RECORD_ITRACE_START, .size = sizeof(start) },
		.pid = 1, .tid = 1,
		.id = { .pid = 1, .tid = 1, .time = 1, .cpu = cpu },
	};

	return softpt_perf_writer_record(w, &start.header);
}

int export_perf_trace(struct softpt_perf_writer *w, unsigned int cpu, const void *buf, size_t len)
{
	int err = put_start(w, cpu);

	return err ? err : softpt_perf_writer_trace(w, cpu, last_tsc(buf, len), buf, len);
}

static int write_perf(const struct export *e, int fd, const struct export_stream *streams,
		      unsigned int nr)
{
	struct softpt_config cfg;
	const struct softpt_perf_setup setup = { .cfg = &cfg, .time_mult = 1 };
	struct softpt_perf_writer *w;
	unsigned int i;
	int err, end;

	export_config(e, &streams[0], &cfg);
	err = softpt_perf_writer_new(&w, fd, &setup);
	if (err)
		return error_tell_errno(e->errors, e->output, err);
	for (i = 0; i < nr && !err; i++)
		err = export_perf_trace(w, streams[i].cpu, streams[i].s->buf, streams[i].s->len);
	end = softpt_perf_writer_end(w);
	err = err ? err : end;
	return err ? error_tell_errno(e->errors, e->output, err) : 0;
}

/* perf takes what is of one CPU for one stream. */
static int check_cpus(const struct export *e, const struct export_stream *streams,
		      unsigned int nr)
{
	unsigned int i, k;

	for (i = 0; i < nr; i++)
		for (k = 0; k < i; k++)
			if (streams[i].cpu == streams[k].cpu)
				return error_tell(e->errors, streams[i].in->path, -EINVAL,
						  "a second trace of CPU %u: each needs a file of its own",
						  streams[i].cpu);
	return 0;
}

/* The header says how fast the clocks are, whether the packets did or not. */
static void note_defaults(const struct export *e, const struct export_stream *stream)
{
	struct softpt_config cfg;

	if (e->given || stream->in->foreign || stream->s->cpu >= 0 ||
	    !softpt_config_of_stream(&cfg, stream->s->buf, stream->s->len))
		return;
	error_tell(e->errors, stream->in->path, 0,
		   "does not say how fast its clocks are: as by default (-c KEY=VALUE)");
}

/* To perf a TSC of 0 is none: what follows it, up to the next, has no time, and is not shown. */
static int check_begin(const struct export *e, const struct export_stream *stream)
{
	struct softpt_packet pkt;
	struct softpt_stream s;

	softpt_stream_init(&s, stream->s->buf, stream->s->len);
	if (softpt_sync_forward(&s, 0, NULL))
		return 0;
	while (softpt_stream_parse(&s, &pkt) > 0)
		if (pkt.type == SOFTPT_PKT_TSC)
			return pkt.payload ? 0 :
			       error_tell_at(e->errors, stream->in->path, -EINVAL,
					     softpt_stream_offset(&s) - pkt.size,
					     "a TSC of 0: perf would show nothing of it");
	return 0;
}

static int run_perf(const struct export *e, const struct export_stream *streams, unsigned int nr)
{
	unsigned int i;
	int fd, err;

	if (!strcmp(e->output, "-"))
		return error_tell(e->errors, e->output, -EINVAL,
				  "perf.data is not written in one go: name a file");
	err = check_cpus(e, streams, nr);
	for (i = 0; i < nr && !err; i++)
		err = check_begin(e, &streams[i]);
	if (err)
		return err;
	for (i = 0; i < nr; i++)
		note_defaults(e, &streams[i]);
	fd = export_open(e);
	return fd < 0 ? fd : export_close(e, fd, write_perf(e, fd, streams, nr));
}

const struct exporter export_perf = { "perf", run_perf };
