/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fuzzer of the device: threads that run short programs of calls on descriptors that all of
 * them share. A program that gets to code of the module that none has been to is kept, and
 * others are made from it.
 */
#ifndef SOFTPT_SELFTESTS_FUZZ_DEVICE_H
#define SOFTPT_SELFTESTS_FUZZ_DEVICE_H

#include <stdatomic.h>

#include "selftests/kit/kit.h"

#define FUZZ_ARG	256	/* bytes of a call's struct that are its own; the rest is zero */
#define FUZZ_CALLS	12	/* of a program */

struct fuzz_call {
	uint8_t op;
	uint8_t slot;		/* which of the descriptors that it is about */
	uint8_t other;		/* where a new one goes, or what else it is about */
	uint8_t length;		/* of @arg, in use */
	uint64_t random;	/* what the call itself takes by chance */
	uint8_t arg[FUZZ_ARG];
};

struct fuzz_program {
	unsigned int n;
	uint64_t took;		/* microseconds, when it was kept */
	struct fuzz_call call[FUZZ_CALLS];
};

/* ---- calls.c: what is called, and with what ---- */

unsigned int fuzz_ops(void);	/* kinds of call */

/* A call that may well be accepted: any, or one of a kind */
void fuzz_make_call(struct fuzz_call *call, uint64_t *state);
void fuzz_make_call_of(struct fuzz_call *call, unsigned int op, uint64_t *state);
/* Return: as the call, or -errno. */
long fuzz_do_call(const struct fuzz_call *call);
const char *fuzz_op_name(unsigned int op);
unsigned int fuzz_find_op(const char *name);

/* ---- args.c: structs that may well be accepted ---- */

struct fuzz_ioctl {
	const char *name;
	unsigned long cmd;
	uint8_t size;
	void (*fill)(void *arg, uint64_t *state);
	unsigned int rarely;	/* once for so many of the others; 0: as often */
};

extern const struct fuzz_ioctl fuzz_session_ioctls[], fuzz_unit_ioctls[], fuzz_device_ioctls[];

/* ---- world.c: what all threads share ---- */

struct fuzz_area {
	void *base;
	size_t size;
	bool writable;
	bool of_event;		/* it may be gone although it is mapped: perf says SIGBUS */
};

enum fuzz_kind { FUZZ_DEVICE, FUZZ_SESSION, FUZZ_UNIT, FUZZ_EVENT, FUZZ_KINDS };

/* -1: nothing is there. Another thread may close it any time. */
int fuzz_get(enum fuzz_kind kind, unsigned int slot);
/* @fd goes there, and what was there is closed. */
void fuzz_put(enum fuzz_kind kind, unsigned int slot, int fd);
pid_t fuzz_target(unsigned int slot);
/* It is killed, and another takes its place, armed for @session. Return: which. */
long fuzz_kill(unsigned int slot, int session);
unsigned int fuzz_pmu_type(void);
/* Somebody steps from now on, or need not. */
long fuzz_hold(bool on);
/* Nobody else has it until it is put back; base NULL: there is none. */
struct fuzz_area fuzz_take_area(unsigned int slot);
/* What was there is unmapped. */
void fuzz_put_area(unsigned int slot, struct fuzz_area area);
void fuzz_world_begin(void);
void fuzz_world_end(void);
/* What a process does that is traced: it never returns. */
void fuzz_be_target(const char *program) __attribute__((noreturn));

/* ---- memory.c: what calls are given ---- */

/* Return: whether this kernel has memory that does not come. */
bool fuzz_memory_begin(uint64_t seed);
/* @bytes, or what stands for them */
void *fuzz_memory(void *bytes, size_t n, uint64_t random);

/* ---- hog.c: a CPU that belongs to a real-time task ---- */

pid_t fuzz_begin_hog(uint64_t seed);
void fuzz_end_hog(pid_t pid);
/* For @most milliseconds at a time: it never returns. */
void fuzz_be_hog(unsigned int most, uint64_t seed) __attribute__((noreturn));

/* ---- cover.c: where calls got to ---- */

/* Of the calling thread. Return: whether this kernel can tell. */
bool fuzz_cover_begin(void);
void fuzz_cover_reset(void);
/* Return: whether one of the steps since the reset is new to all threads. */
bool fuzz_cover_is_new(void);
unsigned long fuzz_cover_edges(void);

/* ---- corpus.c: programs ---- */

void fuzz_make_program(struct fuzz_program *program, uint64_t *state);
void fuzz_keep_program(const struct fuzz_program *program);
unsigned int fuzz_programs(void);

#endif
