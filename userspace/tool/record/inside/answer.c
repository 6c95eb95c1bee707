// SPDX-License-Identifier: BSD-2-Clause
/* Where the functions are in a process: its files, and where they are mapped */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "../../cli/tool.h"
#include "files.h"
#include "inside.h"

/* A line of /proc/PID/maps */
struct mapped {
	uint64_t from, to, offset;
	char prot[5];
	char path[PATH_MAX];
};

/* Addresses, as the process gets them */
struct answer {
	uint64_t *addr;
	uint32_t nr;
	bool full;
};

static bool parse(const char *line, struct mapped *m)
{
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n", &m->from, &m->to,
		   m->prot, &m->offset, &at) != 4 || !at)
		return false;
	snprintf(m->path, sizeof(m->path), "%s", line + at);
	m->path[strcspn(m->path, "\n")] = 0;
	return m->prot[2] == 'x' && m->path[0] == '/';
}

static void add(struct answer *a, const struct mapped *m, const struct inside_file *f)
{
	size_t i;

	for (i = 0; i < f->list.nr; i++) {
		const uint64_t offset = f->list.offset[i];

		if (offset < m->offset || offset - m->offset >= m->to - m->from)
			continue;
		a->full |= a->nr == SOFTPT_XL_DOORS;
		if (!a->full)
			a->addr[a->nr++] = offset - m->offset + m->from;
	}
}

void inside_answer(struct inside *in, pid_t pid, struct softpt_xl_process *process,
		   uint32_t asked)
{
	struct answer a = { .addr = (void *)((char *)process + SOFTPT_XL_DOORS_AT) };
	char line[PATH_MAX + 128], name[32];
	const struct inside_file *f;
	struct mapped m;
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	maps = fopen(name, "re");
	while (maps && fgets(line, sizeof(line), maps)) {
		f = parse(line, &m) ? inside_file(in, m.path) : NULL;
		if (f)
			add(&a, &m, f);
	}
	if (maps)
		fclose(maps);
	if (a.full)
		refuse(name, "--in %s: the first %d functions only", in->text, SOFTPT_XL_DOORS);
	process->doors = a.nr;
	__atomic_store_n(&process->answered, asked, __ATOMIC_RELEASE);
}
