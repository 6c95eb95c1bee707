/* SPDX-License-Identifier: BSD-2-Clause */
/* What main.c makes fail: one row for each call, or for a row of calls of which one fails */
#ifndef SOFTPT_SELFTESTS_FAULTS_H
#define SOFTPT_SELFTESTS_FAULTS_H

#include "selftests/kit/kit.h"

#define FAULTS_EVENTS	5

struct faults_world {
	int dev;
	int session;		/* with @unit, not enabled */
	int unit;
	pid_t process;		/* one that waits */
	struct softpt_event *ev;
};

struct faults_row {
	const char *name;
	/* Return: what the first call that failed did; all it has made is gone. */
	long (*call)(struct faults_world *w);
};

/* Terminated by a row without a name */
extern const struct faults_row faults_calls[], faults_sources[];

/* A session of its own for a row, with a unit of CPU 0 */
struct faults_session {
	int session;
	int unit;
};

long faults_begin(struct faults_world *w, const struct softpt_config *config,
		  unsigned int source, struct faults_session *s);
/* Return: @ret */
long faults_end(struct faults_session *s, long ret);
/* Before anything fails */
void faults_find_pmu(void);
/* Rings of a page: there is one failure for each page. */
struct softpt_config faults_config(void);
/* The failure may also hit these, and is spent then. */
void faults_disable(int session);
void faults_unmap(void *base, size_t size);

#endif
