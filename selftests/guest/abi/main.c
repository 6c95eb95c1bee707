// SPDX-License-Identifier: BSD-2-Clause
/*
 * abi [PART...]: what each call of the device accepts, and with which errno it refuses the rest;
 * without a PART all of them
 */
#include "abi.h"

#include <signal.h>

static const struct {
	const char *name;
	void (*test)(void);
} parts[] = {
	{ "layout", abi_layout },
	{ "commands", abi_commands },
	{ "device", abi_device },
	{ "session", abi_session },
	{ "memory", abi_memory },
	{ "lifetime", abi_lifetime },
	{ "unit", abi_unit_calls },
	{ "mmap", abi_mmap },
	{ "write", abi_write },
	{ "read", abi_read },
	{ "poll", abi_poll },
	{ "counters", abi_counters },
	{ "freeze", abi_freeze },
	{ "trigger", abi_trigger },
	{ "truth", abi_truth },
};

static bool is_wanted(const char *name, char **wanted)
{
	if (!*wanted)
		return true;
	while (*wanted)
		if (!strcmp(*wanted++, name))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	size_t i;

	(void)argc;
	signal(SIGPIPE, SIG_IGN);
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (is_wanted(parts[i].name, argv + 1))
			parts[i].test();
	return kit_done();
}
