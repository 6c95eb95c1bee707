// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source "synth": a kernel thread per unit runs a seeded program (synth.h) on a
 * model clock. A full ring makes it wait, so the trace depends on nothing but the
 * arguments.
 */

#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "softpt.h"
#include "synth.h"

#define CHUNK		64
#define MAX_BURST	BIT(20)	/* the gap before a burst stays below 2^52 ticks */

struct runner {
	struct softpt_unit *unit;
	struct task_struct *task;
	struct softpt_synth_state state;
	struct softpt_event ev[CHUNK];
};

/* Asked while the thread is among the waiters: the watch ends when there are none. */
static bool may_go_on(struct softpt_unit *unit)
{
	softpt_unit_watch_room(unit);
	return kthread_should_stop() || softpt_unit_writable(unit);
}

/* Sleeps until there is room, or until nobody wants more. */
static void wait_room(struct softpt_unit *unit)
{
	wait_event_idle(unit->writable, may_go_on(unit));
}

/* Return: false when the unit takes no more. */
static bool give(struct runner *run, size_t n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t ret = softpt_unit_feed(run->unit, run->ev + done, n - done);

		if (kthread_should_stop() || (ret < 0 && ret != -EAGAIN))
			return false;
		if (ret > 0)
			done += ret;
		else
			wait_room(run->unit);
	}
	return true;
}

static int run_program(void *data)
{
	struct runner *run = data;
	bool going = true;
	size_t n;

	do {
		for (n = 0; n < CHUNK && softpt_synth_next(&run->state, &run->ev[n]); n++)
			;
		going = give(run, n);
	} while (going && n);
	while (!kthread_should_stop() && softpt_unit_end_input(run->unit) == -EAGAIN)
		wait_room(run->unit);
	/* detach() stops the thread, and it must be there to be stopped. */
	wait_event_idle(run->unit->writable, kthread_should_stop());
	return 0;
}

static int attach(struct softpt_unit *unit)
{
	struct softpt_session *session = unit->session;
	struct runner *run = kzalloc(sizeof(*run), GFP_KERNEL_ACCOUNT);
	u64 now;

	if (!run)
		return -ENOMEM;
	run->unit = unit;
	/* data_race(): a PSB on demand does not change it */
	now = data_race(unit->engine.now);
	softpt_synth_init(&run->state, &session->source.synth, &session->config, unit->cpu, now);
	run->task = kthread_create(run_program, run, "softpt-synth/%u", unit->cpu);
	if (IS_ERR(run->task)) {
		int err = PTR_ERR(run->task);

		kfree(run);
		return err;
	}
	unit->source_data = run;
	set_user_nice(run->task, MAX_NICE);	/* it may run for long on nobody's account */
	wake_up_process(run->task);
	return 0;
}

static void detach(struct softpt_unit *unit)
{
	struct runner *run = unit->source_data;

	if (!run)
		return;
	kthread_stop(run->task);
	unit->source_data = NULL;
	kfree(run);
}

static int check(const struct softpt_source *source)
{
	const struct softpt_synth *synth = &source->synth;

	if (!synth->events || synth->events >> 56 || !synth->mean_gap ||
	    synth->mean_gap >> 31 || !synth->burst || synth->burst > MAX_BURST ||
	    synth->sleep_permille > 1000 ||
	    synth->clock_permille > 1000 - synth->sleep_permille)
		return -EINVAL;
	return 0;
}

const struct softpt_source_ops softpt_synth_ops = {
	.kind = SOFTPT_SOURCE_SYNTH,
	.name = "synth",
	.check = check,
	.attach = attach,
	.detach = detach,
};
