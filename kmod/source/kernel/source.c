// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source "kernel": context switches, system calls, interrupts, page faults, idle and
 * frequency of every CPU, from tracepoints.
 */

#include <linux/capability.h>
#include <linux/mutex.h>
#include <asm/tsc.h>

#include "compat.h"
#include "kernel.h"
#include "source/source.h"

/*
 * @nr_traces; probes come with the first and go with the last. Taken under the lock of a trace.
 */
static DEFINE_MUTEX(lock);
static unsigned int nr_traces;

/* A trace has addresses of the kernel, and of what others do: perf asks the same for a CPU. */
static int kernel_check(const struct softpt_source *source)
{
	return perfmon_capable() ? 0 : -EPERM;
}

static int kernel_attach(struct softpt_channel *ch, const struct softpt_setup *setup,
			 const struct softpt_source *source)
{
	return softpt_kernel_attach(ch, setup);
}

static int kernel_start(struct softpt_gate *gate, const struct softpt_setup *setup,
			const struct softpt_source *source)
{
	int err = 0;

	if (setup->config.clock != SOFTPT_CLOCK_WALL)
		return -EINVAL;
	if (setup->config.flags & SOFTPT_F_LOSSLESS)
		return -EINVAL;		/* the system cannot wait */
	mutex_lock(&lock);
	if (!nr_traces)
		err = softpt_kernel_probes_register();
	if (!err) {
		nr_traces++;
		softpt_kernel_cpus_start();
	}
	mutex_unlock(&lock);
	return err;
}

static void kernel_stop(struct softpt_gate *gate)
{
	mutex_lock(&lock);
	if (!--nr_traces) {
		softpt_kernel_probes_unregister();
		softpt_kernel_cpus_stop();
	}
	mutex_unlock(&lock);
}

static bool found;

static int kernel_init(void)
{
	found = softpt_kernel_probes_found() && softpt_has_idt() && tsc_khz;
	return softpt_kernel_cpus_init();
}

static bool kernel_available(void)
{
	return found;
}

static const struct softpt_event_class_support classes[] = {
	{ SOFTPT_CLASS_SYSTEM_CALLS, SOFTPT_SUB_SYSTEM_CALLS_ENTER },
	{ SOFTPT_CLASS_PAGE_FAULTS, SOFTPT_SUB_PAGE_FAULTS_READ | SOFTPT_SUB_PAGE_FAULTS_WRITE |
				    SOFTPT_SUB_PAGE_FAULTS_FETCH },
	{ SOFTPT_CLASS_CONTEXT_SWITCHES, SOFTPT_SUB_CONTEXT_SWITCHES_VOLUNTARY |
					 SOFTPT_SUB_CONTEXT_SWITCHES_PREEMPTED },
	{ 0 }
};

const struct softpt_source_ops softpt_kernel_ops = {
	.kind		= SOFTPT_SOURCE_KERNEL,
	.name		= "kernel",
	.live		= true,
	.classes	= classes,
	.trigger_sources = BIT(SOFTPT_ON_IP) | BIT(SOFTPT_ON_COUNTER) | BIT(SOFTPT_ON_DEMAND),
	.init		= kernel_init,
	.exit		= softpt_kernel_cpus_exit,
	.available	= kernel_available,
	.check		= kernel_check,
	.start		= kernel_start,
	.stop		= kernel_stop,
	.attach		= kernel_attach,
	.detach		= softpt_kernel_detach,
};
