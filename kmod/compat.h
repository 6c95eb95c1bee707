/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs between the kernels that the module builds for: here and nowhere else. */
#ifndef _SOFTPT_COMPAT_H
#define _SOFTPT_COMPAT_H

#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_clear(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags &= ~flags;
}
#endif

/* Before 6.4 io_uring's were the only ones. */
#ifndef PF_USER_WORKER
#define PF_USER_WORKER	PF_IO_WORKER
#endif

#endif /* _SOFTPT_COMPAT_H */
