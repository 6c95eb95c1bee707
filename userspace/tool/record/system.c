// SPDX-License-Identifier: BSD-2-Clause
/* softpt record -a: the processes that were there before, as perf events tell of later ones */
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>

#include "record.h"

static int describe(pid_t pid, struct softpt_perf_writer *w, uint64_t time)
{
	struct maps *m = maps_open(pid, true);
	int err;

	if (!m)
		return 0;
	err = maps_drain(m, w, time, time);
	maps_close(m);
	return err;
}

int system_describe(struct softpt_perf_writer *w, uint64_t time)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int err = 0;

	if (!proc)
		return 0;
	while (!err && (entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]))
			err = describe(atoi(entry->d_name), w, time);
	closedir(proc);
	return err;
}
