/* SPDX-License-Identifier: BSD-2-Clause */
/* The runtime, put into another process */
#ifndef SOFTPT_TOOL_RECORD_TAKEOVER_INJECT_H
#define SOFTPT_TOOL_RECORD_TAKEOVER_INJECT_H

#include <softpt/translate.h>

#include "remote.h"

#define INJECT_SEGMENTS	4

/**
 * struct injected - where it is
 * @entries: what there is to be called
 * @segment: memory of its file
 * @nr: how many
 * @has_rooms: SOFTPT_XL_ROOMS is reserved for it
 */
struct injected {
	struct softpt_xl_attach entries;
	struct {
		uint64_t at, size;
	} segment[INJECT_SEGMENTS];
	unsigned int nr;
	bool has_rooms;
};

/*
 * Map the file @path in the process of @r, and a stack for remote_call().
 *
 * Return: 0 or -errno: -EEXIST: there is something else, -ENOEXEC: it is not the runtime
 */
int inject(struct injected *in, struct remote *r, const char *path);
/* remote_call() calls functions of it. */
void inject_use(const struct injected *in, struct remote *r);
/* Unmap it, and what it has mapped, as @process says (NULL: nothing). */
void inject_undo(const struct injected *in, struct remote *r,
		 const struct softpt_xl_process *process);

#endif /* SOFTPT_TOOL_RECORD_TAKEOVER_INJECT_H */
