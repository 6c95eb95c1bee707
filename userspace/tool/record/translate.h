/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt record --how=translate */
#ifndef SOFTPT_TOOL_RECORD_TRANSLATE_H
#define SOFTPT_TOOL_RECORD_TRANSLATE_H

#include <stdbool.h>

#include <linux/softpt.h>

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

#endif /* SOFTPT_TOOL_RECORD_TRANSLATE_H */
