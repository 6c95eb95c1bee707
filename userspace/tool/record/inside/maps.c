// SPDX-License-Identifier: BSD-2-Clause
#include "maps.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "sideband/system.h"

static bool parse(const char *line, struct mapped *m)
{
	unsigned int major, minor;
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %lu %n", &m->from, &m->to,
		   m->prot, &m->offset, &major, &minor, &m->inode, &at) != 7 || !at)
		return false;
	m->device = makedev(major, minor);
	snprintf(m->path, sizeof(m->path), "%s", line + at);
	m->path[strcspn(m->path, "\n")] = 0;
	return true;
}

/* Code, what is shared, and data of files: most others need not be looked at any further */
static bool concerns(const char *line)
{
	const char *prot = strchr(line, ' ');

	return prot && strlen(prot) > 4 &&
	       (prot[3] == 'x' || prot[4] == 's' || (prot[2] == 'w' && strchr(prot, '/')));
}

/* Of a thread: where it has ended there are none. Return: how many there are */
static unsigned int read_maps(pid_t pid, pid_t tid, mapped_fn each, void *ctx)
{
	char line[PATH_MAX + 128], name[64];
	unsigned int n = 0;
	struct mapped m;
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%d/task/%d/maps", (int)pid, (int)tid);
	maps = fopen(name, "re");
	while (maps && fgets(line, sizeof(line), maps)) {
		n++;
		if (concerns(line) && parse(line, &m))
			each(ctx, &m);
	}
	if (maps)
		fclose(maps);
	return n;
}

struct reading {
	pid_t pid;
	mapped_fn each;
	void *ctx;
};

static int try_thread(pid_t tid, void *arg)
{
	const struct reading *r = arg;

	return read_maps(r->pid, tid, r->each, r->ctx) != 0;
}

bool mapped_each(pid_t pid, mapped_fn each, void *ctx)
{
	struct reading r = { .pid = pid, .each = each, .ctx = ctx };

	return process_threads(pid, try_thread, &r) > 0;
}
