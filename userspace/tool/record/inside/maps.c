// SPDX-License-Identifier: BSD-2-Clause
#include "maps.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

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

bool mapped_each(pid_t pid, bool (*each)(void *ctx, const struct mapped *m), void *ctx)
{
	char line[PATH_MAX + 128], name[32];
	struct mapped m;
	bool all = true;
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	maps = fopen(name, "re");
	while (maps && all && fgets(line, sizeof(line), maps))
		if (parse(line, &m))
			all = each(ctx, &m);
	if (maps)
		fclose(maps);
	return maps && all;
}
