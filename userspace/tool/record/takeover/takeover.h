/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process that runs already is taken over, and given back: the runtime of translations is put
 * into it, each thread goes on in translation from where it is, and natively at the end
 * (Documentation/internals/attach.rst). It is traced by ptrace while that is done, no longer.
 */
#ifndef SOFTPT_TOOL_RECORD_TAKEOVER_TAKEOVER_H
#define SOFTPT_TOOL_RECORD_TAKEOVER_TAKEOVER_H

#include "inject.h"
#include "source/share.h"

/**
 * struct takeover - a process that is taken over
 * @in: where the runtime is in it and its children
 * @users: whose it is, as /proc/PID/status has it
 * @child: the process, if launch_go() has made it; 0: it is no child of the caller's
 * @ended: that has ended by itself, before it was taken over
 * @ready: it has an area, and no thread has gone on yet; the caller's, as @ctx is
 * @ctx: for that
 */
struct takeover {
	struct injected in;
	char users[64];
	pid_t child;
	bool ended;
	void (*ready)(void *ctx, struct softpt_xl_process *process);
	void *ctx;
};

/**
 * takeover_begin() - take over a process
 * @pid: the process
 * @share: closed; it is opened, whoever the process belongs to
 * @k: what is to be known of it at the end
 *
 * Return: 0, or EXIT_REFUSED after a message; the process goes on as it was, and a child is killed.
 * If that has @ended there is no message.
 */
int takeover_begin(pid_t pid, struct xl_share *share, struct takeover *k);

/**
 * takeover_end() - give back the process that takeover_begin() has taken, and its children
 * @share: of both; so is @k
 * @k: the process
 * @look: reads the records that there are: called again and again meanwhile
 * @ctx: for @look
 *
 * Return: 0, or EXIT_REFUSED after a message
 */
int takeover_end(const struct xl_share *share, const struct takeover *k, void (*look)(void *ctx),
		 void *ctx);

#endif /* SOFTPT_TOOL_RECORD_TAKEOVER_TAKEOVER_H */
