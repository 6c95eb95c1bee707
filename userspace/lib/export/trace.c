// SPDX-License-Identifier: BSD-2-Clause
/*
 * A trace for ui.perfetto.dev. Of each CPU: who ran, what happened, how many MTCs were sent and
 * how many suppressed, how wide the bounds are. Of each thread: its calls, if the file says
 * what program ran; in a trace by thread what is of a CPU else is beneath the thread.
 */
#include "export/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <softpt/decoder.h>
#include <softpt/perf.h>

#include "flow/path.h"
#include "export/perfetto.h"
#include "export/switches.h"
#include "export/threads.h"

/* The tracks of a stream, and what their counters last had */
struct cpu {
	uint64_t track;
	uint64_t events;
	uint64_t emitted;
	uint64_t suppressed;
	uint64_t width;
	struct softpt_decoder_counts counts;
	uint64_t last_width;
	uint64_t ns;		/* of the last event: later ones are not before it */
};

struct trace {
	const struct export *e;
	struct perfetto p;
	bool packets_only;	/* no program is known: branches are events */
};

#define KIND(k) (1u << SOFTPT_REC_##k)
#define FLOW_KINDS \
	(KIND(TAKEN) | KIND(NOT) | KIND(TIP) | KIND(ENABLE) | KIND(DISABLE) | KIND(INTR) | \
	 KIND(MODE))

/* Nanoseconds where the file knows the clock, else TSC ticks */
static uint64_t time_of(const struct input *in, uint64_t tsc)
{
	return in->perf ? softpt_perf_time(in->perf, tsc) : tsc;
}

static void put_event(struct trace *t, const struct cpu *c, const struct softpt_record *rec)
{
	struct perfetto_event ev = {
		.track = c->events, .ns = c->ns, .name = softpt_record_kind_name(rec->kind),
	};

	if (!t->packets_only && FLOW_KINDS & 1u << rec->kind)
		return;
	if (rec->flags & SOFTPT_REC_HAS_IP)
		perfetto_note(&ev, "ip", rec->ip, true);
	if (rec->flags & SOFTPT_REC_HAS_VALUE)
		perfetto_note(&ev, "value", rec->value, false);
	if (rec->flags & SOFTPT_REC_HAS_MIN) {
		perfetto_note(&ev, "tsc", rec->tsc, false);
		perfetto_note(&ev, "tsc_min", rec->tsc_min, false);
	}
	if (rec->flags & SOFTPT_REC_HAS_MAX)
		perfetto_note(&ev, "tsc_max", rec->tsc_max, false);
	perfetto_instant(&t->p, &ev);
}

/* A counter's value when it changes */
static void put_count(struct trace *t, const struct cpu *c, uint64_t track, uint64_t *last,
		      uint64_t now)
{
	if (*last == now)
		return;
	perfetto_count(&t->p, track, c->ns, now);
	*last = now;
}

static void put_counts(struct trace *t, struct cpu *c, const struct input *in,
		       const struct softpt_decoder *d, const struct softpt_record *rec)
{
	const struct softpt_decoder_counts *now = softpt_decoder_counts(d);

	put_count(t, c, c->emitted, &c->counts.mtc, now->mtc);
	put_count(t, c, c->suppressed, &c->counts.mtc_missing, now->mtc_missing);
	if (rec->flags & SOFTPT_REC_HAS_MIN && rec->flags & SOFTPT_REC_HAS_MAX)
		put_count(t, c, c->width, &c->last_width,
			  time_of(in, rec->tsc_max) - time_of(in, rec->tsc_min));
}

/* The last of the counters' values is at the last event: MTCs behind it have no other place. */
static int put_records(struct trace *t, struct cpu *c, const struct export_stream *s,
		       struct softpt_decoder *d)
{
	const struct softpt_record *rec;
	struct softpt_record last = { 0 };
	int ret, err = 0;

	while ((ret = softpt_decoder_next(d, &rec)) != 0 && ret != -ENOMEM) {
		if (ret < 0) {
			err = error_tell_at(t->e->errors, s->in->path, -EILSEQ,
					    softpt_decoder_resync(d)->offset, "%s",
					    softpt_strerror(ret));
			continue;
		}
		last = *rec;
		if (time_of(s->in, rec->tsc) > c->ns)
			c->ns = time_of(s->in, rec->tsc);
		put_counts(t, c, s->in, d, rec);
		put_event(t, c, rec);
	}
	last.flags = 0;
	put_counts(t, c, s->in, d, &last);
	return ret ? error_tell_errno(t->e->errors, s->in->path, ret) : err;
}

/* What a stream has beside the path: beneath its thread, where that has a track */
struct place {
	uint64_t parent;
	char whose[32];
};

static struct place place_of(const struct export_stream *s, uint64_t thread)
{
	struct place place = { .parent = thread };

	if (!thread && s->s->tid >= 0)
		snprintf(place.whose, sizeof(place.whose), "thread %d ", s->s->tid);
	else if (!thread)
		snprintf(place.whose, sizeof(place.whose), "CPU %u ", s->cpu);
	return place;
}

static uint64_t put_counter(struct trace *t, const struct place *place, const char *what,
			    enum perfetto_unit unit)
{
	char name[64];

	snprintf(name, sizeof(name), "%s%s", place->whose, what);
	return perfetto_counter(&t->p, place->parent, name, unit);
}

static void put_tracks(struct trace *t, struct cpu *c, const struct place *place)
{
	char name[64];

	snprintf(name, sizeof(name), "%sevents", place->whose);
	c->events = perfetto_track(&t->p, place->parent, name);
	c->emitted = put_counter(t, place, "MTC emitted", PERFETTO_COUNT);
	c->suppressed = put_counter(t, place, "MTC suppressed", PERFETTO_COUNT);
	c->width = put_counter(t, place, "bound width", PERFETTO_NS);
}

/* @thread: the track of the thread that the stream is of; 0: none */
static int put_stream(struct trace *t, const struct export_stream *s, uint64_t thread)
{
	struct softpt_decoder *d = softpt_decoder_new(t->e->given ? &t->e->cfg : NULL);
	const struct place place = place_of(s, thread);
	struct cpu c = { 0 };
	int err;

	if (!d)
		return error_tell_errno(t->e->errors, s->in->path, -ENOMEM);
	if (s->in->foreign && !t->e->given)
		softpt_decoder_set_foreign(d, &s->in->config);
	softpt_decoder_set_buffer(d, s->s->buf, s->s->len);
	put_tracks(t, &c, &place);
	err = put_records(t, &c, s, d);
	softpt_decoder_free(d);
	return err;
}

static int put_threads(struct trace *t, const struct export_stream *streams, unsigned int nr,
		       uint64_t *track)
{
	struct input part;
	int err = export_streams_of(t->e, streams, nr, &part);

	if (err)
		return err;
	err = perfetto_threads(&t->p, &part, t->e->root, track, t->e->errors);
	free(part.streams);
	return err;
}

/* A damaged stream is told of, and what can be read is there. */
static int put_file(struct trace *t, const struct export_stream *streams, unsigned int nr)
{
	const struct input *in = streams->in;
	const struct flow_path path = { .in = in };
	uint64_t *track = calloc(nr, sizeof(*track));
	int err = 0, one;
	unsigned int i;

	if (!track)
		return error_tell_errno(t->e->errors, in->path, -ENOMEM);
	t->packets_only = flow_path_check(&path);
	if (!t->packets_only)
		err = put_threads(t, streams, nr, track);
	else if (in->perf && perfetto_switches(&t->p, in))
		err = error_tell(t->e->errors, in->path, -ENOMEM, "out of memory");
	for (i = 0; i < nr; i++) {
		one = put_stream(t, &streams[i], track[i]);
		err = err ? err : one;
	}
	free(track);
	return err;
}

static int put_all(struct trace *t, const struct export_stream *streams, unsigned int nr)
{
	unsigned int i, n;
	int err = 0, one;

	for (i = 0; i < nr; i += n) {
		for (n = 1; i + n < nr && streams[i + n].in == streams[i].in; n++)
			;
		one = put_file(t, streams + i, n);
		err = err ? err : one;
	}
	return err;
}

static int run_perfetto(const struct export *e, const struct export_stream *streams,
			unsigned int nr)
{
	struct trace t = { .e = e };
	int err, failed, fd = export_open(e);

	if (fd < 0)
		return fd;
	t.p.to = fdopen(fd, "w");
	if (!t.p.to)
		return export_close(e, fd, error_tell_errno(e->errors, e->output, -errno));
	err = put_all(&t, streams, nr);
	errno = EIO;
	failed = ferror(t.p.to);	/* of a write before, whose reason has gone */
	if ((fclose(t.p.to) || failed) && !err)
		err = error_tell_errno(e->errors, e->output, -errno);
	return err;
}

const struct exporter export_perfetto = { "perfetto", run_perfetto };
