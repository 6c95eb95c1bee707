/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt record --in, --in-lines: functions whose calls are recorded, or what is behind a line */
#ifndef SOFTPT_TOOL_RECORD_INSIDE_INSIDE_H
#define SOFTPT_TOOL_RECORD_INSIDE_INSIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <softpt/translate.h>

#include "names.h"

struct command;

/* --in and the like. Return: 0, or EXIT_USAGE after a message */
int inside_option(const struct command *cmd, struct inside *in, enum inside_way way,
		  const char *text);
/* Whether a probe is among the places where a recording begins */
bool inside_begins_at_probe(const struct inside *in);
/*
 * Look those of the program up: of the command @argv0, or of the process @pid.
 *
 * Return: 0, or EXIT_REFUSED after a message
 */
int inside_find(struct inside *in, const char *argv0, pid_t pid);
/* The process asks, and shares the file @fd. Return: 0 or -errno */
int inside_share(struct inside *in, int fd);
/* Where they are in the process @pid, as it is mapped now: its question @asked is answered. */
void inside_answer(struct inside *in, pid_t pid, struct softpt_xl_process *process,
		   uint32_t asked);
/*
 * Return: NULL, or why a process has to be translated between these calls, too. One that @starts
 * has yet to map its C library.
 */
const char *inside_native_refusal(struct inside *in, pid_t pid, bool starts);
/* At the end: which files were in no process, and that it was not native */
void inside_tell(const struct inside *in, const char *path);
void inside_free(struct inside *in);

#endif /* SOFTPT_TOOL_RECORD_INSIDE_INSIDE_H */
