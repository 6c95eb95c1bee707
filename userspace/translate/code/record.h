/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread's records: chunks of shared memory that are filled and handed to the recorder */
#ifndef SOFTPT_XL_RECORD_H
#define SOFTPT_XL_RECORD_H

#include "block.h"
#include "cache.h"
#include "../thread.h"

/* Guard pages behind the chunks of a slot */
void record_guard(const struct thread *t);
/* The first chunk, empty */
void record_begin(struct thread *t);
/* @addr is in the guard page behind the thread's chunk. */
bool record_is_guard(const struct thread *t, u64 addr);
/* Until the recorder has read all records of a thread, or of all: they write no more. */
void record_wait_seen(const struct softpt_xl_words *w);
void record_wait_all_seen(void);
/* Hand the chunk over, and wait for another. */
void record_drain(struct thread *t);
/* @code of a block that no file holds: flow needs it, and it may change. */
void record_bytes(struct thread *t, const struct block *b, const u8 *code);
/*
 * What no exit says. @run: where the thread is in its superblock, at @from; NULL: between
 * records
 */
void record_escape(struct thread *t, u32 what, u32 flags, const struct run *run, u64 from, u64 to);

/*
 * The recorder is gone: nobody reads, and nobody is waited for. One that was killed has not said
 * so: it is looked for now and then, of @waits calls.
 */
bool recorder_gone(unsigned int waits);

#endif /* SOFTPT_XL_RECORD_H */
