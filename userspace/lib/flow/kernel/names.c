// SPDX-License-Identifier: BSD-2-Clause
#include "flow/kernel/names.h"

#include <stddef.h>

#include <softpt/packets.h>

static const char *const calls[] = {
#include "syscalls.inc"
};

static const char *const left[] = {
	[SOFTPT_LEFT_PREEMPTED]	= "preempted",
	[SOFTPT_LEFT_SLEEPS]	= "sleeps",
	[SOFTPT_LEFT_BLOCKED]	= "blocked",
	[SOFTPT_LEFT_STOPPED]	= "stopped",
	[SOFTPT_LEFT_ENDED]	= "ended",
};

#define COUNT(names)	(sizeof(names) / sizeof((names)[0]))

const char *kernel_call_name(uint64_t number)
{
	return number < COUNT(calls) ? calls[number] : NULL;
}

const char *kernel_left_name(uint64_t why)
{
	return why < COUNT(left) ? left[why] : NULL;
}
