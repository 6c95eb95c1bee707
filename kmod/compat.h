/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs between the kernels that the module builds for: here and nowhere else. */
#ifndef _SOFTPT_COMPAT_H
#define _SOFTPT_COMPAT_H

#include <linux/cpufeature.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/sched/coredump.h>
#include <linux/version.h>
#ifdef CONFIG_X86
#include <asm/msr.h>
#endif
#if defined(CONFIG_X86) && LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#include <asm/cpuid/api.h>
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 2, 0)
#include <linux/sched/exec_state.h>
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_clear(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags &= ~flags;
}
#endif

/*
 * Before 6.2 a task's context of events points to the PMU of the first of them as long as the task
 * lives, long after the event and its hold on the module. The first is to be the kernel's own. Who
 * inherits a context has its parent's.
 */
static inline int softpt_claim_context(struct perf_event *event)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
	};
	struct perf_event *first;

	if (!(event->attach_state & PERF_ATTACH_TASK) || event->parent)
		return 0;
	first = perf_event_create_kernel_counter(&attr, -1, event->hw.target, NULL, NULL);
	if (IS_ERR(first))
		return PTR_ERR(first);
	perf_event_release_kernel(first);
#endif
	return 0;
}

/* Since 6.18 the flags are a bitmap. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 18, 0)
static inline bool mm_flags_test(int flag, const struct mm_struct *mm)
{
	return test_bit(flag, &mm->flags);
}
#endif

/*
 * A task's program has and had no privileges, and its user may read its file; and in whose
 * user namespace it may be ptraced all the same. Since 7.2 the task's and not its memory's.
 *
 * Context: task_lock(), or of the current task; it has memory.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 2, 0)
static inline bool softpt_is_dumpable(struct task_struct *task)
{
	return get_dumpable(task->mm) == SUID_DUMP_USER;
}

static inline struct user_namespace *softpt_exec_ns(struct task_struct *task)
{
	return task->mm->user_ns;
}
#else
static inline struct task_exec_state *softpt_exec_state(struct task_struct *task)
{
	return rcu_dereference_protected(task->exec_state,
					 task == current || lockdep_is_held(&task->alloc_lock));
}

static inline bool softpt_is_dumpable(struct task_struct *task)
{
	return READ_ONCE(softpt_exec_state(task)->dumpable) == TASK_DUMPABLE_OWNER;
}

static inline struct user_namespace *softpt_exec_ns(struct task_struct *task)
{
	return softpt_exec_state(task)->user_ns;
}
#endif

/* Before 6.4 io_uring's were the only ones. */
#ifndef PF_USER_WORKER
#define PF_USER_WORKER	PF_IO_WORKER
#endif

/* Before 6.14 a worker runs when it is made. */
#ifndef kthread_run_worker
#define kthread_run_worker	kthread_create_worker
#endif

#ifdef CONFIG_X86
/* Renamed in 6.16; the old names are gone by 7.2. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
#define rdmsrq		rdmsrl
#define rdmsrq_safe	rdmsrl_safe
#endif

/*
 * FRED, since 6.9: whether it is on, and whether SYSCALL, INT n or the like brought the task into
 * the kernel, as its frame says; or the frame is to say that it did not (source/step/fred.c).
 */
#if defined(CONFIG_X86_64) && LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
static inline bool softpt_has_fred(void)
{
	return cpu_feature_enabled(X86_FEATURE_FRED);
}

static inline bool softpt_is_software_event(const struct pt_regs *regs)
{
	return softpt_has_fred() && regs->fred_ss.swevent;
}

static inline void softpt_forget_software_event(struct pt_regs *regs)
{
	if (softpt_has_fred())
		regs->fred_ss.swevent = 0;
}
#else
static inline bool softpt_has_fred(void)
{
	return false;
}

static inline bool softpt_is_software_event(const struct pt_regs *regs)
{
	return false;
}

static inline void softpt_forget_software_event(struct pt_regs *regs)
{
}
#endif

/*
 * Whether the processor's own IDT is the one in use, to know handlers by. Xen has that of its
 * paravirtual guests. With FRED there is none.
 */
static inline bool softpt_has_idt(void)
{
	return !softpt_has_fred() && !boot_cpu_has(X86_FEATURE_XENPV);
}
#endif

#endif /* _SOFTPT_COMPAT_H */
