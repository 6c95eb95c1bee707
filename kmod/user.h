/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The caller's memory, for all of the module. It may not come for as long as its owner likes
 * (userfaultfd, FUSE), so nobody touches it under a lock that others wait for: kernels that are
 * made to find bugs check that here. selftests/quality/lint finds who does not come through here.
 */
#ifndef _SOFTPT_USER_H
#define _SOFTPT_USER_H

#include <linux/mm.h>
#include <linux/module.h>
#include <linux/uaccess.h>

/* Locks of the module have their lockdep key in the module. */
static inline bool softpt_holds_lock(void)
{
#ifdef CONFIG_LOCKDEP
	int i;

	for (i = 0; i < current->lockdep_depth; i++)
		if (within_module((unsigned long)current->held_locks[i].instance->key,
				  THIS_MODULE))
			return true;
#endif
	return false;
}

static inline void softpt_before_user(void)
{
	might_sleep();
	WARN_ONCE(softpt_holds_lock(), "softpt: the caller's memory under a lock of the module\n");
}

/* Each as the kernel's own. Context: may sleep, no lock of the module is held. */

static inline unsigned long softpt_copy_from_user(void *to, const void __user *from,
						  unsigned long n)
{
	softpt_before_user();
	return copy_from_user(to, from, n);
}

static inline unsigned long softpt_copy_to_user(void __user *to, const void *from,
						unsigned long n)
{
	softpt_before_user();
	return copy_to_user(to, from, n);
}

static inline unsigned long softpt_clear_user(void __user *to, unsigned long n)
{
	softpt_before_user();
	return clear_user(to, n);
}

static inline int softpt_copy_struct_from_user(void *to, size_t size, const void __user *from,
					       size_t usize)
{
	softpt_before_user();
	return copy_struct_from_user(to, size, from, usize);
}

/* As a debugger of the current task would. Return: bytes that were read, or -errno. */
static inline int softpt_read_own(unsigned long at, void *to, int n)
{
	softpt_before_user();
	return access_process_vm(current, at, to, n, FOLL_FORCE);
}

/* Return: bytes that were written, or -errno. */
static inline int softpt_write_own(unsigned long at, void *from, int n)
{
	softpt_before_user();
	return access_process_vm(current, at, from, n, FOLL_FORCE | FOLL_WRITE);
}

#endif /* _SOFTPT_USER_H */
