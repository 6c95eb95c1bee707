// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMU: perf events whose AUX area holds a trace, without trace hardware.
 *
 * While an event is on a CPU, what executes there is stepped (softpt_step_cpu_start()), and
 * the channel of the event's AUX area is that CPU's. Which tasks that are is perf's matter:
 * it puts events in and out, and gives children theirs. All of that happens on the CPU itself
 * with interrupts off, so that no trap comes after an event has gone.
 *
 * A task that a session steps stays that session's: the event has a gap, and says so.
 */

#include <linux/cpufeature.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include "channel/start.h"
#include "compat.h"
#include "perf/aux.h"
#include "perf/format.h"
#include "perf/pmu.h"
#include "source/source.h"
#include "source/step/step.h"

static bool as_intel_pt;
module_param(as_intel_pt, bool, 0444);
MODULE_PARM_DESC(as_intel_pt, "call the PMU intel_pt, as stock perf wants it (N: softpt_pt)");

/**
 * struct pmu_cpu - an event on this CPU
 * @event: it; NULL: none
 * @aux: where its trace goes
 * @step: who is stepped for it
 */
struct pmu_cpu {
	struct perf_event *event;
	struct softpt_aux aux;
	struct softpt_step step;
};

static DEFINE_PER_CPU(struct pmu_cpu, cpus);

/* For all events: has the channel of each CPU while an event is on it. */
static struct softpt_gate *gate;
static struct softpt_step_set set;
static struct pmu pmu;

static void set_channel(struct softpt_channel *ch)
{
	rcu_assign_pointer(gate->channel[smp_processor_id()], ch);
}

static void notify(struct softpt_channel *ch)
{
	if (!softpt_aux_written(this_cpu_ptr(&cpus.aux)))
		set_channel(NULL);
}

/* A ring that has held another configuration's packets goes on with a PSB+. */
static void configure(struct softpt_channel *ch, const struct softpt_config *config)
{
	if (ch->engine.live && !memcmp(&ch->engine.cfg, config, sizeof(*config)))
		return;
	softpt_channel_configure(ch, config);
}

static void *setup_aux(struct perf_event *event, void **pages, int nr, bool overwrite)
{
	return softpt_aux_setup(pages, nr, overwrite, notify);
}

static bool is_busy(void)
{
	return this_cpu_read(cpus.event);
}

static void event_start(struct perf_event *event, int mode)
{
	struct pmu_cpu *cpu = this_cpu_ptr(&cpus);
	struct softpt_config *config = event->pmu_private;

	event->hw.state = PERF_HES_STOPPED;
	if (is_busy() || !softpt_step_cpu_ready() || !softpt_aux_begin(&cpu->aux, event))
		return;
	/* PERF_RECORD_ITRACE_START is out */
	if (!(event->attach_state & PERF_ATTACH_ITRACE))
		event->attach_state |= PERF_ATTACH_ITRACE;
	event->hw.state = 0;
	cpu->event = event;
	perf_event_addr_filters_sync(event);
	config->ring = cpu->aux.ch->ring.size;
	configure(cpu->aux.ch, config);
	cpu->aux.ch->loss.lossless = config->flags & SOFTPT_F_LOSSLESS &&
				  softpt_aux_can_wait(&cpu->aux, event);
	cpu->aux.ch->gate = gate;
	set_channel(cpu->aux.ch);
	cpu->aux.ch->running = true;
	softpt_step_cpu_start(&cpu->step, &set);
}

static void event_stop(struct perf_event *event, int mode)
{
	struct pmu_cpu *cpu = this_cpu_ptr(&cpus);

	if (event->hw.state & PERF_HES_STOPPED)
		return;
	event->hw.state = PERF_HES_STOPPED;
	softpt_step_cpu_stop();
	set_channel(NULL);
	if (cpu->step.displaced && cpu->aux.ch)
		perf_aux_output_flag(&cpu->aux.handle, PERF_AUX_FLAG_PARTIAL);
	softpt_aux_end(&cpu->aux);
	cpu->event = NULL;
}

static int event_add(struct perf_event *event, int mode)
{
	event->hw.state = PERF_HES_STOPPED;
	if (is_busy())
		return -EBUSY;
	if (!(mode & PERF_EF_START))
		return 0;
	event_start(event, mode);
	return event->hw.state & PERF_HES_STOPPED ? -EINVAL : 0;
}

static void event_del(struct perf_event *event, int mode)
{
	event_stop(event, mode);
}

static void event_read(struct perf_event *event)
{
}

/* Who inherits an event has it no longer than the event that it is from. */
static void event_destroy(struct perf_event *event)
{
	kfree(event->pmu_private);
	softpt_step_remove_waiter();
	if (!event->parent)
		softpt_step_cpu_put();
	softpt_step_hooks_put();
}

/*
 * Who is stepped runs many times slower. Neither perf_event_paranoid nor the permission to observe
 * a task allows that. Who inherits an event is a child of the task that was checked.
 */
static bool may_step(const struct perf_event *event)
{
	struct task_struct *task = event->hw.target;

	if (event->parent)
		return true;
	return task ? softpt_step_may_follow(task) : perfmon_capable();
}

/*
 * The step source sees user mode alone: an event that doesn't exclude the kernel would be
 * promised more than it gets, unless kernel=opaque has promised less. For -EACCES perf asks
 * once more without the kernel, where perf_event_paranoid is above 1.
 */
static int event_init(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	struct softpt_config *config;
	int err;

	if (attr->type != pmu.type)
		return -ENOENT;
	if (attr->exclude_user || has_branch_stack(event))
		return -EOPNOTSUPP;
	if (!attr->exclude_kernel && !softpt_pmu_kernel_is_opaque())
		return -EACCES;
	if (!may_step(event))
		return -EACCES;
	err = softpt_claim_context(event);
	if (err)
		return err;
	config = kzalloc(sizeof(*config), GFP_KERNEL_ACCOUNT);
	if (!config)
		return -ENOMEM;
	err = softpt_pmu_config(event, config);
	if (err)
		goto err_config;
	err = softpt_step_add_waiter();
	if (err)
		goto err_config;
	err = softpt_step_hooks_get();
	if (err)
		goto err_waiter;
	if (!event->parent)
		softpt_step_cpu_get();
	event->pmu_private = config;
	event->destroy = event_destroy;
	return 0;

err_waiter:
	softpt_step_remove_waiter();
err_config:
	kfree(config);
	return err;
}

/* Units know ranges, no single addresses, and don't begin at an address. */
static int filters_validate(struct list_head *filters)
{
	struct perf_addr_filter *filter;
	unsigned int n = 0;

	list_for_each_entry(filter, filters, entry)
		if (!filter->size || filter->action == PERF_ADDR_FILTER_ACTION_START ||
		    ++n > SOFTPT_RANGES)
			return -EOPNOTSUPP;
	return 0;
}

/* A file that isn't mapped is nowhere: nothing is executed at address 0. */
static void filters_sync(struct perf_event *event)
{
	const struct perf_addr_filter_range *at = event->addr_filter_ranges;
	struct softpt_config *config = event->pmu_private;
	struct perf_addr_filter *filter;
	struct softpt_range *range = config->range;

	memset(config->range, 0, sizeof(config->range));
	list_for_each_entry(filter, &perf_event_addr_filters(event)->list, entry) {
		range->kind = filter->action == PERF_ADDR_FILTER_ACTION_FILTER ?
			      SOFTPT_RANGE_FILTER : SOFTPT_RANGE_STOP;
		if (at->start || !filter->path.dentry) {
			range->from = at->start;
			range->to = at->start + min(at->size - 1, ULONG_MAX - at->start);
		}
		range++;
		at++;
	}
	config->nr_ranges = range - config->range;
}

static struct pmu pmu = {
	.module			= THIS_MODULE,
	.capabilities		= PERF_PMU_CAP_EXCLUSIVE | PERF_PMU_CAP_ITRACE,
	.task_ctx_nr		= perf_sw_context,
	.attr_groups		= softpt_pmu_groups,
	.nr_addr_filters	= SOFTPT_RANGES,
	.event_init		= event_init,
	.add			= event_add,
	.del			= event_del,
	.start			= event_start,
	.stop			= event_stop,
	.read			= event_read,
	.setup_aux		= setup_aux,
	.free_aux		= softpt_aux_free,
	.addr_filters_validate	= filters_validate,
	.addr_filters_sync	= filters_sync,
};

/* No event counts and no trigger waits, so nothing of it ever changes but its channels. */
static int make_gate(void)
{
	gate = kzalloc(struct_size(gate, channel, nr_cpu_ids), GFP_KERNEL);
	if (!gate)
		return -ENOMEM;
	gate->wall_clock = true;
	gate->off = U64_MAX;
	rcu_assign_pointer(set.gate, gate);
	return 0;
}

/**
 * softpt_pmu_init() - register the PMU, where stepping works
 *
 * Return: 0; -EBUSY for a name that is the hardware's; -EINVAL for an unknown kernel=; or -errno.
 */
int softpt_pmu_init(void)
{
	int err = softpt_pmu_format_init();

	if (err)
		return err;

	if (as_intel_pt && boot_cpu_has(X86_FEATURE_INTEL_PT)) {
		pr_err("softpt: as_intel_pt: this processor has PT, and its driver the name\n");
		return -EBUSY;	/* EEXIST is a module's that is loaded already */
	}
	if (!softpt_source_works(&softpt_step_ops))
		return 0;
	if (softpt_pmu_kernel_is_opaque())
		pr_info("softpt: kernel=opaque: perf events of kernel mode see nothing of it\n");
	err = make_gate();
	if (err)
		return err;
	err = perf_pmu_register(&pmu, as_intel_pt ? "intel_pt" : "softpt_pt", -1);
	if (err)
		kfree(gate);
	return err;
}

/* An event holds the module: there is none any more. */
void softpt_pmu_exit(void)
{
	if (!softpt_source_works(&softpt_step_ops))
		return;
	perf_pmu_unregister(&pmu);
	softpt_aux_exit();
	kfree(gate);
}
