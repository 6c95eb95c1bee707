/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands and the structs that come with them, for all three kinds of file */
#ifndef _SOFTPT_SESSION_ARGS_H
#define _SOFTPT_SESSION_ARGS_H

#include <linux/types.h>

struct file;

/* A command of one of the kinds of file; commands without a struct get 0 */
struct softpt_ioctl {
	unsigned int cmd;
	long (*fn)(struct file *file, void __user *arg);
};

long softpt_ioctl(struct file *file, unsigned int cmd, unsigned long arg,
		  const struct softpt_ioctl *table, unsigned int n);
int softpt_args_in(void *args, size_t size, const void __user *from);
int softpt_args_size(size_t size, const void __user *from, u32 *usize);
int softpt_args_out(void __user *to, u32 usize, const void *args, size_t size);

#endif /* _SOFTPT_SESSION_ARGS_H */
