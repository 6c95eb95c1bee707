// SPDX-License-Identifier: BSD-2-Clause
#include "report/syscalls.h"

#include <stdlib.h>
#include <string.h>

#include "code/image.h"
#include "code/syscalls.h"
#include "flow/process.h"
#include "report/index.h"

#define CODE_BEFORE	320	/* bytes before an instruction that may hold its number */
#define NOT_A_CALL	(UINT32_MAX - 1)
#define NOT_KNOWN	(UINT32_MAX - 2)	/* a call without a number */

/* A thread. @in: it is in a call; it has waited for @wait since it left user mode */
struct caller {
	bool in;
	uint32_t call;
	struct report_span wait;
};

struct report_syscalls {
	uint32_t tid;
	bool told;			/* by rows */
	struct report_syscall *call;
	uint32_t calls;
	struct caller *caller;
	uint32_t callers;
	struct report_index by_number;	/* to @call */
	struct report_index by_thread;	/* to @caller */
	struct report_index by_ip;	/* of a process: a number, NOT_A_CALL or NOT_KNOWN */
};

struct report_syscalls *report_syscalls_new(uint32_t tid)
{
	struct report_syscalls *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->tid = tid;
	return s;
}

void report_syscalls_free(struct report_syscalls *s)
{
	uint32_t i;

	if (!s)
		return;
	for (i = 0; i < s->calls; i++) {
		spread_free(&s->call[i].ticks);
		spread_free(&s->call[i].low);
		spread_free(&s->call[i].high);
	}
	free(s->call);
	free(s->caller);
	index_free(&s->by_number);
	index_free(&s->by_thread);
	index_free(&s->by_ip);
	free(s);
}

static bool add_call(struct report_syscalls *s, uint32_t number)
{
	struct report_syscall *grown = reallocarray(s->call, s->calls + 1, sizeof(*grown));

	if (!grown)
		return false;
	s->call = grown;
	s->call[s->calls++] = (struct report_syscall){ .number = number };
	return true;
}

/* Return: false without memory */
static bool begin(struct report_syscalls *s, struct caller *c, uint32_t number)
{
	uint32_t *i = index_at(&s->by_number, number, 0);

	if (!i || (*i == INDEX_NEW && !add_call(s, number)))
		return false;
	if (*i == INDEX_NEW)
		*i = s->calls - 1;
	s->call[*i].calls++;
	c->in = true;
	c->call = *i;
	return true;
}

/* ---- numbers that no row tells ---- */

/* The code may begin amid what would be read. */
static size_t read_before(struct code_image *code, uint64_t ip, uint8_t *buf)
{
	uint64_t from = ip - CODE_BEFORE;
	size_t n;

	do {
		n = code_image_read(code, from, buf, ip + 2 - from);
		if (n == ip + 2 - from)
			return n;
		from += n ? n : CODE_BEFORE / 20;
	} while (from <= ip);
	return 0;
}

static uint32_t find_number(const struct softpt_flow_row *row)
{
	uint8_t code[CODE_BEFORE + 2];
	size_t n = row->from < CODE_BEFORE ? 0 :
		   read_before(row->thread->process->code, row->from, code);
	uint32_t number;

	if (n < 2 || memcmp(code + n - 2, "\x0f\x05", 2))
		return NOT_A_CALL;
	number = syscalls_number(code, n);
	return number < NOT_KNOWN ? number : NOT_KNOWN;
}

/* What is back from the kernel has called it, if the instruction there says so. */
static bool begin_by_code(struct report_syscalls *s, struct caller *c,
			  const struct softpt_flow_row *row)
{
	uint32_t *number = index_at(&s->by_ip, (uintptr_t)row->thread->process, row->from);

	if (!number)
		return false;
	if (*number == INDEX_NEW)
		*number = find_number(row);
	if (*number == NOT_A_CALL)
		return true;
	return begin(s, c, *number == NOT_KNOWN ? REPORT_NO_NUMBER : *number);
}

/* ---- rows ---- */

static struct caller *find_caller(struct report_syscalls *s, const struct softpt_flow_row *row)
{
	uint32_t *i = index_at(&s->by_thread, (uintptr_t)row->thread, 0);
	struct caller *grown;

	if (!i)
		return NULL;
	if (*i == INDEX_NEW) {
		grown = reallocarray(s->caller, s->callers + 1, sizeof(*grown));
		if (!grown)
			return NULL;
		s->caller = grown;
		s->caller[s->callers] = (struct caller){ 0 };
		*i = s->callers++;
	}
	return &s->caller[*i];
}

/* Return: false without memory */
static bool end(struct report_syscalls *s, struct caller *c, const struct softpt_flow_row *row)
{
	struct report_syscall *call = &s->call[c->call];
	struct report_span time;

	report_duration(&row->since, &row->when, &time);
	report_span_sum(&call->time, &time);
	report_span_sum(&call->wait, &c->wait);
	c->in = false;
	return !spread_add(&call->ticks, time.ticks) && !spread_add(&call->low, time.min) &&
	       !spread_add(&call->high, time.max);
}

static void add_wait(struct caller *c, const struct softpt_flow_row *row)
{
	struct report_span wait;

	report_duration(&row->since, &row->when, &wait);
	report_span_sum(&c->wait, &wait);
}

bool report_syscalls_take(struct report_syscalls *s, const struct softpt_flow_row *row)
{
	struct caller *c;

	if (s->tid && row->tid != s->tid)
		return true;
	c = find_caller(s, row);
	if (!c)
		return false;
	switch (row->event) {
	case SOFTPT_FLOW_SYSCALL:
		s->told = true;
		return begin(s, c, row->value < NOT_KNOWN ? row->value : REPORT_NO_NUMBER);
	case SOFTPT_FLOW_SWITCH_IN:
		add_wait(c, row);
		return true;
	case SOFTPT_FLOW_OFF:
		c->wait = (struct report_span){ 0 };
		return true;
	case SOFTPT_FLOW_KERNEL:
		if (!s->told && row->since.tsc && !begin_by_code(s, c, row))
			return false;
		return !c->in || end(s, c, row);
	default:
		c->in = false;
		return true;
	}
}

size_t report_syscalls_count(const struct report_syscalls *s)
{
	return s->calls;
}

const struct report_syscall *report_syscall(const struct report_syscalls *s, size_t i)
{
	return &s->call[i];
}

void report_syscall_kernel(const struct report_syscall *call, struct report_span *kernel)
{
	*kernel = call->time;
	report_span_less(kernel, &call->wait);
}
