/* SPDX-License-Identifier: BSD-2-Clause */
/* A program that is translated: its records, read while it runs (Documentation/translate.rst) */
#ifndef SOFTPT_SOURCE_TRANSLATE_H
#define SOFTPT_SOURCE_TRANSLATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/softpt.h>
#include <softpt/translate.h>

/* ---- the file that the program and its recorder share (share.c) ---- */

struct xl_share {
	int fd;
	void *map;
};

/* Return: 0 or -errno */
int xl_share_open(struct xl_share *s);
void xl_share_close(struct xl_share *s);
/* An area is free again, and empty. */
void xl_share_free(const struct xl_share *s, uint32_t process);

static inline struct softpt_xl_process *xl_process(const struct xl_share *s, uint32_t process)
{
	return (void *)((char *)s->map + softpt_xl_area(process));
}

/*
 * What is to be executed to have @path executed, in translation.
 *
 * Return: NULL, or why it can't be translated.
 */
const char *xl_refusal(const char *path);
/* The file that execvp() would execute. Return: 0 or -errno */
int xl_find(const char *name, char *path, size_t size);
/* The runtime: beside the command, or installed. Return: whether it is there */
bool xl_runtime(char *path, size_t size);

/* ---- what the records of a thread mean (translate.c) ---- */

struct sim;

/**
 * struct xl_unit - a thread of the program, and the unit that traces it
 * @process: its area; the program may write anything there
 * @sim: its unit, or NULL: none
 * @tid: the thread
 * @model: the clock counts instructions
 * @now: TSC of the last event
 * @over: TSC at which what the next record says was over; 0: not known
 * @cycles: instructions so far: the model clock
 * @ip: the instruction that waits for where it goes
 * @len: its bytes
 * @kind: SOFTPT_X86_OTHER: none does
 * @in_kernel: it is in a system call, or a signal is on its way
 * @err: of the unit's output, latched; -EBADMSG: records that mean nothing
 * @branches: conditional ones
 */
struct xl_unit {
	const struct softpt_xl_process *process;
	struct sim *sim;
	pid_t tid;
	bool model;
	uint64_t now;
	uint64_t over;
	uint64_t cycles;
	uint64_t ip;
	uint8_t len;
	uint8_t kind;
	bool in_kernel;
	int err;
	uint64_t branches;
};

/* The thread begins at @to. */
void xl_unit_begin(struct xl_unit *u, uint64_t to, uint64_t tsc);
/* It has left superblocks by these exits. Return: @to, or the first record that is an escape */
const uint32_t *xl_unit_exits(struct xl_unit *u, const uint32_t *from, const uint32_t *to);
/* What no exit says */
void xl_unit_escape(struct xl_unit *u, const struct softpt_xl_escape *e);
/* It is gone. */
void xl_unit_end(struct xl_unit *u, uint64_t tsc);

/* ---- the command (tool/record/translate.c) ---- */

/**
 * struct xl_job - what softpt record --how=translate was asked for
 * @path: of the recording
 * @argv: the program
 * @cpu: the only CPU that it may run on, or -1
 * @stats: counts on stderr
 * @cfg: of the units, judged
 */
struct xl_job {
	const char *path;
	char **argv;
	int cpu;
	bool stats;
	struct softpt_config cfg;
};

/* Return: NULL, or why this program can't be recorded so */
const char *record_translate_refusal(const struct xl_job *job);
/* Return: the program's exit status, or EXIT_REFUSED after a message */
int record_translate(const struct xl_job *job);

#endif /* SOFTPT_SOURCE_TRANSLATE_H */
