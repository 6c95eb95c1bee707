/* SPDX-License-Identifier: GPL-2.0-only */
/* A CPU's user-return notifier, registered and unregistered without waiting for a task there */
#ifndef _SOFTPT_USER_RETURN_H
#define _SOFTPT_USER_RETURN_H

#include <linux/user-return-notifier.h>

/**
 * struct softpt_return - a CPU's notifier; changes on that CPU alone, with interrupts off
 * @notifier: of the kernel
 * @registered: it is
 */
struct softpt_return {
	struct user_return_notifier notifier;
	bool registered;
};

bool softpt_return_set(struct softpt_return *r, bool wanted);
void softpt_return_drain(void (*settle)(void *left));

#endif /* _SOFTPT_USER_RETURN_H */
