// SPDX-License-Identifier: BSD-2-Clause
/* softpt record --freeze: the event of a program, and the records that it froze */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "../cli/device.h"
#include "freeze.h"
#include "../cli/tool.h"

/* Instructions take a clock each, and what they cause is in it: there is one stage. */
static struct softpt_pipeline pipeline_of(const struct ear_event *ev)
{
	return (struct softpt_pipeline){
		.stages = 1, .delay = ev->delay ? ev->delay : 1, .depth = SOFTPT_FIFO_DEPTH,
	};
}

int freeze_option(const struct command *cmd, struct freeze *f, const char *text)
{
	struct error e;

	if (ear_parse_event(&f->event, text, &e))
		return misuse(cmd, "--freeze: %s", e.text);
	f->plan = (struct softpt_plan){ 0 };
	f->counter = ear_plan(&f->plan, &f->event, &e);
	return f->counter < 0 ? misuse(cmd, "--freeze: %s", e.text) : 0;
}

int freeze_cpu(void)
{
	cpu_set_t set;
	int cpu = 0;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 0;
	while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, &set))
		cpu++;
	return cpu;
}

int freeze_set(struct freeze *f, int session)
{
	const struct softpt_pipeline p = pipeline_of(&f->event);
	struct softpt_class event_class;
	int status = device_counters(session, &f->plan, "stepping a program"), err;

	if (status)
		return status;
	softpt_class_get(f->event.spec.event_class, &event_class);
	err = softpt_session_freeze(session, f->counter, &p);
	if (err == -EOPNOTSUPP)
		return refuse(event_class.name, "which instruction causes that is not known");
	if (err == -ENOTTY)
		return refuse(SOFTPT_DEVICE, "the module is older than this command");
	if (err)
		return refuse(SOFTPT_DEVICE, "freezing records: %s", softpt_strerror(err));
	f->file = fopen(f->path, "ae");		/* spared, until there is what to write */
	return f->file ? 0 : refuse(f->path, "%s", strerror(errno));
}

int freeze_start(const struct freeze *f, int session)
{
	return device_count(session, f->plan.counters, true);
}

int freeze_write(struct freeze *f, struct softpt_unit *unit)
{
	struct softpt_retirement record[SOFTPT_FIFO_DEPTH];
	static const uint32_t one = 1;
	struct softpt_frozen frozen = {
		.pipeline = pipeline_of(&f->event), .record = record, .capacity = &one,
	};
	int n = softpt_unit_fifo(unit, &frozen.freeze, record, SOFTPT_FIFO_DEPTH);

	if (n < 0 && n != -EAGAIN)
		return refuse(SOFTPT_DEVICE, "reading records: %s", softpt_strerror(n));
	frozen.n = n < 0 ? 0 : n;
	if (ftruncate(fileno(f->file), 0) && errno != EINVAL)
		return refuse(f->path, "%s", strerror(errno));
	ear_write(f->file, &frozen);
	if (!frozen.n)
		fprintf(stderr, "softpt: note: %s: no records: the event came less than %" PRIu64
			" times\n", f->path, f->event.nth);
	return 0;
}

int freeze_close(struct freeze *f)
{
	int err;

	if (!f->file)
		return 0;
	err = ferror(f->file);
	if (fclose(f->file) || err)
		return refuse(f->path, "%s", strerror(errno ? errno : EIO));
	return 0;
}
