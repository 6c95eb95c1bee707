// SPDX-License-Identifier: BSD-2-Clause
/* BB address maps of each version that is known, and damaged ones */
#include <errno.h>
#include <string.h>

#include <gelf.h>

#include "selftests/kit/kit.h"
#include "userspace/lib/export/propeller/blockmap.h"

#define UNVERSIONED	0x6fff4c08
#define VERSIONED	0x6fff4c0a
#define ROOM		256

#define ADDR(low)	low, 0x10, 0, 0, 0, 0, 0, 0	/* 0x10.. */

/* An ELF file in memory with a map, and maybe one more */
struct file {
	Elf64_Ehdr header;
	Elf64_Shdr section[3];
	uint8_t map[ROOM];
	uint8_t more[ROOM];
};

static Elf *make(struct file *f, uint32_t type, const uint8_t *bytes, size_t n)
{
	*f = (struct file){
		.header = {
			.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_EXEC, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
			.e_ehsize = sizeof(f->header), .e_shentsize = sizeof(f->section[0]),
			.e_shoff = offsetof(struct file, section), .e_shnum = 3,
		},
		.section[1] = {
			.sh_type = type, .sh_offset = offsetof(struct file, map), .sh_size = n,
			.sh_addralign = 1,
		},
	};
	memcpy(f->map, bytes, n);
	return elf_memory((char *)f, sizeof(*f));
}

static int read_map(struct blockmap *map, uint32_t type, const uint8_t *bytes, size_t n,
		    struct error *error)
{
	struct file f;
	Elf *elf = make(&f, type, bytes, n);
	int err;

	if (!elf)
		kit_bail("no ELF file: %s", elf_errmsg(-1));
	err = blockmap_read(map, elf, error);
	elf_end(elf);
	return err;
}

static const uint8_t version0[] = {
	ADDR(0x80), 1, 0, 10, 1,
	ADDR(0x00), 3, 0, 5, 0, 0x10, 5, 8, 0x15, 0x81, 1, 4,
};

static const uint8_t version1[] = { 1, 0, ADDR(0x00), 3, 0, 5, 0, 0xb, 5, 8, 0, 0x81, 1, 4 };

static const uint8_t version2[] = {
	2, 0, ADDR(0x00), 3, 0, 0, 5, 0, 4, 0xb, 5, 8, 9, 0, 0x81, 1, 4,
};

/* What a profile of clang's has said, and a second range at 0x1080 */
static const uint8_t profiled[] = {
	2, 15, 2, ADDR(0x00), 2, 0, 0, 5, 0, 4, 0xb, 5, 8, ADDR(0x80), 1, 9, 0, 6, 4,
	100, 50, 2, 4, 30, 9, 20, 60, 0, 0xff, 0x7f, 1, 4, 1,
};

static void expect(const struct blockmap *map, uint32_t i, struct map_block want)
{
	const struct map_block *b = &map->block[i];

	kit_ok(i < map->blocks && b->addr == want.addr && b->size == want.size &&
	       b->id == want.id && b->function == want.function && b->returns == want.returns &&
	       b->pad == want.pad, "block %u at 0x%llx", i, (unsigned long long)want.addr);
}

static void test_versions(void)
{
	struct blockmap map;

	kit_is(read_map(&map, UNVERSIONED, version0, sizeof(version0), NULL), 0, "version 0");
	kit_is(map.functions, 2, "functions");
	expect(&map, 0, (struct map_block){ 0x1000, 5, 0, 1, false, false });
	expect(&map, 1, (struct map_block){ 0x1010, 5, 1, 1, false, false });
	expect(&map, 2, (struct map_block){ 0x1015, 129, 2, 1, false, true });
	expect(&map, 3, (struct map_block){ 0x1080, 10, 0, 0, true, false });
	kit_is(blockmap_find(&map, 0xfff), NO_BLOCK, "before the first");
	kit_is(blockmap_find(&map, 0x1004), 0, "the end of a block");
	kit_is(blockmap_find(&map, 0x1005), NO_BLOCK, "between two");
	kit_is(blockmap_find(&map, UINT64_MAX), NO_BLOCK, "behind the last");
	blockmap_free(&map);

	kit_is(read_map(&map, VERSIONED, version1, sizeof(version1), NULL), 0, "version 1");
	expect(&map, 1, (struct map_block){ 0x1010, 5, 1, 0, false, false });
	expect(&map, 2, (struct map_block){ 0x1015, 129, 2, 0, false, true });
	blockmap_free(&map);

	kit_is(read_map(&map, VERSIONED, version2, sizeof(version2), NULL), 0, "version 2");
	expect(&map, 1, (struct map_block){ 0x1010, 5, 4, 0, false, false });
	expect(&map, 2, (struct map_block){ 0x1015, 129, 9, 0, false, true });
	blockmap_free(&map);

	kit_is(read_map(&map, VERSIONED, profiled, sizeof(profiled), NULL), 0,
	       "with all it may have");
	kit_ok(map.functions == 1 && map.blocks == 3, "two ranges are one function");
	expect(&map, 2, (struct map_block){ 0x1080, 6, 9, 0, false, true });
	blockmap_free(&map);
}

/* Objects of two compilers in one program */
static void test_mixed(void)
{
	struct blockmap map;
	struct file f;
	Elf *elf = make(&f, VERSIONED, profiled, sizeof(profiled));

	elf_end(elf);
	f.section[2] = f.section[1];
	f.section[2].sh_type = UNVERSIONED;
	f.section[2].sh_offset = offsetof(struct file, more);
	f.section[2].sh_size = sizeof(version0);
	memcpy(f.more, version0, sizeof(version0));
	elf = elf_memory((char *)&f, sizeof(f));
	kit_is(blockmap_read(&map, elf, NULL), 0, "maps of two versions");
	kit_ok(map.functions == 3 && map.blocks == 4, "the second has no numbers of a profile");
	blockmap_free(&map);
	elf_end(elf);
}

/* The map of each is there, of code that is there once */
static void test_folded(void)
{
	static const uint8_t twice[] = {
		2, 0, ADDR(0x00), 3, 0, 0, 5, 0, 1, 0, 0, 8, 2, 0, 4, 1,
		2, 0, ADDR(0x00), 3, 0, 0, 5, 0, 1, 0, 0, 8, 2, 0, 4, 1,
	};
	struct blockmap map;

	kit_is(read_map(&map, VERSIONED, twice, sizeof(twice), NULL), 0, "folded functions");
	kit_ok(map.blocks == 3 && !map.block[0].function && !map.block[1].function &&
	       !map.block[2].function, "their blocks are those of the first");
	kit_is(blockmap_find(&map, 0x1005), 2, "a block without code is found nowhere");
	blockmap_free(&map);
}

static void refuse(uint32_t type, const uint8_t *bytes, size_t n, int err, const char *why)
{
	struct error error = { 0 };
	struct blockmap map;

	kit_is(read_map(&map, type, bytes, n, &error), err, "%s", why);
	kit_ok(strstr(error.text, why), "why: %s", error.text);
	blockmap_free(&map);
}

#define REFUSE(type, why, ...) \
	refuse(type, (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }), \
	       -EINVAL, why)

static void test_damaged(void)
{
	refuse(SHT_PROGBITS, version2, sizeof(version2), -ENOENT, "no BB address map: build it with");
	REFUSE(VERSIONED, "version 3 of its BB address map, features 0x0, is not known", 3, 0, 1);
	REFUSE(VERSIONED, "version 0 of its BB", 0, 0, 1, 2, 3);
	REFUSE(VERSIONED, "features 0x20, is not known", 2, 32, 1, 2, 3);
	REFUSE(VERSIONED, "ends within a number", 2);
	REFUSE(VERSIONED, "ends within a number", 2, 0, 1, 2, 3);
	REFUSE(VERSIONED, "a function has no range", 2, 8, 0);
	REFUSE(VERSIONED, "more than 64 bits", 2, 0, ADDR(0), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	       0xff, 0xff, 0xff, 2);
	REFUSE(VERSIONED, "larger than it can be", 2, 0, ADDR(0), 1,
	       0xff, 0xff, 0xff, 0xff, 0xff, 1);
	REFUSE(VERSIONED, "ends within a number", 2, 0, ADDR(0),
	       0xff, 0xff, 0xff, 0xff, 7, 0, 0, 5, 0);
	REFUSE(VERSIONED, "beyond the last address", 2, 0, 0xf8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	       0xff, 1, 0, 0, 16, 0);
	REFUSE(UNVERSIONED, "beyond the last address", 0xf8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	       0xff, 1, 16, 1, 0);
}

static bool is_sound(const struct blockmap *map)
{
	uint32_t i;

	for (i = 0; i < map->blocks; i++)
		if (map->block[i].function >= map->functions ||
		    (i && map->block[i].addr < map->block[i - 1].addr))
			return false;
	return true;
}

/* Each byte of a map as each number: nothing is read or written beyond its memory (ASan). */
static void test_any_byte(uint32_t type, const uint8_t *bytes, size_t n)
{
	unsigned int value, taken = 0, refused = 0, bad = 0;
	uint8_t changed[ROOM];
	struct blockmap map;
	size_t i;

	for (i = 0; i < n; i++)
		for (value = 0; value < 256; value++) {
			memcpy(changed, bytes, n);
			changed[i] = value;
			if (read_map(&map, type, changed, n, NULL)) {
				refused++;
			} else {
				taken++;
				bad += !is_sound(&map);
			}
			blockmap_free(&map);
		}
	kit_ok(!bad && taken && refused, "any byte: %u maps are taken, %u refused", taken, refused);
}

/* A map that is cut is refused, but between functions. */
static void test_cut(void)
{
	struct blockmap map;
	unsigned int taken = 0;
	size_t n;

	for (n = 1; n < sizeof(profiled); n++) {
		taken += !read_map(&map, VERSIONED, profiled, n, NULL);
		blockmap_free(&map);
	}
	kit_is(taken, 0, "maps that are cut and taken");
}

int main(void)
{
	elf_version(EV_CURRENT);
	test_versions();
	test_mixed();
	test_folded();
	test_damaged();
	test_any_byte(UNVERSIONED, version0, sizeof(version0));
	test_any_byte(VERSIONED, version2, sizeof(version2));
	test_any_byte(VERSIONED, profiled, sizeof(profiled));
	test_cut();
	return kit_done();
}
