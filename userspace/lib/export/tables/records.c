// SPDX-License-Identifier: BSD-2-Clause
/* What the kernel told beside the trace: mappings, names, children, code that changed */
#include <string.h>

#include <softpt/perf.h>

#include "export/tables/tables.h"

/* A record, and what is written of it */
struct record {
	const struct softpt_perf_record *rec;
	struct table_event ev;
	char text[4096];
};

static void set_text(struct record *r, const char *text, size_t len)
{
	len = strnlen(text, len);
	if (len > sizeof(r->text) - 1)
		len = sizeof(r->text) - 1;
	memcpy(r->text, text, len);
	r->text[len] = '\0';
	r->ev.text = r->text;
}

static uint32_t find_task(struct tables *t, uint32_t pid, uint32_t tid)
{
	const uint32_t task = tasks_find(&t->tasks, pid, tid);

	t->failed |= !task;
	return task;
}

/* The kernel itself is nobody's. */
static bool take_map(struct tables *t, struct record *r)
{
	struct softpt_perf_map map;

	if (!softpt_perf_map_of(r->rec, &map))
		return false;
	r->ev.kind = "map";
	r->ev.task = map.pid == UINT32_MAX ? 0 : find_task(t, map.pid, map.tid);
	r->ev.has_address = true;
	r->ev.address = map.addr;
	r->ev.has_value = true;
	r->ev.value = map.len;
	set_text(r, map.name, sizeof(r->text));
	return true;
}

static bool take_comm(struct tables *t, struct record *r)
{
	uint32_t ids[2];

	if (r->rec->size < sizeof(ids))
		return false;
	memcpy(ids, r->rec->body, sizeof(ids));
	r->ev.kind = r->rec->misc & PERF_RECORD_MISC_COMM_EXEC ? "exec" : "name";
	r->ev.task = find_task(t, ids[0], ids[1]);
	set_text(r, (const char *)r->rec->body + sizeof(ids), r->rec->size - sizeof(ids));
	if (r->ev.task)
		tasks_name(&t->tasks, r->ev.task, r->text, sizeof(r->text));
	return true;
}

/* A child is called as its parent is. */
static bool take_fork(struct tables *t, struct record *r)
{
	struct { uint32_t pid, ppid, tid, ptid; } ids;
	uint32_t parent;

	if (r->rec->size < sizeof(ids))
		return false;
	memcpy(&ids, r->rec->body, sizeof(ids));
	r->ev.task = find_task(t, ids.pid, ids.tid);
	if (r->rec->type == PERF_RECORD_EXIT) {
		r->ev.kind = "exit";
		return true;
	}
	parent = find_task(t, ids.ppid, ids.ptid);
	if (parent && r->ev.task && parent != r->ev.task)
		tasks_name(&t->tasks, r->ev.task, t->tasks.task[parent - 1].name,
			   sizeof(t->tasks.task->name));
	r->ev.kind = "fork";
	r->ev.has_value = true;
	r->ev.value = parent;
	return true;
}

static bool take_code(struct tables *t, struct record *r)
{
	struct softpt_perf_code code;

	if (!softpt_perf_code_of(r->rec, &code))
		return false;
	r->ev.kind = "code";
	r->ev.task = find_task(t, r->rec->id.pid, r->rec->id.tid);
	r->ev.has_address = true;
	r->ev.address = code.addr;
	r->ev.has_value = true;
	r->ev.value = code.len;
	return true;
}

static bool take(struct tables *t, struct record *r)
{
	switch (r->rec->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return take_map(t, r);
	case PERF_RECORD_COMM:
		return take_comm(t, r);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return take_fork(t, r);
	case PERF_RECORD_TEXT_POKE:
		return take_code(t, r);
	default:
		return false;
	}
}

void tables_records(struct tables *t)
{
	struct softpt_perf_record rec;
	struct softpt_flow_time when;
	size_t i;

	for (i = 0; !t->failed && !t->to->err && softpt_perf_record(t->perf, i, &rec);
	     i++) {
		struct record r = { .rec = &rec, .ev.cpu = rec.id.cpu };

		if (!take(t, &r))
			continue;
		if (perf_clock_tsc(t->perf, rec.id.time, &when)) {
			r.ev.begin = &when;
			r.ev.end = &when;
		}
		tables_event(t, &r.ev);
	}
}
