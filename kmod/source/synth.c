// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source "synth": each channel has a seeded program (synth.h) on a model clock. A full ring makes
 * the program wait, so the trace depends on nothing but the arguments.
 *
 * One kernel thread for each CPU runs all programs of that CPU's channels in turns, a chunk at a
 * time. So many programs have no more of the machine than one, and to stop one takes a chunk.
 */

#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "channel/feed.h"
#include "channel/wait.h"
#include "compat.h"
#include "source.h"
#include "synth-user.h"
#include "synth.h"

#define CHUNK		64
#define MAX_BURST	BIT(20)	/* the gap before a burst stays below 2^52 ticks */

/**
 * struct runner - a channel's program
 * @ch: the channel
 * @worker: of the channel's CPU; it runs on any CPU
 * @work: the next chunk
 * @room: waits until the channel is writable, and queues @work
 * @user: who is charged for the program
 * @state: the program's
 * @n: events of @ev
 * @done: how many of @ev the channel has taken
 * @ev: a chunk
 */
struct runner {
	struct softpt_channel *ch;
	struct kthread_worker *worker;
	struct kthread_work work;
	struct wait_queue_entry room;
	struct softpt_synth_user *user;
	struct softpt_synth_state state;
	size_t n;
	size_t done;
	struct softpt_event ev[CHUNK];
};

static DEFINE_MUTEX(lock);	/* @workers */
static DEFINE_PER_CPU(struct kthread_worker *, workers);

static struct kthread_worker *make_worker(unsigned int cpu)
{
	struct kthread_worker *worker;

	lockdep_assert_held(&lock);
	worker = kthread_run_worker(0, "softpt-synth/%u", cpu);
	if (IS_ERR(worker))
		return worker;
	set_user_nice(worker->task, MAX_NICE);
	per_cpu(workers, cpu) = worker;
	return worker;
}

/* A worker stays until the module goes: a stop does not wait for a thread to end. */
static struct kthread_worker *worker_of(unsigned int cpu)
{
	struct kthread_worker *worker;

	if (mutex_lock_killable(&lock))
		return ERR_PTR(-EINTR);
	worker = per_cpu(workers, cpu);
	if (!worker)
		worker = make_worker(cpu);
	mutex_unlock(&lock);
	return worker;
}

static void synth_exit(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		if (per_cpu(workers, cpu))
			kthread_destroy_worker(per_cpu(workers, cpu));
}

/* Return: whether there is room by now; else a wake-up comes. */
static bool watch(struct softpt_channel *ch)
{
	softpt_channel_watch_room(ch);
	return softpt_channel_writable(ch);
}

static void refill(struct runner *run)
{
	run->done = 0;
	for (run->n = 0; run->n < CHUNK; run->n++)
		if (!softpt_synth_next(&run->state, &run->ev[run->n]))
			break;
}

/* Return: whether it can go on at once. */
static bool give(struct runner *run)
{
	ssize_t ret;

	if (run->done == run->n)
		refill(run);
	if (!run->n)
		ret = softpt_channel_finish(run->ch);
	else
		ret = softpt_channel_feed(run->ch, run->ev + run->done, run->n - run->done);
	if (ret > 0)
		run->done += ret;
	return ret == -EAGAIN ? watch(run->ch) : ret > 0;
}

static void run_chunk(struct kthread_work *work)
{
	struct runner *run = container_of(work, struct runner, work);

	if (give(run))
		kthread_queue_work(run->worker, &run->work);
}

static int go_on(struct wait_queue_entry *room, unsigned int mode, int flags, void *key)
{
	struct runner *run = container_of(room, struct runner, room);

	kthread_queue_work(run->worker, &run->work);
	return 0;
}

static int prepare(struct runner *run, struct softpt_channel *ch)
{
	int err;

	run->ch = ch;
	run->worker = worker_of(ch->cpu);
	if (IS_ERR(run->worker))
		return PTR_ERR(run->worker);
	err = softpt_synth_charge(&run->user);
	if (err)
		return err;
	kthread_init_work(&run->work, run_chunk);
	init_waitqueue_func_entry(&run->room, go_on);
	return 0;
}

static int attach(struct softpt_channel *ch, const struct softpt_setup *setup,
		  const struct softpt_source *source)
{
	struct runner *run = kzalloc(sizeof(*run), GFP_KERNEL_ACCOUNT);
	int err;

	if (!run)
		return -ENOMEM;
	err = prepare(run, ch);
	if (err) {
		kfree(run);
		return err;
	}
	softpt_synth_init(&run->state, &source->synth, &setup->config, ch->cpu,
			  softpt_channel_now(ch));
	ch->source_data = run;
	add_wait_queue(&ch->wait.wr_wait, &run->room);
	kthread_queue_work(run->worker, &run->work);
	return 0;
}

static void detach(struct softpt_channel *ch)
{
	struct runner *run = ch->source_data;

	if (!run)
		return;
	remove_wait_queue(&ch->wait.wr_wait, &run->room);
	kthread_cancel_work_sync(&run->work);
	softpt_synth_uncharge(run->user);
	ch->source_data = NULL;
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
	.exit = synth_exit,
	.check = check,
	.attach = attach,
	.detach = detach,
};
