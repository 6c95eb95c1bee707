// SPDX-License-Identifier: BSD-2-Clause
/* Limits of ring memory: RLIMIT_MEMLOCK of the user, max_memory of the module */
#include "abi.h"

#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define PARAMETER	"/sys/module/softpt/parameters/max_memory"

static unsigned long long memory(void)
{
	unsigned long long bytes = 0;
	FILE *f = fopen("/sys/class/misc/softpt/caps/memory", "r");

	if (!f || fscanf(f, "%llu", &bytes) != 1)
		kit_note("caps/memory cannot be read");
	if (f)
		fclose(f);
	return bytes;
}

static bool set_parameter(const char *value)
{
	FILE *f = fopen(PARAMETER, "w");

	return f && fputs(value, f) >= 0 && !fclose(f);
}

/* As a user without CAP_IPC_LOCK who may lock @limit bytes: what a unit's creation says */
static long as_user(int session, rlim_t limit)
{
	struct rlimit rlimit = { limit, limit };
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (setrlimit(RLIMIT_MEMLOCK, &rlimit) || setgid(65534) || setuid(65534))
			_exit(255);
		_exit(kit_unit(session, 0) < 0 ? errno : 0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -ECHILD;
	return -WEXITSTATUS(status);
}

static void rlimit(int session, rlim_t need)
{
	kit_is(as_user(session, need - 1), -ENOMEM, "a ring above RLIMIT_MEMLOCK");
	kit_is(as_user(session, need), 0, "a ring of just RLIMIT_MEMLOCK");
	kit_is(as_user(session, need), 0, "the charge is given back when the fd goes");
}

static void parameter(int session)
{
	struct softpt_config big = kit_config();
	int unit;

	kit_ok(set_parameter("1"), "max_memory is set to 1 MiB");
	kit_is(kit_configure(session, &big), 0, "a ring of 1 MiB may be configured");
	kit_is(kit_unit(session, 0), -ENOSPC, "a ring above max_memory");
	big.ring = 1 << 19;
	kit_configure(session, &big);
	unit = kit_unit(session, 0);
	kit_is(unit, 0, "a ring below max_memory");
	kit_ok(memory() == (1 << 19) + 2 * 4096, "caps/memory counts it");
	close(unit);
	kit_ok(!memory(), "caps/memory is zero without units");
	kit_ok(set_parameter("1024"), "max_memory is set back");
}

void abi_memory(void)
{
	int dev = kit_open(), session = kit_session(dev);
	struct softpt_config config = kit_config();

	config.ring = 65536;
	kit_configure(session, &config);
	rlimit(session, 65536 + 2 * 4096);
	config.truth = 16384;
	kit_configure(session, &config);
	rlimit(session, 65536 + 2 * 4096 + 16384 + 2 * 4096);
	parameter(session);
	close(session);
	close(dev);
}
