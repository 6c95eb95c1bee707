/* SPDX-License-Identifier: BSD-2-Clause */
/* The code cache: three regions, and which instruction of the program is where */
#ifndef SOFTPT_XL_CACHE_H
#define SOFTPT_XL_CACHE_H

#include "../layout.h"
#include "../types.h"

enum region {
	REGION_COLD,
	REGION_HOT,
	REGION_STUB,
	REGIONS
};

#define RUN_SPILLED	1	/* the program's RCX is in words.rcx */
#define RUN_RECORDED	2	/* the record that says that the instruction was done is written */
#define RUN_RSI		4	/* the program's RSI is in words.scratch; so of the others */
#define RUN_RDI		8
#define RUN_RBX		16

/**
 * struct run - a stretch of the cache that is the program's, instruction by instruction
 * @cache: where it begins
 * @addr: its first instruction; copies have the length of the original
 * @step: of the block that it is of, among the descriptions
 * @first: the first step of that superblock
 * @head: its first block
 * @len: bytes; 0: one instruction of ours, which may fault for the program
 * @flags: RUN_*
 */
struct run {
	u32 cache;
	u32 addr;
	u32 step;
	u32 first;
	u32 head;
	u16 len;
	u16 flags;
};

/* Where code is written */
extern u8 *out;

void cache_init(void);
/* Write into a region from now on; where that was left. Return: where it was before */
u8 *cache_enter(enum region r);
/* And on where @at says, unless that is in the same region */
void cache_leave(u8 *at);
/* Less than a superblock's room is left. */
bool cache_full(void);
/* Nobody executes anything of it any more. */
void cache_clear(void);

static inline bool cache_holds(u64 ip)
{
	return ip >= XL_COLD && ip < XL_CACHE_END;
}

/* From here on; the caller sets its length when that is known. */
struct run *run_begin(u32 addr, u32 flags);
/* The same instruction of the program's as the newest run */
void run_again(void);
/* The run that @ip is in, or right behind, else NULL */
const struct run *run_find(u64 ip);
/* What the runs from now on belong to */
void run_of(u32 head);

static inline u32 here(void)
{
	return (u32)(uintptr_t)out;
}

/* A cache line's worth, or what an entry needs */
static inline void align_to(unsigned int n)
{
	while (here() & (n - 1))
		*out++ = 0x90;
}

static inline void put4(u32 value)
{
	memcpy(out, &value, 4);
	out += 4;
}

#define CODE(...) do { \
	static const u8 bytes[] = { __VA_ARGS__ }; \
	memcpy(out, bytes, sizeof(bytes)); \
	out += sizeof(bytes); \
} while (0)

#endif /* SOFTPT_XL_CACHE_H */
