// SPDX-License-Identifier: BSD-2-Clause
/* Who ran on which CPU, by the kernel's records of switches: of the whole system */
#include "export/switches.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <softpt/perf.h>

#define NAMES	1024	/* threads that are told apart by a hash of their number */

struct cpu {
	uint32_t cpu;
	uint64_t track;
	uint64_t ns;		/* of the last event: later ones are not before it */
	bool busy;
	struct cpu *next;
};

struct name {
	uint32_t tid;
	char comm[16];
	struct name *next;
};

struct switches {
	struct perfetto *p;
	struct cpu *cpu;
	struct name *name[NAMES];
};

static struct cpu *get_cpu(struct switches *s, uint32_t cpu)
{
	struct cpu *c;
	char name[32];

	for (c = s->cpu; c; c = c->next)
		if (c->cpu == cpu)
			return c;
	c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	snprintf(name, sizeof(name), "CPU %u", cpu);
	c->cpu = cpu;
	c->track = perfetto_track(s->p, 0, name);
	c->next = s->cpu;
	s->cpu = c;
	return c;
}

static struct name *get_name(struct switches *s, uint32_t tid)
{
	struct name **list = &s->name[tid % NAMES], *n;

	for (n = *list; n; n = n->next)
		if (n->tid == tid)
			return n;
	n = calloc(1, sizeof(*n));
	if (!n)
		return NULL;
	n->tid = tid;
	n->next = *list;
	*list = n;
	return n;
}

static int take_comm(struct switches *s, const struct softpt_perf_record *rec)
{
	uint32_t ids[2];
	struct name *n;
	size_t len;

	if (rec->size < sizeof(ids))
		return 0;
	memcpy(ids, rec->body, sizeof(ids));
	n = get_name(s, ids[1]);
	if (!n)
		return -ENOMEM;
	len = rec->size - sizeof(ids);
	if (len > sizeof(n->comm) - 1)
		len = sizeof(n->comm) - 1;
	memset(n->comm, 0, sizeof(n->comm));
	memcpy(n->comm, (const char *)rec->body + sizeof(ids), len);
	return 0;
}

/* A child is called as its parent is. */
static int take_fork(struct switches *s, const struct softpt_perf_record *rec)
{
	struct { uint32_t pid, ppid, tid, ptid; } ids;
	struct name *child, *parent;

	if (rec->size < sizeof(ids))
		return 0;
	memcpy(&ids, rec->body, sizeof(ids));
	child = get_name(s, ids.tid);
	parent = get_name(s, ids.ptid);
	if (!child || !parent)
		return -ENOMEM;
	memcpy(child->comm, parent->comm, sizeof(child->comm));
	return 0;
}

static void end_turn(struct switches *s, struct cpu *c, uint64_t time)
{
	struct perfetto_event ev = { .track = c->track };

	if (time > c->ns)
		c->ns = time;
	ev.ns = c->ns;
	if (c->busy)
		perfetto_end(s->p, &ev);
	c->busy = false;
}

/* Nobody runs while the idle thread does: it is number 0. */
static int take_switch(struct switches *s, const struct softpt_perf_record *rec)
{
	struct cpu *c = get_cpu(s, rec->id.cpu);
	struct name *n = get_name(s, rec->id.tid);
	struct perfetto_event ev = { .notes = 2 };
	char text[64];

	if (!c || !n)
		return -ENOMEM;
	end_turn(s, c, rec->id.time);
	if (rec->misc & PERF_RECORD_MISC_SWITCH_OUT || !rec->id.tid)
		return 0;
	snprintf(text, sizeof(text), "%s (%u)", n->comm, n->tid);
	ev.track = c->track;
	ev.ns = c->ns;
	ev.name = text;
	ev.note[0] = (struct perfetto_note){ .name = "pid", .value = rec->id.pid };
	ev.note[1] = (struct perfetto_note){ .name = "tid", .value = rec->id.tid };
	perfetto_begin(s->p, &ev);
	c->busy = true;
	return 0;
}

static int take_records(struct switches *s, const struct input *in)
{
	struct softpt_perf_record rec;
	int err = 0;
	size_t i;

	for (i = 0; !err && softpt_perf_record(in->perf, i, &rec); i++) {
		if (rec.type == PERF_RECORD_COMM)
			err = take_comm(s, &rec);
		else if (rec.type == PERF_RECORD_FORK)
			err = take_fork(s, &rec);
		else if (rec.type == PERF_RECORD_SWITCH || rec.type == PERF_RECORD_SWITCH_CPU_WIDE)
			err = take_switch(s, &rec);
	}
	return err;
}

int perfetto_switches(struct perfetto *p, const struct input *in)
{
	struct switches s = { .p = p };
	int err = take_records(&s, in);
	struct name *n;
	struct cpu *c;
	size_t i;

	while ((c = s.cpu)) {
		s.cpu = c->next;
		end_turn(&s, c, 0);
		free(c);
	}
	for (i = 0; i < NAMES; i++)
		while ((n = s.name[i])) {
			s.name[i] = n->next;
			free(n);
		}
	return err;
}
