// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "../../../kmod/x86/decode.h"
#include "../../../kmod/x86/insn.h"
#include "code/blocks.h"
#include "code/decode.h"

#define ROOM	1024	/* blocks that are allocated at once */

struct block_room {
	struct block_room *next;
	struct code_block block[ROOM];
};

/* ---- one block ---- */

static void make(const struct code_blocks *b, struct code_block *block, uint64_t addr,
		 unsigned int bits)
{
	uint8_t code[BLOCK_BYTES];
	size_t n = b->read(b->ctx, addr, code, sizeof(code)), at = 0;
	struct code_insn insn;

	*block = (struct code_block){ .addr = addr, .end = addr, .bits = bits };
	while (at < n) {
		insn = code_decode(code + at, n - at, addr + at, bits);
		if (!insn.size)
			break;
		block->last = addr + at;
		block->size = insn.size;
		block->kind = insn.kind;
		block->target = insn.target;
		block->insns++;
		at += insn.size;
		if (insn.kind != SOFTPT_INSN_OTHER)
			break;
	}
	block->end = addr + at;
}

uint64_t code_blocks_step(const struct code_blocks *b, const struct code_block *block,
			  uint64_t addr)
{
	uint8_t code[SOFTPT_X86_MAX];
	size_t n;

	if (addr < block->addr || addr > block->last)
		return 0;
	n = b->read(b->ctx, addr, code, sizeof(code));
	return addr + code_decode(code, n, addr, block->bits).size;
}

/* ---- all of them ---- */

static size_t slot_of(const struct code_blocks *b, uint64_t addr)
{
	return (addr * 0x9e3779b97f4a7c15ull >> 32) & (b->size - 1);
}

static bool grow(struct code_blocks *b)
{
	const size_t old = b->size;
	struct code_block **was = b->hash, *block;
	size_t i;

	b->hash = calloc(old ? 2 * old : ROOM, sizeof(*b->hash));
	if (!b->hash) {
		b->hash = was;
		return false;
	}
	b->size = old ? 2 * old : ROOM;
	for (i = 0; i < old; i++)
		while ((block = was[i])) {
			was[i] = block->chain;
			block->chain = b->hash[slot_of(b, block->addr)];
			b->hash[slot_of(b, block->addr)] = block;
		}
	free(was);
	return true;
}

static struct code_block *take_unused(struct code_blocks *b)
{
	struct code_block *block = b->unused;
	struct block_room *room;
	size_t i;

	if (block) {
		b->unused = block->chain;
		return block;
	}
	room = malloc(sizeof(*room));
	if (!room)
		return NULL;
	room->next = b->rooms;
	b->rooms = room;
	for (i = 1; i < ROOM; i++) {
		room->block[i].chain = b->unused;
		b->unused = &room->block[i];
	}
	return &room->block[0];
}

static struct code_block *add(struct code_blocks *b, uint64_t addr, unsigned int bits)
{
	struct code_block *block;
	size_t slot;

	if (b->nr >= b->size && !grow(b))
		return NULL;
	block = take_unused(b);
	if (!block)
		return NULL;
	make(b, block, addr, bits);
	block->generation = b->generation;
	slot = slot_of(b, addr);
	block->chain = b->hash[slot];
	b->hash[slot] = block;
	b->nr++;
	return block;
}

struct code_block *code_blocks_at(struct code_blocks *b, uint64_t addr, unsigned int bits)
{
	struct code_block *block = b->size ? b->hash[slot_of(b, addr)] : NULL;

	while (block && (block->addr != addr || block->bits != bits))
		block = block->chain;
	return block ? block : add(b, addr, bits);
}

/* Links may lead to blocks that are gone. */
static void renew(const struct code_blocks *b, struct code_block *block)
{
	if (block->generation == b->generation)
		return;
	block->note = 0;
	block->next = NULL;
	block->to = NULL;
	block->generation = b->generation;
}

struct code_block *code_blocks_next(struct code_blocks *b, struct code_block *block)
{
	renew(b, block);
	if (!block->next)
		block->next = code_blocks_at(b, block->end, block->bits);
	return block->next;
}

struct code_block *code_blocks_target(struct code_blocks *b, struct code_block *block)
{
	renew(b, block);
	if (!block->to)
		block->to = code_blocks_at(b, block->target, block->bits);
	return block->to;
}

static void tell(const struct code_blocks *b, struct code_block *block)
{
	const struct code_run run = {
		.addr = block->addr, .last = block->last, .end = block->end,
		.insns = block->insns, .times = block->times, .taken = block->taken,
	};

	if (b->ran && (run.times || run.taken))
		b->ran(b->ctx, &run);
	block->times = 0;
	block->taken = 0;
}

void code_blocks_tell(struct code_blocks *b)
{
	struct code_block *block;
	size_t i;

	for (i = 0; i < b->size; i++)
		for (block = b->hash[i]; block; block = block->chain)
			tell(b, block);
}

/* Of one slot, what lies in [from, to) or ends in it */
static void drop_of(struct code_blocks *b, size_t slot, uint64_t from, uint64_t to)
{
	struct code_block **at = &b->hash[slot], *block;

	while ((block = *at)) {
		if (block->addr >= to || block->addr + BLOCK_BYTES <= from) {
			at = &block->chain;
			continue;
		}
		tell(b, block);
		*at = block->chain;
		block->chain = b->unused;
		b->unused = block;
		b->nr--;
	}
}

void code_blocks_drop(struct code_blocks *b, uint64_t from, uint64_t to)
{
	uint64_t first = from > BLOCK_BYTES ? from - BLOCK_BYTES : 0, addr;
	size_t i;

	b->generation++;
	if (!b->nr)
		return;
	if (to - first < b->size)
		for (addr = first; addr < to; addr++)
			drop_of(b, slot_of(b, addr), from, to);
	else
		for (i = 0; i < b->size; i++)
			drop_of(b, i, from, to);
}

void code_blocks_free(struct code_blocks *b)
{
	struct block_room *room;

	while ((room = b->rooms)) {
		b->rooms = room->next;
		free(room);
	}
	free(b->hash);
}
