/* SPDX-License-Identifier: GPL-2.0-only */
/* A command each: what `struct softpt_ioctl` calls */
#ifndef _SOFTPT_SESSION_COMMANDS_H
#define _SOFTPT_SESSION_COMMANDS_H

#include <linux/compiler.h>

struct file;

/* of a session: ioctl.c has the table, and those that are not here */
long softpt_session_ioctl(struct file *file, unsigned int cmd, unsigned long arg);
long softpt_ioc_attach(struct file *file, void __user *arg);
long softpt_ioc_set_escr(struct file *file, void __user *arg);
long softpt_ioc_set_counter(struct file *file, void __user *arg);
long softpt_ioc_count(struct file *file, void __user *arg);
long softpt_ioc_get_threads(struct file *file, void __user *arg);
long softpt_ioc_set_freeze(struct file *file, void __user *arg);
long softpt_ioc_set_trigger(struct file *file, void __user *arg);
long softpt_ioc_rearm_units(struct file *file, void __user *arg);

/* of a unit: unit-ioctl.c */
long softpt_unit_ioctl(struct file *file, unsigned int cmd, unsigned long arg);
long softpt_ioc_read_counters(struct file *file, void __user *arg);
long softpt_ioc_read_fifo(struct file *file, void __user *arg);
long softpt_ioc_rearm_fifo(struct file *file, void __user *arg);
long softpt_ioc_trigger(struct file *file, void __user *arg);

#endif /* _SOFTPT_SESSION_COMMANDS_H */
