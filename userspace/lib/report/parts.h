/* SPDX-License-Identifier: BSD-2-Clause */
/* What a thread did in a time: user mode, the kernel, waiting */
#ifndef SOFTPT_REPORT_PARTS_H
#define SOFTPT_REPORT_PARTS_H

#include "report/span.h"

/**
 * struct report_parts - parts of a time
 * @untraced: in the kernel, or away
 * @lost: in which the path is lost
 * @wait: without a CPU
 * @wait_untraced: of @wait, what is part of @untraced, too
 */
struct report_parts {
	struct report_span untraced;
	struct report_span lost;
	struct report_span wait;
	struct report_span wait_untraced;
};

void report_parts_sum(struct report_parts *p, const struct report_parts *other);

/* Of a time: what the kernel worked, and what is neither that nor a wait nor lost */
void report_parts_kernel(const struct report_parts *p, struct report_span *kernel);
void report_parts_user(const struct report_parts *p, const struct report_span *time,
		       struct report_span *user);

#endif /* SOFTPT_REPORT_PARTS_H */
