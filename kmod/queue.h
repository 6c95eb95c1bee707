/* SPDX-License-Identifier: GPL-2.0-only */
/* Where works of the module run: on any CPU, for one CPU may belong to a real-time task. */
#ifndef _SOFTPT_QUEUE_H
#define _SOFTPT_QUEUE_H

#include <linux/workqueue.h>

extern struct workqueue_struct *softpt_queue;

int softpt_queue_init(void);
void softpt_queue_exit(void);

#endif /* _SOFTPT_QUEUE_H */
