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
	const struct softpt_xl_shared *s = (const void *)(uintptr_t)process->map;
	char link[SOFTPT_XL_NAME] = { 0 };

	return sys(__NR_readlink, path, link, sizeof(link) - 1) > 0 && str_equal(link, s->runtime);
}

/* @forks: a process has forked that may be the one, and has no area yet */
static const struct softpt_xl_process *find_area(u64 pid, bool *forks)
{
	const u8 *map = (const u8 *)(uintptr_t)process->map;
	const struct softpt_xl_shared *s = (const void *)map;
	u32 i;

	*forks = false;
	for (i = 0; i < SOFTPT_XL_PROCESSES && i < READ_ONCE(s->taken); i++) {
		const struct softpt_xl_process *p = (const void *)(map + softpt_xl_area(i));

		if (READ_ONCE(p->state) != SOFTPT_XL_LIVE)
			continue;
		if (READ_ONCE(p->pid) == pid)
			return p;
		*forks |= READ_ONCE(p->forks);
	}
	return NULL;
}

static const struct softpt_xl_process *area_of(u64 pid)
{
	const struct softpt_xl_process *found;
	bool forks;
	int i;

	for (i = 0; i < 1000; i++) {
		found = find_area(pid, &forks);
		if (found || !forks)
			return found;
		sys_nap(100);
	}
	return NULL;
}

bool exe_is_recorded(u64 pid)
{
	return area_of(pid);
}

const char *exe_named(const char *path)
{
	const char *rest = str_behind(path, "/proc/"), *end;
	const struct softpt_xl_process *p = process;
	u64 pid = process->pid;

	if (!rest)
		return NULL;
	end = str_behind(rest, "self");
	if (!end)
		pid = str_number(rest, &end);
	if (!str_equal(end, "/exe"))
		return NULL;
	if (pid != process->pid)
		p = is_runtime(path) ? area_of(pid) : NULL;
	return p && *p->exe ? p->exe : NULL;
}
