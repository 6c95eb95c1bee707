// SPDX-License-Identifier: BSD-2-Clause
/*
 * The file is one message Trace, its only field a TracePacket, again and again. The numbers
 * are those of protos/perfetto/trace/ in Perfetto's sources.
 */
#include "export/perfetto.h"

#include "export/protobuf.h"

enum {
	TRACE_PACKET		= 1,

	PACKET_TIMESTAMP	= 8,
	PACKET_SEQUENCE		= 10,
	PACKET_TRACK_EVENT	= 11,
	PACKET_SEQUENCE_FLAGS	= 13,
	PACKET_TRACK		= 60,

	TRACK_UUID		= 1,
	TRACK_NAME		= 2,
	TRACK_PROCESS		= 3,
	TRACK_THREAD		= 4,
	TRACK_PARENT		= 5,
	TRACK_COUNTER		= 8,

	PROCESS_PID		= 1,
	PROCESS_NAME		= 6,
	THREAD_PID		= 1,
	THREAD_TID		= 2,
	THREAD_NAME		= 5,
	COUNTER_UNIT		= 3,

	EVENT_NOTE		= 4,
	EVENT_TYPE		= 9,
	EVENT_TRACK		= 11,
	EVENT_NAME		= 23,
	EVENT_COUNTER_VALUE	= 30,

	NOTE_UINT		= 3,
	NOTE_TEXT		= 6,
	NOTE_POINTER		= 7,
	NOTE_NAME		= 10,
};

enum event_type {
	SLICE_BEGIN = 1,
	SLICE_END,
	INSTANT,
	COUNTER,
};

#define SEQUENCE		1	/* there is only one writer */
#define SEQUENCE_CLEARED	1	/* its first packet: it refers to none before */

static void put_packet(struct perfetto *p, struct protobuf *packet)
{
	struct protobuf trace;

	protobuf_uint(packet, PACKET_SEQUENCE, SEQUENCE);
	if (!p->begun)
		protobuf_uint(packet, PACKET_SEQUENCE_FLAGS, SEQUENCE_CLEARED);
	p->begun = true;
	protobuf_init(&trace);
	protobuf_message(&trace, TRACE_PACKET, packet);
	fwrite(trace.byte, trace.len, 1, p->to);
}

/* ---- tracks ---- */

/* @uuid: 0: a new one. @detail: the field that says what kind of track it is, 0: no kind */
static uint64_t put_track(struct perfetto *p, uint64_t uuid, uint64_t parent, const char *name,
			  unsigned int detail, const struct protobuf *is)
{
	struct protobuf packet, track;

	if (!uuid)
		uuid = ++p->tracks;

	protobuf_init(&track);
	protobuf_uint(&track, TRACK_UUID, uuid);
	if (parent)
		protobuf_uint(&track, TRACK_PARENT, parent);
	if (name)
		protobuf_text(&track, TRACK_NAME, name);
	if (detail)
		protobuf_message(&track, detail, is);
	protobuf_init(&packet);
	protobuf_message(&packet, PACKET_TRACK, &track);
	put_packet(p, &packet);
	return uuid;
}

uint64_t perfetto_track(struct perfetto *p, uint64_t parent, const char *name)
{
	return put_track(p, 0, parent, name, 0, NULL);
}

uint64_t perfetto_process(struct perfetto *p, uint64_t track, uint32_t pid, const char *name)
{
	struct protobuf process;

	protobuf_init(&process);
	protobuf_uint(&process, PROCESS_PID, pid);
	protobuf_text(&process, PROCESS_NAME, name);
	return put_track(p, track, 0, NULL, TRACK_PROCESS, &process);
}

uint64_t perfetto_thread(struct perfetto *p, uint64_t track, uint32_t pid, uint32_t tid,
			 const char *name)
{
	struct protobuf thread;

	protobuf_init(&thread);
	protobuf_uint(&thread, THREAD_PID, pid);
	protobuf_uint(&thread, THREAD_TID, tid);
	protobuf_text(&thread, THREAD_NAME, name);
	return put_track(p, track, 0, NULL, TRACK_THREAD, &thread);
}

uint64_t perfetto_counter(struct perfetto *p, uint64_t parent, const char *name,
			  enum perfetto_unit unit)
{
	struct protobuf counter;

	protobuf_init(&counter);
	protobuf_uint(&counter, COUNTER_UNIT, unit);
	return put_track(p, 0, parent, name, TRACK_COUNTER, &counter);
}

/* ---- events ---- */

static void put_note(struct protobuf *event, const struct perfetto_note *note)
{
	struct protobuf m;

	protobuf_init(&m);
	protobuf_text(&m, NOTE_NAME, note->name);
	if (note->text)
		protobuf_text(&m, NOTE_TEXT, note->text);
	else
		protobuf_uint(&m, note->address ? NOTE_POINTER : NOTE_UINT, note->value);
	protobuf_message(event, EVENT_NOTE, &m);
}

static void put_event(struct perfetto *p, uint64_t ns, struct protobuf *event)
{
	struct protobuf packet;

	protobuf_init(&packet);
	protobuf_uint(&packet, PACKET_TIMESTAMP, ns);
	protobuf_message(&packet, PACKET_TRACK_EVENT, event);
	put_packet(p, &packet);
}

static void put(struct perfetto *p, enum event_type type, const struct perfetto_event *ev)
{
	struct protobuf event;
	unsigned int i;

	protobuf_init(&event);
	protobuf_uint(&event, EVENT_TYPE, type);
	protobuf_uint(&event, EVENT_TRACK, ev->track);
	if (ev->name)
		protobuf_text(&event, EVENT_NAME, ev->name);
	for (i = 0; i < ev->notes; i++)
		put_note(&event, &ev->note[i]);
	put_event(p, ev->ns, &event);
}

void perfetto_begin(struct perfetto *p, const struct perfetto_event *ev)
{
	put(p, SLICE_BEGIN, ev);
}

void perfetto_end(struct perfetto *p, const struct perfetto_event *ev)
{
	put(p, SLICE_END, ev);
}

void perfetto_instant(struct perfetto *p, const struct perfetto_event *ev)
{
	put(p, INSTANT, ev);
}

void perfetto_count(struct perfetto *p, uint64_t track, uint64_t ns, uint64_t value)
{
	struct protobuf event;

	protobuf_init(&event);
	protobuf_uint(&event, EVENT_TYPE, COUNTER);
	protobuf_uint(&event, EVENT_TRACK, track);
	protobuf_uint(&event, EVENT_COUNTER_VALUE, value);
	put_event(p, ns, &event);
}

void perfetto_note(struct perfetto_event *ev, const char *name, uint64_t value, bool address)
{
	ev->note[ev->notes++] = (struct perfetto_note){
		.name = name, .value = value, .address = address,
	};
}

void perfetto_note_text(struct perfetto_event *ev, const char *name, const char *text)
{
	if (text)
		ev->note[ev->notes++] = (struct perfetto_note){ .name = name, .text = text };
}

void perfetto_note_time(struct perfetto_event *ev, const struct softpt_flow_time *when, bool end)
{
	perfetto_note(ev, end ? "end_tsc" : "tsc", when->tsc, false);
	perfetto_note(ev, end ? "end_tsc_min" : "tsc_min", when->min, false);
	if (when->bounded)
		perfetto_note(ev, end ? "end_tsc_max" : "tsc_max", when->max, false);
}
