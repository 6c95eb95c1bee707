// SPDX-License-Identifier: BSD-2-Clause
#include "past.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "code/decode.h"
#include "flow/process.h"

/* ---- what is kept ---- */

const struct block *past_block(const struct past *h, size_t i)
{
	return &h->block[(h->first + i) % h->room];
}

/* A ring that is not full begins at 0. */
static int grow(struct past *h)
{
	size_t room = h->room ? 2 * h->room : 1024;
	struct block *grown;

	if (room > h->most)
		room = h->most;
	grown = reallocarray(h->block, room, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	h->block = grown;
	h->room = room;
	return 0;
}

static int drop_calls(struct past *h)
{
	unsigned char *needed = calloc(h->calls.n + 1, 1);
	uint32_t *number = NULL;
	size_t i;

	for (i = 0; needed && i < h->n; i++)
		needed[h->block[(h->first + i) % h->room].call] = 1;
	if (needed)
		number = calls_drop(&h->calls, needed);
	free(needed);
	if (!number)
		return -ENOMEM;
	for (i = 0; i < h->n; i++) {
		struct block *b = &h->block[(h->first + i) % h->room];

		b->call = number[b->call];
	}
	free(number);
	return 0;
}

/* Another program: what ran before has other code at its addresses. */
static void forget(struct past *h)
{
	h->first = 0;
	h->n = 0;
	calls_forget(&h->calls);
}

static struct block *new_block(struct past *h)
{
	struct block *b;

	if (h->n == h->room && h->room < h->most && grow(h))
		return NULL;
	if (h->n < h->room)
		return &h->block[(h->first + h->n++) % h->room];
	b = &h->block[h->first];
	h->first = (h->first + 1) % h->room;
	return b;
}

int past_add(struct past *h, const struct softpt_flow_row *row)
{
	struct block *b;
	int64_t call;

	if (!row->bytes || row->bytes > UINT32_MAX)
		return 0;
	if (h->process != row->thread->process)
		forget(h);
	h->process = row->thread->process;
	snprintf(h->comm, sizeof(h->comm), "%s", row->comm ? row->comm : "?");
	if (calls_full(&h->calls) && drop_calls(h))
		return -ENOMEM;
	call = calls_now(&h->calls, row->thread);
	b = call < 0 ? NULL : new_block(h);
	if (!b)
		return -ENOMEM;
	*b = (struct block){
		.ip = row->ip, .tsc = row->when.tsc, .bytes = row->bytes, .call = call,
	};
	h->end = row->is_branch ? row->to : row->ip + row->bytes;	/* a bad pointer may be 0 */
	h->end_tsc = row->when.tsc;
	h->thread = row->thread;
	return 0;
}

/* The last block may have entered or left a function in which nothing was executed. */
int past_end(struct past *h)
{
	const int64_t call = calls_now(&h->calls, h->thread);

	if (call < 0)
		return -ENOMEM;
	h->end_call = call;
	return 0;
}

void past_free(struct past *h)
{
	free(h->block);
	free(h->start);
	calls_free(&h->calls);
	free(h);
}

/* ---- instructions ---- */

/* What is no code is one instruction: the block has an end all the same. */
static size_t size_at(const struct past *h, const struct block *b, uint32_t at)
{
	uint8_t code[15];
	size_t n = b->bytes - at < sizeof(code) ? b->bytes - at : sizeof(code);
	struct code_insn insn;

	n = code_image_read(h->process->code, b->ip + at, code, n);
	insn = code_decode(code, n, b->ip + at, 64);
	return insn.size && insn.size <= n ? insn.size : b->bytes - at;
}

/* Return: whether the instructions of block @i are known */
static bool look_at(struct past *h, size_t i)
{
	const struct block *b = past_block(h, i);
	uint32_t at, *start;
	size_t room = 0;

	if (h->cached == i + 1)
		return true;
	h->cached = 0;
	h->starts = 0;
	for (at = 0; at < b->bytes; at += size_at(h, b, at)) {
		if (h->starts == room) {
			room = room ? 2 * room : 64;
			start = reallocarray(h->start, room, sizeof(*start));
			if (!start)
				return false;
			h->start = start;
		}
		h->start[h->starts++] = at;
	}
	h->cached = i + 1;
	return true;
}

uint64_t past_ip(struct past *h, const struct place *p)
{
	if (p->block == h->n)
		return h->end;
	if (!look_at(h, p->block))
		return 0;
	return past_block(h, p->block)->ip + h->start[p->insn];
}

uint32_t past_call(const struct past *h, const struct place *p)
{
	return p->block < h->n ? past_block(h, p->block)->call : h->end_call;
}

uint64_t past_tsc(const struct past *h, const struct place *p)
{
	return p->block < h->n ? past_block(h, p->block)->tsc : h->end_tsc;
}

void past_last(struct past *h, struct place *p)
{
	if (p->block < h->n && look_at(h, p->block))
		p->insn = h->starts - 1;
}

static bool step_back(struct past *h, struct place *p)
{
	if (p->insn) {
		p->insn--;
		return true;
	}
	if (!p->block || !look_at(h, p->block - 1))
		return false;
	p->block--;
	p->insn = h->starts - 1;
	return true;
}

bool past_step(struct past *h, struct place *p, bool back)
{
	if (back)
		return step_back(h, p);
	if (p->block == h->n || !look_at(h, p->block))
		return false;
	if (++p->insn < h->starts)
		return true;
	p->block++;
	p->insn = 0;
	return true;
}
