/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * softpt eval: the same events under many configurations.
 *
 *	recording.c	events of a program that was recorded
 *	grid.c	a grid as text -> configurations
 *	point.c	one configuration: the engine's bytes, our times, the truth
 *	ipt.c	libipt's times of the same bytes
 *	perf.c	and perf's
 *	spread.c	many values -> worst, mean, 99.9th percentile
 *	axes.c	which configuration, as text
 *	print.c	table, csv, json
 *	gaps.c	worst errors behind gaps, as a table
 *	page.c	a page with three pictures
 *	svg.c	a panel with two axes
 *	png.c	the same in pixels
 *	front.c	bytes against error; error behind a silence
 *	stretch.c	a stretch in which MTCs are left out
 */
#ifndef SOFTPT_TOOL_EVAL_TYPES_H
#define SOFTPT_TOOL_EVAL_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <linux/softpt.h>

#include "events/text.h"

/* ---- many values ---- */

struct eval_values {
	uint64_t *v;
	size_t n;
	size_t alloc;
};

/* What is told of them; of none, all is 0 */
struct eval_spread {
	size_t n;
	uint64_t max;
	double mean;
	uint64_t p50;		/* the median: nearest rank */
	uint64_t p999;		/* the 99.9th percentile: nearest rank */
};

/* Return: 0 or -ENOMEM */
int eval_values_add(struct eval_values *values, uint64_t v);
/* Sorts and frees them. */
struct eval_spread eval_spread_of(struct eval_values *values);

/* ---- a recording ---- */

struct eval_recording {
	const char *path;
	const char *truth;	/* NULL: what is beside it, if that is there */
	int cpu;		/* -1: that with the most */
};

bool eval_is_recording(const char *path);

/**
 * eval_recording() - read the events of one CPU
 * @from: the recording
 * @cfg: set to what it was made with, without what eval varies
 * @list: all zero; event_list_free() it in any case
 *
 * Return: 0, or EXIT_REFUSED after a message.
 */
int eval_recording(const struct eval_recording *from, struct softpt_config *cfg,
		   struct event_list *list);

/* ---- one configuration ---- */

/* A gap of years must not fill the memory. */
#define EVAL_BYTES_MAX	(256u << 20)

/* Error by silence: class 0 is less than an MTC period, class k from 2^(k-1) periods on */
#define EVAL_SILENCES	24

struct eval_error {
	struct eval_spread all;
	uint64_t worst[EVAL_SILENCES];
	uint64_t count[EVAL_SILENCES];
};

static inline void eval_error_note(struct eval_error *e, unsigned int silence, uint64_t error)
{
	e->count[silence]++;
	if (e->worst[silence] < error)
		e->worst[silence] = error;
}

/* Who tells a time of the same bytes */
#define EVAL_DECODERS	3

struct eval_decoder {
	const char *name;
	const char *colour;	/* in pictures */
	size_t error;		/* offset of its struct eval_error in struct eval_point */
};

extern const struct eval_decoder eval_decoders[EVAL_DECODERS];

/**
 * struct eval_point - a configuration, its events, and what came of it
 * @cfg: judged
 * @events: what happens
 * @clock_permille: how often the clock changes in synthetic events; -1: the grid does not say
 * @bytes: of the stream
 * @mtc: MTC packets in it
 * @mtc_suppressed: and those that were left out
 * @records: whose times are judged: all but PSBs
 * @unbounded: of these, without a lower or an upper bound
 * @outside: records, with PSBs, whose true time is outside their bounds: a mistake of ours
 * @ours: how far off the library's estimates are, in TSC ticks
 * @ipt: and libipt's times, of the records that it tells a time of
 * @perf: and perf's
 * @width: of the library's bounds, tsc_max - tsc_min
 */
struct eval_point {
	struct softpt_config cfg;
	const struct event_list *events;
	int clock_permille;
	uint64_t bytes;
	uint64_t mtc;
	uint64_t mtc_suppressed;
	uint64_t records;
	uint64_t unbounded;
	uint64_t outside;
	struct eval_error ours;
	struct eval_error ipt;
	struct eval_error perf;
	struct eval_spread width;
};

static inline const struct eval_error *eval_error_of(const struct eval_point *p,
						     const struct eval_decoder *d)
{
	return (const void *)((const char *)p + d->error);
}

/* TSC ticks in MTC periods */
double eval_periods(const struct eval_point *p, uint64_t ticks);

double eval_bytes_per_event(const struct eval_point *p);

/* A record of the stream: what libipt and perf have to tell too */
struct eval_row {
	uint64_t tsc;		/* when it really happened */
	uint64_t ip;		/* where it went; where a disable was */
	bool has_ip;
	uint8_t kind;		/* enum softpt_record_kind */
	uint8_t silence;	/* class of the time since the row before */
};

/* What the engine wrote, and the truth about it */
struct eval_stream {
	uint8_t *bytes;
	size_t len;
	size_t alloc;
	struct eval_row *rows;
	size_t nr_rows;
	size_t alloc_rows;
};

/* Return: 0 or -ENOMEM */
int eval_stream_add(struct eval_stream *s, const void *buf, size_t len);

/* Why events were refused */
struct eval_refusal {
	size_t event;
	const char *why;
};

/**
 * eval_point() - give @p->events to a unit of @p->cfg, and judge every time
 * @p: @cfg and @events are set, the rest gets filled in
 * @perf: ask perf, too
 * @refusal: on -EINVAL, which event and why
 *
 * Return: 0, -ENOMEM, -EINVAL and @refusal is set, or what eval_perf() returns.
 */
int eval_point(struct eval_point *p, bool perf, struct eval_refusal *refusal);

/**
 * eval_ipt() - what libipt makes of the stream
 * @p: the configuration; @ipt is set
 * @s: the stream
 *
 * Return: 0 or -ENOMEM. @p->ipt stays empty if it has not told the same records.
 */
int eval_ipt(struct eval_point *p, const struct eval_stream *s);

/**
 * eval_perf() - what perf makes of the stream
 * @p: the configuration; @perf is set
 * @s: the stream
 *
 * Return: 0 or -errno; -ENOENT: there is no perf, -ECHILD: it fails. @p->perf stays empty
 * if it has not told the same records.
 */
int eval_perf(struct eval_point *p, const struct eval_stream *s);

/* ---- which configurations ---- */

#define EVAL_AXES	7
#define EVAL_VALUES	64	/* of an axis */
#define EVAL_POINTS	1000

struct eval_grid {
	struct {
		char text[EVAL_VALUES][24];
		unsigned int n;
	} axis[EVAL_AXES];
};

/**
 * eval_grid_parse() - add the axes of a text to a grid
 * @grid: all zero at first
 * @text: "KEY=VALUE,VALUE... KEY=..."
 * @why: on an error, one line
 * @len: bytes of @why
 *
 * Return: 0 or -EINVAL.
 */
int eval_grid_parse(struct eval_grid *grid, const char *text, char *why, size_t len);

/**
 * eval_grid_points() - all configurations of a grid, each once
 * @grid: of eval_grid_parse()
 * @base: what the grid does not say
 * @points: set to an array, which the caller frees; events are not set
 * @why: on an error, one line
 * @len: bytes of @why
 *
 * Return: how many, -EINVAL with a line in @why, or -ENOMEM.
 */
int eval_grid_points(const struct eval_grid *grid, const struct softpt_config *base,
		     struct eval_point **points, char *why, size_t len);

/* ---- output ---- */

enum eval_format { EVAL_TABLE, EVAL_CSV, EVAL_JSON };

/* A line begins with its configuration, or its head; it ends with what is seldom said. */
void eval_axes_head(FILE *to, enum eval_format format, const struct eval_point *first);
void eval_axes(FILE *to, enum eval_format format, const struct eval_point *p);
void eval_axes_head_end(FILE *to, enum eval_format format);
void eval_axes_end(FILE *to, enum eval_format format, const struct eval_point *p);

/* @perf: it was asked */
void eval_print(FILE *to, enum eval_format format, const struct eval_point *points, size_t n,
		bool perf);
/* Errors by silence; a decoder that told nothing has no line. */
void eval_print_gaps(FILE *to, enum eval_format format, const struct eval_point *points, size_t n);

/* Where the same goes as a picture; NULL: nowhere */
struct eval_pictures {
	const char *svg;
	const char *png;
};

/**
 * eval_draw() - draw once, and write it as wanted
 * @to: which files
 * @points: what to draw
 * @n: how many
 *
 * Return: 0, or EXIT_REFUSED after a message.
 */
int eval_draw(const struct eval_pictures *to, const struct eval_point *points, size_t n);

#endif /* SOFTPT_TOOL_EVAL_TYPES_H */
