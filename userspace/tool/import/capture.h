/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a logic analyser saw at the seven pins of a trace port, as a trace port's file
 * (Documentation/reference/port.rst). A format says which signals there are and what they are when;
 * here is when a clock is, and which pins they are.
 */
#ifndef SOFTPT_TOOL_IMPORT_CAPTURE_H
#define SOFTPT_TOOL_IMPORT_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/lines.h"
#include "sim/port-emulate.h"

#define CAPTURE_PINS	7
#define CAPTURE_SIGNALS	10	/* that pins may be given as, and the clock */
#define CAPTURE_NAME	256

enum capture_edge {
	CAPTURE_RISING,
	CAPTURE_FALLING,
	CAPTURE_BOTH,
};

/**
 * struct capture_signal - one or several of the pins, or the clock
 * @name: as it is looked for
 * @bits: how many; 0: as many as the capture says
 * @shift: where they are in the symbol
 * @found: the capture has it
 * @value: now
 * @known: all its bits are 0 or 1
 */
struct capture_signal {
	char name[CAPTURE_NAME];
	unsigned int bits;
	unsigned int shift;
	bool found;
	uint8_t value;
	bool known;
};

/**
 * struct capture - a capture that is read
 * @lines: its text
 * @pins: --pins: names, the highest bit first; NULL: ES and TS
 * @clock: --clock: a clock is at an edge of this signal; NULL: by time
 * @edge: at which
 * @before: what the pins were in the sample before the edge
 * @period: ticks of the capture's time; 0: none
 * @signal: the pins, and last the clock
 * @signals: how many of @signal are used; with @clock the last is the clock
 * @last: what the pins were in the sample before
 * @now: what the pins are in this sample
 * @level: of the clock: 0, 1; -1: not known
 * @timed: @time is known
 * @time: of what the signals are now
 * @next: a clock is then
 * @clocks: clocks so far
 * @port: the trace port's file that is written
 */
struct capture {
	struct lines lines;
	const char *pins;
	const char *clock;
	enum capture_edge edge;
	bool before;
	int64_t period;

	struct capture_signal signal[CAPTURE_SIGNALS];
	unsigned int signals;	/* the clock is the last, with @clock */
	struct {
		uint8_t symbol;
		const char *unknown;	/* a signal that is not known; NULL: all are */
	} now, last;
	int level;		/* of the clock: 0, 1; -1: not known */
	bool timed;
	int64_t time;		/* of what the signals are now */
	int64_t next;		/* a clock is then */
	uint64_t clocks;
	struct port port;
};

/* A line about the capture's current one. Return: EXIT_REFUSED */
int __attribute__((format(printf, 2, 3))) capture_refuse(const struct capture *c,
							 const char *format, ...);

/* ---- which signals (pins.c) ---- */

/* From @pins and @clock. Return: 0, or what is wrong with them */
const char *capture_names(struct capture *c);

/**
 * capture_declare() - the capture has a signal
 * @c: the capture
 * @name: its own
 * @path: with what it is part of; NULL: of nothing
 * @bits: how many it has; 0: any
 * @same: gives the number of a signal that was declared before, and is this one; or -1
 *
 * Return: its number in @c->signal, or -1: nobody asks for it; -2 after a message.
 */
int capture_declare(struct capture *c, const char *name, const char *path, unsigned int bits,
		    int same);

/* All are declared: are those there that are needed? Return: 0, or EXIT_REFUSED */
int capture_declared(struct capture *c);

/* ---- when (capture.c) ---- */

/* The pins are now as @c->signal says: a sample. Return: 0, or EXIT_REFUSED */
int capture_sample(struct capture *c);

/* What comes next is at @time. Return: 0, or EXIT_REFUSED */
int capture_time(struct capture *c, int64_t time);

/* Nothing comes. @more: a clock that begins at the last time is one. Return: 0, or EXIT_REFUSED */
int capture_end(struct capture *c, bool more);

/* ---- formats: the lines, as a trace port's symbols. Return: exit status ---- */

int import_vcd(struct capture *c);
int import_csv(struct capture *c);

/* Seconds and the like, in 10^-15 of them. Return: whether it is such a number */
bool import_csv_time(const char *text, int64_t *time);

#endif /* SOFTPT_TOOL_IMPORT_CAPTURE_H */
