/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event addresses: what freezes the records of retired instructions, and the file that
 * holds them. (Documentation/reference/address.rst)
 */
#ifndef SOFTPT_RETIRE_TEXT_H
#define SOFTPT_RETIRE_TEXT_H

#include <stdio.h>

#include "base/error.h"
#include <softpt/address.h>
#include <softpt/spec.h>

/* Which event freezes the records: CLASS[/SUBMASK][:QUAL...][,nth=K][,delay=D] */
struct ear_event {
	struct softpt_spec spec;
	uint64_t nth;
	uint64_t delay;		/* 0: not given */
};

/* A pipeline, and what each of its stages holds; 0: not told */
struct ear_pipeline {
	struct softpt_pipeline p;
	uint32_t capacity[SOFTPT_STAGES_MAX];
};

/**
 * ear_parse_pipeline() - read
 *	stages=S[,min=A][,delay=D][,write=W][,depth=N][,after=0|1][,capacity=C[:C...]]
 * @p: filled in
 * @text: KEY=VALUE,...
 * @e: on an error, what is wrong
 *
 * Return: 0, or -EINVAL with @e set.
 */
int ear_parse_pipeline(struct ear_pipeline *p, const char *text, struct error *e);

/**
 * ear_parse_capacity() - read what stages hold: one number for all, or one for each
 * @capacity: room for SOFTPT_STAGES_MAX, zeroed behind the last; all of them, where it is one
 * @text: numbers with colons between, 0 is not told; modified
 *
 * Return: how many numbers there were, or -EINVAL.
 */
int ear_parse_capacity(uint32_t *capacity, char *text);

/* Read what freezes the records. Return: 0, or -EINVAL with @e set */
int ear_parse_event(struct ear_event *ev, const char *text, struct error *e);

/**
 * ear_plan() - let a counter overflow at the K-th event
 * @plan: the counters so far: one more is taken
 * @ev: the event
 * @e: on an error, what is wrong
 *
 * Return: the counter; -errno with @e set where there is none.
 */
int ear_plan(struct softpt_plan *plan, const struct ear_event *ev, struct error *e);

/* Records as text, header and all; only the header where none were frozen */
void ear_write(FILE *to, const struct softpt_frozen *frozen);

/* Records from a file */
struct ear_file {
	struct softpt_frozen frozen;
	struct softpt_retirement *record;	/* @frozen's, malloc'ed */
	uint32_t capacity[SOFTPT_STAGES_MAX];	/* @frozen's, where the file tells it */
	bool has_pipeline;
};

/**
 * ear_read() - read what ear_write() has written, or a table like it
 * @file: filled in; nothing is left to be freed on an error
 * @path: "-" is stdin
 * @e: on an error, which line is wrong and why
 *
 * Return: 0, or -errno.
 */
int ear_read(struct ear_file *file, const char *path, struct error *e);

void ear_free(struct ear_file *file);

/* The columns of the file: the first six are a record, as hardware has it */
#define EAR_COLUMNS(X) \
	X(INDEX, "index") X(IP, "ip") X(CYCLES, "cycles") \
	X(VALID, "valid") X(FLUSHED, "flushed") X(EARLY, "early") \
	X(COUNT, "count") X(SQUASHED, "squashed") \
	X(STAGES, "stages") X(MIN, "min") X(DELAY, "delay") X(WRITE, "write") \
	X(EVENTS, "events") X(STAGE, "stage") X(OCCUPIED, "occupied") \
	X(AVAILABLE, "available") X(DATA, "data") X(CAPACITY, "capacity")

enum ear_column {
#define X(id, name) EAR_##id,
	EAR_COLUMNS(X)
#undef X
	EAR_NR
};

#endif /* SOFTPT_RETIRE_TEXT_H */
