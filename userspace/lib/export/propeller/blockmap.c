// SPDX-License-Identifier: BSD-2-Clause
/*
 * Sections of the types SHT_LLVM_BB_ADDR_MAP*, as LLVM's AsmPrinter writes them: clang 14 version
 * 0, clang 15 version 1, clang 16 to 19 version 2.
 */
#include "export/propeller/blockmap.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <gelf.h>

#define TYPE_UNVERSIONED	0x6fff4c08
#define TYPE			0x6fff4c0a

#define BUILD	"build it with clang -fbasic-block-sections=labels, from clang 19 on with " \
		"-fbasic-block-address-map"

#define KNOWN	"build it with clang 14 to 19, which write those that are"

/* What a function has beside its blocks */
enum {
	HAS_COUNT	= 1 << 0,
	HAS_FREQUENCY	= 1 << 1,
	HAS_PROBABILITY	= 1 << 2,
	HAS_RANGES	= 1 << 3,
	HAS_ALL		= HAS_COUNT | HAS_FREQUENCY | HAS_PROBABILITY | HAS_RANGES,
};

enum {
	BLOCK_RETURNS	= 1 << 0,
	BLOCK_PAD	= 1 << 2,
};

/**
 * struct reader - a section, while it is read
 * @map: what is read
 * @error: why it can't be
 * @begin: its bytes
 * @at: the next one
 * @end: behind the last one
 * @wide: addresses have 8 bytes, else 4
 * @version: of the function at hand
 * @has: HAS_* of it
 * @err: what was wrong; 0: nothing yet
 */
struct reader {
	struct blockmap *map;
	struct error *error;
	const uint8_t *begin;
	const uint8_t *at;
	const uint8_t *end;
	bool wide;
	unsigned int version;
	unsigned int has;
	int err;
};

/* ---- numbers ---- */

static void refuse(struct reader *r, const char *what)
{
	if (!r->err)
		r->err = error_set_at(r->error, -EINVAL, (uint64_t)(r->at - r->begin),
				      "its BB address map is damaged: %s", what);
	r->at = r->end;
}

static uint64_t get_bytes(struct reader *r, unsigned int n)
{
	uint64_t value = 0;
	unsigned int i;

	if ((size_t)(r->end - r->at) < n) {
		refuse(r, "it ends within a number");
		return 0;
	}
	for (i = 0; i < n; i++)
		value |= (uint64_t)*r->at++ << 8 * i;
	return value;
}

/* ULEB128, of at most @max */
static uint64_t get(struct reader *r, uint64_t max)
{
	uint64_t value = 0, byte;
	unsigned int shift = 0;

	do {
		byte = get_bytes(r, 1);
		if (shift > 63 || (shift == 63 && byte > 1)) {
			refuse(r, "a number has more than 64 bits");
			return 0;
		}
		value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (value > max)
		refuse(r, "a number is larger than it can be");
	return r->err ? 0 : value;
}

/* ---- functions ---- */

/* Room for one more of @n. Return: NULL without memory */
static void *grow(struct reader *r, void *array, uint32_t n, size_t size)
{
	void *grown = n & (n - 1) ? array : reallocarray(array, n ? 2 * (size_t)n : 1, size);

	if (!grown || n == UINT32_MAX / 2) {
		r->err = error_set_errno(r->error, -ENOMEM);
		r->at = r->end;
		return NULL;
	}
	return grown;
}

static void add_function(struct reader *r, uint64_t addr)
{
	struct blockmap *map = r->map;
	uint64_t *entry = grow(r, map->entry, map->functions, sizeof(*entry));

	if (!entry)
		return;
	map->entry = entry;
	entry[map->functions++] = addr;
}

static void add_block(struct reader *r, const struct map_block *block)
{
	struct blockmap *map = r->map;
	struct map_block *grown = grow(r, map->block, map->blocks, sizeof(*grown));

	if (!grown)
		return;
	map->block = grown;
	grown[map->blocks++] = *block;
}

/* @id: where none is written. Return: the end of the block */
static uint64_t read_block(struct reader *r, uint64_t base, uint64_t before, uint32_t id)
{
	struct map_block block = { .id = id, .function = r->map->functions - 1 };
	uint64_t about;

	if (r->version >= 2)
		block.id = get(r, UINT32_MAX);
	block.addr = (r->version ? before : base) + get(r, UINT32_MAX);
	block.size = get(r, UINT32_MAX);
	about = get(r, UINT32_MAX);
	block.returns = about & BLOCK_RETURNS;
	block.pad = about & BLOCK_PAD;
	if (block.addr < base || block.addr + block.size < block.addr)
		refuse(r, "a block lies beyond the last address");
	if (!r->err)
		add_block(r, &block);
	return block.addr + block.size;
}

/* Blocks in a row, @before are in front of them. Return: how many there are then */
static uint32_t read_range(struct reader *r, uint32_t before, bool first)
{
	uint64_t base = get_bytes(r, r->wide ? 8 : 4), end = base;
	uint32_t i, n = get(r, UINT32_MAX / 2 - before);

	if (first && !r->err)
		add_function(r, base);
	for (i = 0; i < n && !r->err; i++)
		end = read_block(r, base, end, before + i);
	return before + n;
}

/* What a profile of clang's own has said of the blocks: edges tell more. */
static void skip_profile(struct reader *r, uint32_t blocks)
{
	uint64_t successors;

	if (r->has & HAS_COUNT)
		get(r, UINT64_MAX);
	if (!(r->has & (HAS_FREQUENCY | HAS_PROBABILITY)))
		return;
	while (blocks-- && !r->err) {
		if (r->has & HAS_FREQUENCY)
			get(r, UINT64_MAX);
		successors = r->has & HAS_PROBABILITY ? get(r, UINT32_MAX) : 0;
		while (successors-- && !r->err) {
			get(r, UINT32_MAX);
			get(r, UINT32_MAX);
		}
	}
}

static void read_version(struct reader *r)
{
	r->version = get_bytes(r, 1);
	r->has = get_bytes(r, 1);
	if (r->err || (r->version && r->version <= 2 && !(r->has & ~HAS_ALL)))
		return;
	r->err = error_set(r->error, -EINVAL,
			   "version %u of its BB address map, features 0x%x, is not known: %s",
			   r->version, r->has, KNOWN);
}

static void read_function(struct reader *r, bool versioned)
{
	uint64_t i, ranges = 1;
	uint32_t blocks = 0;

	if (versioned)
		read_version(r);
	if (r->has & HAS_RANGES)
		ranges = get(r, UINT32_MAX);
	if (!ranges)
		refuse(r, "a function has no range");
	for (i = 0; i < ranges && !r->err; i++)
		blocks = read_range(r, blocks, !i);
	skip_profile(r, blocks);
}

/* ---- the file ---- */

static bool read_section(struct reader *r, Elf_Scn *scn, uint64_t type)
{
	Elf_Data *data = elf_rawdata(scn, NULL);

	if (!data || !data->d_buf)
		return true;
	r->begin = data->d_buf;
	r->at = r->begin;
	r->end = r->begin + data->d_size;
	r->version = 0;
	r->has = 0;
	while (r->at < r->end && !r->err)
		read_function(r, type == TYPE);
	return !r->err;
}

static int by_address(const void *a, const void *b)
{
	const struct map_block *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (!x->size != !y->size)
		return x->size ? 1 : -1;
	return x->function != y->function ? (x->function < y->function ? -1 : 1) :
	       x->id < y->id ? -1 : x->id > y->id;
}

static bool is_folded(const struct map_block *block, const struct map_block *before)
{
	return block->addr == before->addr && !block->size == !before->size &&
	       block->function != before->function;
}

/* A linker that folds functions leaves the map of each. */
static void drop_folded(struct blockmap *map)
{
	uint32_t i, n = 0;

	for (i = 0; i < map->blocks; i++)
		if (!n || !is_folded(&map->block[i], &map->block[n - 1]))
			map->block[n++] = map->block[i];
	map->blocks = n;
}

int blockmap_read(struct blockmap *map, Elf *elf, struct error *error)
{
	struct reader r = { .map = map, .error = error, .wide = gelf_getclass(elf) == ELFCLASS64 };
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	*map = (struct blockmap){ 0 };
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) &&
		    (sh.sh_type == TYPE || sh.sh_type == TYPE_UNVERSIONED) &&
		    !read_section(&r, scn, sh.sh_type))
			return r.err;
	if (!map->blocks)
		return error_set(error, -ENOENT, "it has no BB address map: " BUILD);
	qsort(map->block, map->blocks, sizeof(*map->block), by_address);
	drop_folded(map);
	return 0;
}

uint32_t blockmap_find(const struct blockmap *map, uint64_t addr)
{
	uint32_t low = 0, high = map->blocks;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (map->block[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || addr - map->block[low - 1].addr >= map->block[low - 1].size)
		return NO_BLOCK;
	return low - 1;
}

void blockmap_free(struct blockmap *map)
{
	free(map->block);
	free(map->entry);
}
