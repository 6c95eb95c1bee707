// SPDX-License-Identifier: GPL-2.0-only
/*
 * The retirement FIFO of a channel: who retires instructions, what freezes it, and how it is read.
 * (Documentation/reference/address.rst)
 *
 * The FIFO is the engine's, and changes under its rules, until it is frozen. From then on it stays
 * as it is until the channel's lock is taken to arm it anew.
 */

#include <linux/slab.h>

#include <softpt/retire.h>

#include "channel/count.h"
#include "channel/retire.h"

/**
 * softpt_channel_alloc_fifo() - a channel that is to record needs room for it
 * @ch: the lock of its gate is held
 * @setup: whether it is to
 *
 * Return: 0 or -ENOMEM.
 */
int softpt_channel_alloc_fifo(struct softpt_channel *ch, const struct softpt_setup *setup)
{
	if (!setup->retire.pipeline.stages || ch->retire.records)
		return 0;
	ch->retire.records = kcalloc(SOFTPT_FIFO_DEPTH, sizeof(*ch->retire.records),
				     GFP_KERNEL_ACCOUNT);
	return ch->retire.records ? 0 : -ENOMEM;
}

/**
 * softpt_channel_arm_fifo() - forget what was recorded, and wait for the K-th event from now on
 * @ch: the channel, owned by the caller; the lock of its gate is held, perhaps on another CPU
 * @setup: its @retire and the preset of the counter that freezes are copied
 */
void softpt_channel_arm_fifo(struct softpt_channel *ch, const struct softpt_setup *setup)
{
	const struct softpt_freeze_args *freeze = &setup->retire;
	struct softpt_engine *e = &ch->engine;

	if (!freeze->pipeline.stages) {
		softpt_fifo_disarm(e);
		return;
	}
	softpt_counter_preset(&e->counters, freeze->counter,
			      setup->counters.value[freeze->counter]);
	softpt_fifo_arm(e, &freeze->pipeline, freeze->counter, ch->retire.records);
	ch->retire.by = NULL;
}

struct call {
	struct softpt_channel *ch;
	const struct softpt_setup *setup;
	u8 state;
	struct softpt_freeze freeze;
	u32 n;
};

static void look(void *data)
{
	struct call *call = data;
	const struct softpt_fifo *f = &call->ch->engine.fifo;

	call->state = f->state;
	call->freeze = f->freeze;
	call->n = f->n;
}

static int read_locked(struct softpt_channel *ch, struct softpt_fifo_args *args,
		       struct softpt_retirement *to)
{
	struct call call = { .ch = ch };
	u32 i;

	lockdep_assert_held(&ch->lock);
	softpt_channel_on_owner(ch, look, &call);
	if (call.state == SOFTPT_FIFO_OFF)
		return -EINVAL;
	if (call.state != SOFTPT_FIFO_FROZEN)
		return -EAGAIN;
	if (call.n > args->n)
		return -ENOSPC;
	args->n = call.n;
	args->freeze = call.freeze;
	for (i = 0; i < call.n; i++)
		to[i] = *softpt_fifo_read(&ch->engine.fifo, i);
	return 0;
}

/**
 * softpt_channel_read_fifo() - read a FIFO that is frozen
 * @ch: the channel
 * @args: @n: how many fit; set to how many there are, with what froze it
 * @to: room for as many as a FIFO may have; filled in, the oldest first
 *
 * Return: 0; -EINVAL: nothing is recorded; -EAGAIN: it is not frozen; -ENOSPC: @n is too small.
 */
int softpt_channel_read_fifo(struct softpt_channel *ch, struct softpt_fifo_args *args,
			     struct softpt_retirement *to)
{
	int err;

	mutex_lock(&ch->lock);
	err = read_locked(ch, args, to);
	mutex_unlock(&ch->lock);
	return err;
}

static void rearm(void *data)
{
	struct call *call = data;

	call->state = call->ch->engine.fifo.state;
	if (call->state == SOFTPT_FIFO_FROZEN)
		softpt_channel_arm_fifo(call->ch, call->setup);
}

/**
 * softpt_channel_rearm_fifo() - a frozen FIFO records again
 * @ch: the lock of its gate is held
 * @setup: as of softpt_channel_start()
 *
 * Return: 0, or -EINVAL if it was not frozen.
 */
int softpt_channel_rearm_fifo(struct softpt_channel *ch, const struct softpt_setup *setup)
{
	struct call call = { .ch = ch, .setup = setup };

	lockdep_assert_held(ch->gate->lock);
	mutex_lock(&ch->lock);
	softpt_channel_on_owner(ch, rearm, &call);
	mutex_unlock(&ch->lock);
	return call.state == SOFTPT_FIFO_FROZEN ? 0 : -EINVAL;
}

/*
 * Between two instructions of a task in the FIFO may be others that the channel does not know of:
 * of another task, of this one on another CPU, or of code that was not followed. Then the FIFO is
 * flushed first.
 *
 * Return: whether the channel records.
 */
static bool begin(struct softpt_channel *ch, struct softpt_retire_cursor *by)
{
	if (ch && !softpt_channel_takes_events(ch))
		ch = NULL;
	if (ch && ch->retire.by && (ch->retire.by != by || by->ch != ch))
		softpt_fifo_flush(&ch->engine);
	if (ch)
		ch->retire.by = by;
	by->ch = ch;
	return ch;
}

/**
 * softpt_channel_retire() - what is counted from now on is caused by an instruction
 * @ch: of the CPU that this runs on: softpt_gate_channel(); NULL: it has none
 * @by: of the task that runs
 * @ip: the instruction's
 * @n: 0: it executes, and has not retired; 1: it has; above: MOV SS at @ip has, and the one behind
 *
 * Context: interrupts off.
 */
void softpt_channel_retire(struct softpt_channel *ch, struct softpt_retire_cursor *by, u64 ip,
			   u32 n)
{
	if (!begin(ch, by))
		return;
	if (n)
		softpt_fifo_retire(&ch->engine, ip, n);
	else
		softpt_fifo_execute(&ch->engine, ip);
}

/**
 * softpt_channel_access() - what is counted now is of an access to data
 * @ch: as of softpt_channel_retire(), which was called for the instruction
 * @by: of the task that runs
 * @address: of the data
 *
 * Context: interrupts off.
 */
void softpt_channel_access(struct softpt_channel *ch, struct softpt_retire_cursor *by, u64 address)
{
	if (begin(ch, by))
		softpt_fifo_access(&ch->engine, address);
}
