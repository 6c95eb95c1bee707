/* SPDX-License-Identifier: BSD-2-Clause */
/* What the records mean: the descriptions in shared memory (softpt/translate.h) */
#ifndef SOFTPT_XL_DESCRIBE_H
#define SOFTPT_XL_DESCRIBE_H

#include <softpt/translate.h>

#include "block.h"
#include "../types.h"

/* The area of this process */
extern struct softpt_xl_process *process;

static inline void *area_at(u64 offset)
{
	return (u8 *)process + offset;
}

/* Take an area of the file that is mapped at @map. */
void area_take(void *map, u32 parent);
/* This process has forked: its area becomes a copy of what its parent has described. */
void area_fork(void);

/* A superblock begins. */
void describe_begin(void);
/* Its next block, which was read just now */
void describe_step(const struct block *b, bool taken);
/* The last branch was conditional, and goes on within the superblock. */
void describe_bit(bool taken);
/* @b ends with a call. One to the instruction behind it is none to a return stack. */
void describe_call(const struct block *b);
/* An indirect branch goes to @addr, within the superblock. */
void describe_target(u32 addr, u8 kind);
/*
 * The superblock is left behind its newest step. @taken: -1: by what is no conditional branch.
 * Return: the record
 */
u32 describe_exit(u8 kind, int taken);
const struct softpt_xl_exit *describe_exit_at(u32 record);

/* TNT bits so far */
u32 describe_bits(void);
u32 describe_step_first(void);
u32 describe_step_last(void);
const struct softpt_xl_step *describe_step_at(u32 step);
/* Instructions of a step that lie before @addr */
u32 describe_insns_before(u32 step, u64 addr);

/* No room for another superblock */
bool describe_full(void);
/* The recorder has read all records. */
void describe_clear(void);

#endif /* SOFTPT_XL_DESCRIBE_H */
