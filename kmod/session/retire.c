// SPDX-License-Identifier: GPL-2.0-only
/* Commands for the retirement FIFO (Documentation/reference/address.rst) */

#include <linux/nospec.h>
#include <linux/slab.h>

#include <softpt/retire.h>

#include "channel/retire.h"
#include "session/args.h"
#include "session/commands.h"
#include "session/counter.h"
#include "session/lock.h"
#include "user.h"

static bool is_valid(const struct softpt_pipeline *p)
{
#define ROW(key, field, low, high, preset, what) \
	(p->field >= (low) + 0ull && p->field <= (high)) &&
	return SOFTPT_PIPELINE_KEYS(ROW) true;
#undef ROW
}

/* Nothing but its size: nothing is recorded any more. */
static bool is_none(const struct softpt_freeze_args *args)
{
	return !args->counter && !memchr_inv(&args->pipeline, 0, sizeof(args->pipeline));
}

long softpt_ioc_set_freeze(struct file *file, void __user *arg)
{
	struct softpt_session *session = file->private_data;
	struct softpt_freeze_args args, before;
	int err = softpt_args_in(&args, sizeof(args), arg);

	if (err)
		return err;
	if (args.flags || args.reserved || args.counter >= SOFTPT_COUNTERS ||
	    !(is_none(&args) || is_valid(&args.pipeline)))
		return -EINVAL;
	args.counter = array_index_nospec(args.counter, SOFTPT_COUNTERS);
	if (softpt_session_lock_killable(session))
		return -EINTR;
	before = session->setup.retire;
	if (session->enabled) {
		err = -EBUSY;
	} else if (!is_none(&args) && !(session->setup.counters.set & BIT(args.counter))) {
		err = -EINVAL;
	} else {
		session->setup.retire = args;
		if (!softpt_session_can_count(session, session->ops)) {
			session->setup.retire = before;
			err = -EOPNOTSUPP;
		}
		softpt_session_publish_counting(session);
	}
	softpt_session_unlock(session);
	return err;
}

/* ---- the unit's commands ---- */

/* The size of its first version: a reader that knows no more gets no more */
#define FIFO_ARGS_FIRST	_IOC_SIZE(SOFTPT_READ_FIFO)

/* What user space may keep waiting is done without the lock. */
static int read_fifo(struct softpt_channel *ch, struct softpt_fifo_args *args)
{
	struct softpt_retirement *records;
	int err;

	records = kmalloc_array(SOFTPT_FIFO_DEPTH, sizeof(*records), GFP_KERNEL_ACCOUNT);
	if (!records)
		return -ENOMEM;
	err = softpt_channel_read_fifo(ch, args, records);
	if (!err && softpt_copy_to_user(u64_to_user_ptr(args->records), records,
					args->n * sizeof(*records)))
		err = -EFAULT;
	kfree(records);
	return err;
}

long softpt_ioc_read_fifo(struct file *file, void __user *arg)
{
	struct softpt_fifo_args args;
	u32 usize;
	int err = softpt_args_size(FIFO_ARGS_FIRST, arg, &usize);

	if (!err && usize > FIFO_ARGS_FIRST && usize < sizeof(args))
		err = -EINVAL;
	if (!err)
		err = softpt_copy_struct_from_user(&args, sizeof(args), arg, usize);
	if (err)
		return err;
	if (args.flags || args.reserved)
		return -EINVAL;
	args.size = sizeof(args);
	err = read_fifo(softpt_file_channel(file), &args);
	return err ?: softpt_args_out(arg, usize, &args, sizeof(args));
}

long softpt_ioc_rearm_fifo(struct file *file, void __user *arg)
{
	struct softpt_unit *unit = file->private_data;
	int err;

	if (softpt_session_lock_killable(unit->session))
		return -EINTR;
	err = softpt_channel_rearm_fifo(&unit->ch, &unit->session->setup);
	softpt_session_unlock(unit->session);
	return err;
}
