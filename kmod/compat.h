/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs between the kernels that the module builds for: here and nowhere else. */
#ifndef _SOFTPT_COMPAT_H
#define _SOFTPT_COMPAT_H

#include <linux/cpufeature.h>
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

/*
 * Since 6.9, where the processor has it and it is not off: no IDT to know handlers by, and a
 * trap behind ERETU before anything has retired. Nobody has tried it.
 */
static inline bool softpt_has_fred(void)
{
#ifdef X86_FEATURE_FRED
	return boot_cpu_has(X86_FEATURE_FRED);
#else
	return false;
#endif
}

#endif /* _SOFTPT_COMPAT_H */
