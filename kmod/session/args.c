// SPDX-License-Identifier: GPL-2.0-only
/* Commands and the structs that come with them, for all three kinds of file */

#include "session/args.h"
#include "user.h"

/* A struct has its own size in it, so that the command stays the same when it grows. */
static bool same_command(unsigned int known, unsigned int cmd)
{
	unsigned int size = _IOC_DIR(known) == _IOC_NONE ? 0 : IOCSIZE_MASK;

	return !((known ^ cmd) & ~size);
}

/**
 * softpt_ioctl() - find and run a command
 * @file: the device, a session or a unit
 * @cmd: the command
 * @arg: where its struct is, 0 for a command without one
 * @table: the commands of this kind of file
 * @n: how many
 *
 * Return: what the command returns; -ENOTTY for an unknown one, -EINVAL for an
 * argument where none belongs.
 */
long softpt_ioctl(struct file *file, unsigned int cmd, unsigned long arg,
		  const struct softpt_ioctl *table, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (!same_command(table[i].cmd, cmd))
			continue;
		if (_IOC_DIR(cmd) == _IOC_NONE && arg)
			return -EINVAL;
		return table[i].fn(file, (void __user *)arg);
	}
	return -ENOTTY;
}

/**
 * softpt_args_size() - how long the caller's struct is
 * @size: of its first version
 * @from: the caller's struct, which begins with its size
 * @usize: set to that
 *
 * Return: 0, -EFAULT, -EINVAL below @size, -E2BIG above a page.
 */
int softpt_args_size(size_t size, const void __user *from, u32 *usize)
{
	if (softpt_copy_from_user(usize, from, sizeof(*usize)))
		return -EFAULT;
	if (*usize < size)
		return -EINVAL;
	return *usize > PAGE_SIZE ? -E2BIG : 0;
}

/**
 * softpt_args_in() - copy the caller's struct
 * @args: filled in
 * @size: what this kernel knows of it
 * @from: the caller's struct, which begins with its size
 *
 * Return: as softpt_args_size(); -E2BIG when the caller sets what is not known.
 */
int softpt_args_in(void *args, size_t size, const void __user *from)
{
	u32 usize;
	int err = softpt_args_size(size, from, &usize);

	return err ?: softpt_copy_struct_from_user(args, size, from, usize);
}

/**
 * softpt_args_out() - answer with a struct
 * @to: the caller's struct
 * @usize: its size, by softpt_args_size()
 * @args: the answer
 * @size: of the answer; an older caller's struct takes the part of it that it knows,
 *	and the rest of a newer one's is zeroed
 *
 * Return: 0 or -EFAULT.
 */
int softpt_args_out(void __user *to, u32 usize, const void *args, size_t size)
{
	size_t known = min_t(size_t, size, usize);

	if (softpt_copy_to_user(to, args, known) ||
	    softpt_clear_user(to + known, usize - known))
		return -EFAULT;
	return 0;
}
