/* SPDX-License-Identifier: BSD-2-Clause */
/* softpt diff: what functions cost in one recording and in the other */
#ifndef SOFTPT_TOOL_DIFF_CHANGES_H
#define SOFTPT_TOOL_DIFF_CHANGES_H

#include <stdint.h>

#include "report/report.h"
#include "../report/label.h"

/**
 * struct change - a function, a module or a source file, in both recordings
 * @name: what it is called in both recordings
 * @label: what people call it
 * @module: of a function, or NULL
 * @calls: of each recording
 * @self: instructions of its own
 * @total: instructions of what it called, too
 */
struct change {
	char name[LABEL_MAX];
	char label[LABEL_MAX];
	const char *module;
	uint64_t calls[2];
	uint64_t self[2];
	uint64_t total[2];
};

struct changes {
	struct change *change;
	size_t n;
};

/**
 * changes_find() - what differs, the largest change of instructions first
 * @report: of both recordings; must stay as long as @changes
 * @by: what they are of
 * @pattern: names or labels as fnmatch() has them, NULL: all
 * @changes: filled in: those of which instructions or calls differ
 *
 * Functions of one name in one module are one.
 *
 * Return: 0 or -ENOMEM.
 */
int changes_find(const struct report *const report[2], enum report_by by, const char *pattern,
		 struct changes *changes);
void changes_free(struct changes *changes);

/* Of @now against @before, in percent; infinite where there was nothing before */
double change_percent(uint64_t before, uint64_t now);

#endif /* SOFTPT_TOOL_DIFF_CHANGES_H */
