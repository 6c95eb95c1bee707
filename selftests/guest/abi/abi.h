/* SPDX-License-Identifier: BSD-2-Clause */
/* One function per kind of file or way of use; each test line is one call, accepted or refused. */
#ifndef SOFTPT_SELFTESTS_ABI_H
#define SOFTPT_SELFTESTS_ABI_H

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "selftests/kit/kit.h"

/* A field of a valid struct set to @value: what the call must say */
struct abi_field {
	const char *name;
	size_t offset;
	size_t width;
	uint64_t value;
	long want;
};

#define ABI_FIELD(type, field, value, want) \
	{ #field " = " #value, offsetof(struct type, field), \
	  sizeof(((struct type *)0)->field), value, want }

/* Spoils a copy of @valid by each row in turn, and calls. */
void abi_fields(int fd, unsigned long cmd, const char *call, const void *valid, size_t size,
		const struct abi_field *rows, size_t n);
/* Too short, too long, grown with zeroes and with more, nowhere */
void abi_sizes(int fd, unsigned long cmd, const char *call, const void *valid, size_t size,
	       long good, bool output);

#define ABI_FIELDS(fd, cmd, valid, rows) \
	abi_fields(fd, cmd, #cmd, valid, sizeof(*(valid)), rows, sizeof(rows) / sizeof((rows)[0]))
#define ABI_SIZES(fd, cmd, valid, good, output) \
	abi_sizes(fd, cmd, #cmd, valid, sizeof(*(valid)), good, output)

/* A part of one of a unit's mappings, and what mmap() must say */
struct abi_part {
	const char *name;
	uint64_t offset;
	size_t length;
	int prot;
	int flags;
	long want;
};

/* mmap() of @part, where the mapping begins at @at. Return: 0 or -errno. */
long abi_try_map(int unit, uint64_t at, const struct abi_part *part);

/* A session with a unit of CPU 0, configured and not enabled */
struct abi_unit {
	int dev;
	int session;
	int unit;
};

struct abi_unit abi_unit(const struct softpt_config *config);
void abi_close(struct abi_unit *u);

void abi_layout(void);
void abi_commands(void);
void abi_device(void);
void abi_session(void);
void abi_memory(void);
void abi_lifetime(void);
void abi_unit_calls(void);
void abi_mmap(void);
void abi_write(void);
void abi_read(void);
void abi_poll(void);
void abi_counters(void);
void abi_freeze(void);
void abi_trigger(void);
void abi_truth(void);

#endif
