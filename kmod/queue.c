// SPDX-License-Identifier: GPL-2.0-only
/* The workqueue of the module (queue.h) */

#include "queue.h"

struct workqueue_struct *softpt_queue;

int softpt_queue_init(void)
{
	softpt_queue = alloc_workqueue("softpt", WQ_UNBOUND, 0);
	return softpt_queue ? 0 : -ENOMEM;
}

/* Waits for all works. */
void softpt_queue_exit(void)
{
	destroy_workqueue(softpt_queue);
}
