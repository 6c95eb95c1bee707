/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt record --freeze: the event of a program, and the records that it froze */
#ifndef SOFTPT_TOOL_RECORD_FREEZE_H
#define SOFTPT_TOOL_RECORD_FREEZE_H

#include <softpt/device.h>
#include "retire/text.h"

struct command;

struct freeze {
	struct ear_event event;	/* nth 0: none */
	const char *path;
	FILE *file;
	struct softpt_plan plan;
	int counter;
};

/* Read --freeze. Return: 0, or EXIT_USAGE after a message */
int freeze_option(const struct command *cmd, struct freeze *f, const char *text);

/* The CPU that the program is bound to: one counter counts its events in their order. */
int freeze_cpu(void);

/* Each of these returns 0, or EXIT_REFUSED after a message. */
int freeze_set(struct freeze *f, int session);	/* before it is enabled */
int freeze_start(const struct freeze *f, int session);
int freeze_write(struct freeze *f, struct softpt_unit *unit);
int freeze_close(struct freeze *f);	/* may be called at any time */

#endif /* SOFTPT_TOOL_RECORD_FREEZE_H */
