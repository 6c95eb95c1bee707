/* SPDX-License-Identifier: GPL-2.0-only */
/* The fd of a unit as a file */
#ifndef _SOFTPT_SESSION_UNIT_IO_H
#define _SOFTPT_SESSION_UNIT_IO_H

#include <linux/fs.h>

struct poll_table_struct;

ssize_t softpt_unit_read(struct file *file, char __user *to, size_t n, loff_t *pos);
ssize_t softpt_unit_write(struct file *file, const char __user *from, size_t n, loff_t *pos);
__poll_t softpt_unit_poll(struct file *file, struct poll_table_struct *wait);
int softpt_unit_mmap(struct file *file, struct vm_area_struct *vma);

#endif /* _SOFTPT_SESSION_UNIT_IO_H */
