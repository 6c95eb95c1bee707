/* SPDX-License-Identifier: BSD-2-Clause */
/* A program that runs in translation is started */
#ifndef SOFTPT_TOOL_RECORD_TRANSLATED_H
#define SOFTPT_TOOL_RECORD_TRANSLATED_H

#include "record.h"
#include "source/share.h"

/* Return: NULL, or why the command @name can't be translated */
const char *translated_refusal(const char *name);

/* Return: 0, or the exit status after a message, as of translated_start() */
int translated_check(const char *name);

/**
 * translated_start() - fork a program that will run in translation; target_go() lets it
 * @t: all zero
 * @share: opened
 * @argv: the program
 * @cpu: the only one that it may run on, or -1
 *
 * Return: 0, or the exit status after a message: 127 not found, 126 not executable, EXIT_REFUSED.
 */
int translated_start(struct target *t, struct xl_share *share, char **argv, int cpu);

/* Return: NULL, or why a process that runs can't be translated */
const char *translated_attach_refusal(void);

#endif /* SOFTPT_TOOL_RECORD_TRANSLATED_H */
