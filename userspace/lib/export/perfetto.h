/* SPDX-License-Identifier: BSD-2-Clause */
/* A file for ui.perfetto.dev: tracks with slices, instants and counters */
#ifndef SOFTPT_EXPORT_PERFETTO_H
#define SOFTPT_EXPORT_PERFETTO_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <softpt/flow.h>

struct perfetto {
	FILE *to;
	uint64_t tracks;
	bool begun;
};

/* What the viewer tells of an event beside its name */
struct perfetto_note {
	const char *name;
	uint64_t value;
	const char *text;	/* in place of @value, or NULL */
	bool address;
};

#define PERFETTO_NOTES	8

struct perfetto_event {
	uint64_t track;
	uint64_t ns;
	const char *name;
	unsigned int notes;
	struct perfetto_note note[PERFETTO_NOTES];
};

/* What an event has beside, up to PERFETTO_NOTES; @text NULL: nothing */
void perfetto_note(struct perfetto_event *ev, const char *name, uint64_t value, bool address);
void perfetto_note_text(struct perfetto_event *ev, const char *name, const char *text);
/* A time with its bounds: of the begin, or of the end of a slice */
void perfetto_note_time(struct perfetto_event *ev, const struct softpt_flow_time *when, bool end);

enum perfetto_unit {
	PERFETTO_NS = 1,
	PERFETTO_COUNT = 2,
};

/* New tracks, named; @parent 0: none. Return: the track */
uint64_t perfetto_track(struct perfetto *p, uint64_t parent, const char *name);
/* The same, or a new name for @track if that is not 0 */
uint64_t perfetto_process(struct perfetto *p, uint64_t track, uint32_t pid, const char *name);
uint64_t perfetto_thread(struct perfetto *p, uint64_t track, uint32_t pid, uint32_t tid,
			 const char *name);
uint64_t perfetto_counter(struct perfetto *p, uint64_t parent, const char *name,
			  enum perfetto_unit unit);

/* A slice ends the newest that has begun on its track. */
void perfetto_begin(struct perfetto *p, const struct perfetto_event *ev);
void perfetto_end(struct perfetto *p, const struct perfetto_event *ev);
void perfetto_instant(struct perfetto *p, const struct perfetto_event *ev);
void perfetto_count(struct perfetto *p, uint64_t track, uint64_t ns, uint64_t value);

#endif /* SOFTPT_EXPORT_PERFETTO_H */
