// SPDX-License-Identifier: BSD-2-Clause
#include "../code/describe.h"
#include "../sys.h"
#include "exe.h"

void exe_init(const char *path, u64 base)
{
	size_t n = min(str_len(path), sizeof(process->exe) - 1);

	memcpy(process->exe, path, n);
	process->exe[n] = 0;
	process->base = base;
}

/* What /proc/PID/exe is for the kernel: the runtime, or what runs by itself */
static bool is_runtime(const char *path)
{
	char link[SOFTPT_XL_NAME] = { 0 }, own[SOFTPT_XL_NAME] = { 0 };

	return sys(__NR_readlink, path, link, sizeof(link) - 1) > 0 &&
	       sys(__NR_readlink, "/proc/self/exe", own, sizeof(own) - 1) > 0 &&
	       str_equal(link, own);
}

/* @forks: a process has forked that may be the one, and has no area yet */
static const char *find_exe(u64 pid, bool *forks)
{
	const u8 *map = (const u8 *)(uintptr_t)process->map;
	const struct softpt_xl_shared *s = (const void *)map;
	u32 i;

	*forks = false;
	for (i = 0; i < SOFTPT_XL_PROCESSES && i < READ_ONCE(s->taken); i++) {
		const struct softpt_xl_process *p = (const void *)(map + softpt_xl_area(i));

		if (READ_ONCE(p->state) != SOFTPT_XL_LIVE)
			continue;
		if (READ_ONCE(p->pid) == pid && *p->exe)
			return p->exe;
		*forks |= READ_ONCE(p->forks);
	}
	return NULL;
}

const char *exe_of(u64 pid)
{
	const char *found;
	bool forks;
	int i;

	for (i = 0; i < 1000; i++) {
		found = find_exe(pid, &forks);
		if (found || !forks)
			return found;
		sys_nap(100);
	}
	return NULL;
}

const char *exe_named(const char *path)
{
	const char *rest = str_behind(path, "/proc/"), *end;
	u64 pid = process->pid;

	if (!rest || !*process->exe)
		return NULL;
	end = str_behind(rest, "self");
	if (!end)
		pid = str_number(rest, &end);
	if (!str_equal(end, "/exe"))
		return NULL;
	if (pid == process->pid)
		return process->exe;
	return is_runtime(path) ? exe_of(pid) : NULL;
}
