// SPDX-License-Identifier: BSD-2-Clause
/* Where the functions are in a process: its files, and where they are mapped */
#include <stdio.h>
#include <string.h>

#include "../../cli/tool.h"
#include "breaks.h"
#include "files.h"
#include "inside.h"
#include "maps.h"

/**
 * struct answer - what a process is told
 * @in: the functions
 * @addr: where they are
 * @nr: how many
 * @breaks: breakpoints
 * @native: they are wanted
 * @shares: it has mapped the shared file: nothing is written to another process
 * @full: there are more functions
 * @failed: a breakpoint could not be put
 */
struct answer {
	struct inside *in;
	uint64_t *addr;
	uint32_t nr;
	struct breaks breaks;
	bool native;
	bool shares;
	bool full;
	bool failed;
};

static void add(struct answer *a, const struct mapped *m, const struct inside_file *f)
{
	size_t i;

	for (i = 0; i < f->list.nr; i++) {
		const uint64_t offset = f->list.offset[i];

		if (offset < m->offset || offset - m->offset >= m->to - m->from)
			continue;
		a->full |= a->nr == SOFTPT_XL_DOORS;
		if (!a->full)
			a->addr[a->nr++] = offset - m->offset + m->from;
	}
}

static bool look(void *ctx, const struct mapped *m)
{
	struct answer *a = ctx;
	const struct inside_file *f;

	a->shares |= m->inode == a->in->share.inode && m->device == a->in->share.device;
	f = mapped_is_code(m) ? inside_file(a->in, m->path) : NULL;
	if (f)
		add(a, m, f);
	return true;
}

static bool put(void *ctx, const struct mapped *m)
{
	struct answer *a = ctx;
	const struct inside_file *f = mapped_is_code(m) ? inside_file(a->in, m->path) : NULL;

	a->failed |= f && !breaks_put(&a->breaks, m, f);
	return true;
}

void inside_answer(struct inside *in, pid_t pid, struct softpt_xl_process *process,
		   uint32_t asked)
{
	struct answer a = {
		.in = in, .addr = (void *)((char *)process + SOFTPT_XL_DOORS_AT),
		.native = __atomic_load_n(&process->native, __ATOMIC_ACQUIRE),
	};
	char name[32];

	snprintf(name, sizeof(name), "process %d", (int)pid);
	mapped_each(pid, look, &a);
	if (a.full)
		refuse(name, "--in %s: the first %d functions only", in->text, SOFTPT_XL_DOORS);
	process->doors = a.nr;
	if (a.native && a.shares) {
		breaks_open(&a.breaks, pid, process);
		mapped_each(pid, put, &a);
		breaks_close(&a.breaks);
		process->breaks = a.breaks.nr;
		if (a.failed)
			refuse(name, "--in %s: not all breakpoints can be put: calls may be missing",
			       in->text);
	}
	__atomic_store_n(&process->answered, asked, __ATOMIC_RELEASE);
}

const char *inside_native_refusal(struct inside *in, pid_t pid)
{
	return breaks_refusal(in, pid);
}

struct restoring {
	struct inside *in;
	struct breaks breaks;
};

static bool take(void *ctx, const struct mapped *m)
{
	struct restoring *r = ctx;
	const struct inside_file *f = mapped_is_code(m) ? inside_file(r->in, m->path) : NULL;

	if (f)
		breaks_take(&r->breaks, m, f);
	return true;
}

void inside_restore(struct inside *in, pid_t pid)
{
	struct restoring r = { .in = in };

	breaks_open(&r.breaks, pid, NULL);
	if (r.breaks.mem >= 0)
		mapped_each(pid, take, &r);
	breaks_close(&r.breaks);
}
