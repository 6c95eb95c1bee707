// SPDX-License-Identifier: BSD-2-Clause
/* The rows of `softpt flow` as slices: functions of threads, threads on CPUs */
#include "export/threads.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export/kernel/beside.h"
#include "flow/kernel/names.h"
#include "flow/path.h"
#include "flow/process.h"

#define SLICES	256	/* open ones of a track that nest; deeper calls are left out */

/* A thread, or a CPU. Slices close from the deepest on. */
struct lane {
	uint64_t track;
	struct beside beside;
	bool in_call;		/* of the kernel: its slice is open */
	const struct softpt_flow_thread *thread;
	int cpu;		/* where there is no @thread; -1: the trace is of @runs */
	const struct softpt_flow_thread *runs;
	uint32_t tid;		/* of @thread, which goes with the walk */
	char comm[16];		/* what the thread is called in the file */
	uint64_t ns;		/* of the last event: later ones are not before it */
	unsigned int slices;
	unsigned int depth[SLICES];
	struct lane *next;
};

struct process {
	uint32_t pid;
	uint64_t track;
	struct process *next;
};

struct threads {
	struct perfetto *p;
	const struct input *in;
	struct lane *lane;
	struct process *process;
	bool failed;
};

#define ROW(id) (1u << SOFTPT_FLOW_##id)

/* ---- tracks ---- */

static struct lane *add_lane(struct threads *t, const struct softpt_flow_thread *thread, int cpu)
{
	struct lane *l = calloc(1, sizeof(*l));

	if (!l) {
		t->failed = true;
		return NULL;
	}
	l->thread = thread;
	l->cpu = cpu;
	l->next = t->lane;
	t->lane = l;
	return l;
}

static struct process *get_process(struct threads *t, uint32_t pid)
{
	struct process *p;

	for (p = t->process; p; p = p->next)
		if (p->pid == pid)
			return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->pid = pid;
	p->next = t->process;
	t->process = p;
	return p;
}

/* A process is called as its first thread is; an exec gives a new name. */
static void name_thread(struct threads *t, struct lane *l)
{
	const struct softpt_flow_thread *thread = l->thread;
	struct process *p = get_process(t, thread->pid);

	if (!p) {
		t->failed = true;
		return;
	}
	if (!p->track || thread->tid == thread->pid)
		p->track = perfetto_process(t->p, p->track, thread->pid, thread->comm);
	l->track = perfetto_thread(t->p, l->track, thread->pid, thread->tid, thread->comm);
	memcpy(l->comm, thread->comm, sizeof(l->comm));
	l->tid = thread->tid;
}

static struct lane *lane_of_thread(struct threads *t, const struct softpt_flow_thread *thread)
{
	struct lane *l;

	for (l = t->lane; l; l = l->next)
		if (l->thread == thread)
			break;
	if (!l)
		l = add_lane(t, thread, -1);
	if (l && (!l->track || memcmp(l->comm, thread->comm, sizeof(l->comm))))
		name_thread(t, l);
	return l;
}

/* Of a CPU, who ran there; else when a thread was recorded. @of: the thread */
static struct lane *lane_of_runs(struct threads *t, const struct lane *of, int cpu)
{
	const struct softpt_flow_thread *runs = cpu < 0 ? of->thread : NULL;
	struct lane *l;
	char name[32];

	for (l = t->lane; l; l = l->next)
		if (!l->thread && l->cpu == cpu && l->runs == runs)
			return l;
	l = add_lane(t, NULL, cpu);
	if (!l)
		return NULL;
	l->runs = runs;
	snprintf(name, sizeof(name), "CPU %d", cpu);
	l->track = perfetto_track(t->p, runs ? of->track : 0, runs ? "recorded" : name);
	return l;
}

/* ---- slices ---- */

static uint64_t advance(const struct threads *t, struct lane *l, uint64_t tsc)
{
	uint64_t ns = softpt_perf_time(t->in->perf, tsc);

	if (ns > l->ns)
		l->ns = ns;
	return l->ns;
}

/* What is as deep, or deeper, is over. */
static void close_slices(struct threads *t, struct lane *l, unsigned int depth,
			 const struct softpt_flow_time *when)
{
	struct perfetto_event ev = { .track = l->track };

	if (when) {
		advance(t, l, when->tsc);
		perfetto_note_time(&ev, when, true);
	}
	ev.ns = l->ns;
	while (l->slices && l->depth[l->slices - 1] >= depth) {
		l->slices--;
		perfetto_end(t->p, &ev);
	}
}

static void open_slice(struct threads *t, struct lane *l, unsigned int depth,
		       const struct softpt_flow_time *when, struct perfetto_event *ev)
{
	close_slices(t, l, depth, when);
	if (l->slices == SLICES)
		return;
	l->depth[l->slices++] = depth;
	ev->track = l->track;
	ev->ns = advance(t, l, when->tsc);
	perfetto_note_time(ev, when, false);
	perfetto_begin(t->p, ev);
}

/* ---- rows ---- */

static void name_of(const struct softpt_symbol *sym, uint64_t ip, char *buf, size_t len)
{
	if (sym->name)
		snprintf(buf, len, "%s", sym->label);
	else if (sym->module)
		snprintf(buf, len, "%s+0x%" PRIx64, sym->module, ip - sym->start);
	else
		snprintf(buf, len, "0x%" PRIx64, ip);
}

static void enter(struct threads *t, struct lane *l, const struct softpt_flow_row *row)
{
	struct perfetto_event ev = { 0 };
	struct softpt_symbol sym;
	char name[256];

	softpt_flow_symbol(row, row->ip, &sym);
	name_of(&sym, row->ip, name, sizeof(name));
	ev.name = name;
	perfetto_note(&ev, "ip", row->ip, true);
	perfetto_note_text(&ev, "module", sym.module);
	open_slice(t, l, row->depth, &row->when, &ev);
}

static void in_kernel(struct threads *t, struct lane *l, const struct softpt_flow_row *row)
{
	struct perfetto_event ev = { .name = "kernel" };

	open_slice(t, l, row->depth, &row->since, &ev);
	close_slices(t, l, row->depth, &row->when);
}

static void in_syscall(struct threads *t, struct lane *l, const struct softpt_flow_row *row)
{
	const char *name = kernel_call_name(row->value);
	struct perfetto_event ev = { .name = name ? name : "system call" };

	perfetto_note(&ev, "ip", row->ip, true);
	perfetto_note(&ev, "number", row->value, false);
	open_slice(t, l, row->depth, &row->when, &ev);
	l->in_call = true;
}

static void back(struct threads *t, struct lane *l, const struct softpt_flow_row *row)
{
	if (l->in_call)
		close_slices(t, l, row->depth, &row->when);
	else
		in_kernel(t, l, row);
	l->in_call = false;
}

/* Return: whether it is of what the kernel did */
static bool take_kernel(struct threads *t, struct lane *l, const struct softpt_flow_row *row)
{
	switch (row->event) {
	case SOFTPT_FLOW_SYSCALL:
		in_syscall(t, l, row);
		return true;
	case SOFTPT_FLOW_KERNEL:
		back(t, l, row);
		return true;
	case SOFTPT_FLOW_SWITCH_OUT:
	case SOFTPT_FLOW_SWITCH_IN:
	case SOFTPT_FLOW_FAULT:
	case SOFTPT_FLOW_IRQ:
		beside_take(&l->beside, t->p, l->track, row,
			    softpt_perf_time(t->in->perf, row->when.tsc));
		return true;
	default:
		return false;
	}
}

static void tell_loss(struct threads *t, struct lane *l, const struct softpt_flow_row *row)
{
	struct perfetto_event ev = { .track = l->track, .name = "overflow" };

	if (row->event == SOFTPT_FLOW_LOST)
		ev.name = "lost";
	ev.ns = advance(t, l, row->when.tsc);
	perfetto_note(&ev, "ip", row->ip, true);
	perfetto_note_text(&ev, "why", row->error);
	perfetto_instant(t->p, &ev);
}

static void put_on(struct threads *t, struct lane *runs, const struct softpt_flow_row *row)
{
	struct perfetto_event ev = { 0 };
	char name[64];

	snprintf(name, sizeof(name), "%s (%u)", row->comm, row->tid);
	ev.name = name;
	perfetto_note(&ev, "pid", row->pid, false);
	perfetto_note(&ev, "tid", row->tid, false);
	open_slice(t, runs, 0, &row->when, &ev);
}

static bool take_row(void *context, const struct softpt_flow_row *row)
{
	struct threads *t = context;
	struct lane *l = lane_of_thread(t, row->thread);
	struct lane *runs;

	if (!l)
		return false;
	if (take_kernel(t, l, row))
		return true;
	runs = lane_of_runs(t, l, row->cpu);
	if (!runs)
		return false;
	switch (row->event) {
	case SOFTPT_FLOW_ON:
		put_on(t, runs, row);
		break;
	case SOFTPT_FLOW_OFF:
		close_slices(t, runs, 0, &row->when);
		break;
	case SOFTPT_FLOW_RETURN:
		close_slices(t, l, row->depth, &row->when);
		break;
	case SOFTPT_FLOW_ABORT:
		close_slices(t, l, row->depth + 1, &row->when);
		break;
	case SOFTPT_FLOW_LOST:
	case SOFTPT_FLOW_OVERFLOW:
		tell_loss(t, l, row);
		break;
	default:
		enter(t, l, row);
	}
	return !t->failed;
}

static void tell_tracks(const struct threads *t, uint64_t *track)
{
	const struct lane *l;
	unsigned int i;

	for (l = t->lane; l; l = l->next)
		for (i = 0; l->thread && i < t->in->nr; i++)
			if (t->in->streams[i].tid >= 0 &&
			    (uint32_t)t->in->streams[i].tid == l->tid)
				track[i] = l->track;
}

int perfetto_threads(struct perfetto *p, const struct input *in, const char *root, uint64_t *track,
		     const struct error_sink *errors)
{
	struct threads t = { .p = p, .in = in };
	struct flow_path path = {
		.in = in,
		.root = root,
		.wanted = ROW(ON) | ROW(OFF) | ROW(CALL) | ROW(JUMP) | ROW(RETURN) | ROW(BEGIN) |
			  ROW(KERNEL) | ROW(ABORT) | ROW(LOST) | ROW(OVERFLOW) | ROW(SYSCALL) |
			  ROW(SWITCH_OUT) | ROW(SWITCH_IN) | ROW(FAULT) | ROW(IRQ),
		.row = take_row,
		.context = &t,
		.errors = errors,
	};
	struct process *process;
	struct lane *l;
	int err = flow_path_walk(&path);

	tell_tracks(&t, track);
	while ((l = t.lane)) {
		t.lane = l->next;
		close_slices(&t, l, 0, NULL);
		beside_end(&l->beside, p);
		free(l);
	}
	while ((process = t.process)) {
		t.process = process->next;
		free(process);
	}
	return t.failed ? error_tell(errors, in->path, -ENOMEM, "out of memory") : err;
}
