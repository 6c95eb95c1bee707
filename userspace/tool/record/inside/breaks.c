// SPDX-License-Identifier: BSD-2-Clause
#include "breaks.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define INT3	0xcc
#define SYSCALL	0x0f	/* its first byte */

/* ---- which processes ---- */

struct judged {
	struct inside *in;
	bool made;	/* there is code that no file holds, or that may be written to */
	bool library;	/* there is a C library: others make no system calls of this kind */
};

static bool judge(void *ctx, const struct mapped *m)
{
	struct judged *j = ctx;
	const struct inside_file *f;

	if (m->prot[2] != 'x' || m->path[0] == '[')
		return true;
	j->made |= m->prot[1] == 'w' || m->path[0] != '/';
	f = mapped_is_code(m) ? inside_file(j->in, m->path) : NULL;
	j->library |= f && f->calls.nr > INSIDE_CALLS;
	return true;
}

const char *breaks_refusal(struct inside *in, pid_t pid)
{
	struct judged j = { .in = in };

	if (!mapped_each(pid, judge, &j))
		return "its mappings can't be read";
	if (j.made)
		return "it makes code of its own";
	return j.library ? NULL : "its system calls are not those of a C library that is known";
}

/* ---- breakpoints ---- */

void breaks_open(struct breaks *b, pid_t pid, struct softpt_xl_process *process)
{
	char name[32];

	*b = (struct breaks){ .mem = -1 };
	if (process)
		b->list = (void *)((char *)process + SOFTPT_XL_BREAKS_AT);
	snprintf(name, sizeof(name), "/proc/%d/mem", (int)pid);
	b->mem = open(name, O_RDWR | O_CLOEXEC);
}

void breaks_close(struct breaks *b)
{
	if (b->mem >= 0)
		close(b->mem);
	b->mem = -1;
}

/* Where the byte at @offset of its file is; 0: it is not there */
static uint64_t address_of(const struct mapped *m, uint64_t offset)
{
	return offset >= m->offset && offset - m->offset < m->to - m->from ?
		offset - m->offset + m->from : 0;
}

/* Return: whether there is a breakpoint now, and the runtime will know of it */
static bool put(struct breaks *b, uint64_t addr, uint8_t was)
{
	const uint8_t code = INT3;

	if (!addr)
		return true;
	if (!was || b->nr == SOFTPT_XL_BREAKS || pwrite(b->mem, &code, 1, (off_t)addr) != 1)
		return false;
	b->list[b->nr++] = softpt_xl_break(addr, was);
	return true;
}

bool breaks_put(struct breaks *b, const struct mapped *m, const struct inside_file *f)
{
	bool all = f->was;
	size_t i;

	for (i = 0; i < f->calls.nr && all; i++)
		all = put(b, address_of(m, f->calls.offset[i]), SYSCALL);
	for (i = 0; i < f->list.nr && all; i++)
		all = put(b, address_of(m, f->list.offset[i]), f->was[i]);
	return all;
}

static void take(const struct breaks *b, uint64_t addr, uint8_t was)
{
	uint8_t code = 0;

	if (addr && pread(b->mem, &code, 1, (off_t)addr) == 1 && code == INT3 && was &&
	    pwrite(b->mem, &was, 1, (off_t)addr) != 1)
		return;
}

void breaks_take(const struct breaks *b, const struct mapped *m, const struct inside_file *f)
{
	size_t i;

	for (i = 0; i < f->calls.nr; i++)
		take(b, address_of(m, f->calls.offset[i]), SYSCALL);
	for (i = 0; f->was && i < f->list.nr; i++)
		take(b, address_of(m, f->list.offset[i]), f->was[i]);
}
