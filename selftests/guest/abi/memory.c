// SPDX-License-Identifier: BSD-2-Clause
/* Limits of ring memory: RLIMIT_MEMLOCK of the user, max_memory of the module, memory cgroups */
#include "abi.h"

#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define CHARGED		(4 << 20)
#define STOCK		(64 * 4096)	/* what a CPU keeps of a memory cgroup, charged to it */
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

/* To be a user without CAP_IPC_LOCK who may lock @limit bytes */
static void become_user(rlim_t limit)
{
	struct rlimit rlimit = { limit, limit };

	if (setrlimit(RLIMIT_MEMLOCK, &rlimit) || setgid(65534) || setuid(65534))
		_exit(255);
}

/* What a unit's creation says to such a user */
static long as_user(int session, rlim_t limit)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		become_user(limit);
		_exit(kit_unit(session, 0) < 0 ? errno : 0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -ECHILD;
	return -WEXITSTATUS(status);
}

/* A process of that user that has a unit */
static pid_t holder(int session, rlim_t limit)
{
	int ready[2];
	char c;
	pid_t pid;

	if (pipe(ready))
		kit_bail("no pipe");
	pid = fork();
	if (!pid) {
		become_user(limit);
		if (kit_unit(session, 0) >= 0 && write(ready[1], "", 1) == 1)
			for (;;)
				pause();
		_exit(1);
	}
	close(ready[1]);
	kit_ok(read(ready[0], &c, 1) == 1, "a process of a user has a ring");
	close(ready[0]);
	return pid;
}

static void rlimit(int session, int another, rlim_t need)
{
	pid_t other = holder(another, need);

	kit_is(as_user(session, 2 * need - 1), -ENOMEM, "another's ring: both above the user's limit");
	kit_is(as_user(session, 2 * need), 0, "another's ring: both of just the limit");
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
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

/* What is charged to a memory cgroup; 0: it can't be read */
static unsigned long long charged(const char *path)
{
	unsigned long long bytes = 0;
	FILE *f = fopen(path, "r");

	if (f && fscanf(f, "%llu", &bytes) != 1)
		bytes = 0;
	if (f)
		fclose(f);
	return bytes;
}

/* In a cgroup of its own. Return: 0, or what is wrong */
static int in_cgroup(int session, const char *dir)
{
	unsigned long long before, with, after, ring = CHARGED - STOCK * kit_cpus();
	char path[128];
	FILE *f;
	int unit;

	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	f = fopen(path, "w");
	if (!f || fputs("0", f) < 0 || fclose(f))
		return 1;
	snprintf(path, sizeof(path), "%s/memory.current", dir);
	before = charged(path);
	unit = kit_unit(session, 0);
	with = charged(path);
	close(unit);
	after = charged(path);
	return unit < 0 ? 2 : with < before + ring ? 3 : after > with - ring ? 4 : 0;
}

static void cgroup(int session)
{
	static const char top[] = "/tmp/softpt-cgroup", own[] = "/tmp/softpt-cgroup/own";
	struct softpt_config big = kit_config();
	int status = -1;
	pid_t pid;
	FILE *f;

	mkdir(top, 0700);
	if (mount("none", top, "cgroup2", 0, NULL)) {
		kit_ok(true, "memory cgroup # SKIP this kernel has none");
		rmdir(top);
		return;
	}
	f = fopen("/tmp/softpt-cgroup/cgroup.subtree_control", "w");
	if (!f || fputs("+memory", f) < 0 || fclose(f) || mkdir(own, 0700)) {
		kit_ok(true, "memory cgroup # SKIP this kernel has none of memory");
	} else {
		big.ring = CHARGED;
		kit_configure(session, &big);
		pid = fork();
		if (!pid)
			_exit(in_cgroup(session, own));
		waitpid(pid, &status, 0);
		kit_ok(!status, "a ring is charged to the memory cgroup, and given back (%#x)",
		       status);
		rmdir(own);
	}
	umount(top);
	rmdir(top);
}

void abi_memory(void)
{
	int dev = kit_open(), session = kit_session(dev), another = kit_session(dev);
	struct softpt_config config = kit_config();

	config.ring = 65536;
	kit_configure(session, &config);
	kit_configure(another, &config);
	rlimit(session, another, 65536 + 2 * 4096);
	config.truth = 16384;
	kit_configure(session, &config);
	kit_configure(another, &config);
	rlimit(session, another, 65536 + 2 * 4096 + 16384 + 2 * 4096);
	parameter(session);
	cgroup(session);
	close(another);
	close(session);
	close(dev);
}
