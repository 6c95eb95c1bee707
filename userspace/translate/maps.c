// SPDX-License-Identifier: BSD-2-Clause
/* /proc/self/maps */
#include <linux/fcntl.h>
#include <linux/mman.h>

#include "maps.h"
#include "sys.h"

static u64 hex(const char **at)
{
	u64 value = 0;
	unsigned int digit;

	for (;; (*at)++) {
		digit = (unsigned int)**at;
		if (digit - '0' < 10)
			digit -= '0';
		else if (digit - 'a' < 6)
			digit -= 'a' - 10;
		else
			return value;
		value = value << 4 | digit;
	}
}

/* A line of /proc/self/maps: "FROM-TO rwxp OFFSET DEVICE INODE PATH" */
static void parse(const char *line, struct mapping *m)
{
	const char *at = line;
	int spaces = 0;

	m->from = hex(&at);
	at++;
	m->to = hex(&at);
	m->prot = (at[1] == 'r' ? PROT_READ : 0) | (at[2] == 'w' ? PROT_WRITE : 0) |
		  (at[3] == 'x' ? PROT_EXEC : 0);
	for (; *at && spaces < 4; at++)
		spaces += *at == ' ';
	m->has_file = *at != '0';
	while (*at && *at != '[' && *at != '/')
		at++;
	m->name = at;
}

void maps_each(u64 from, u64 to, void (*each)(const struct mapping *m, void *arg), void *arg)
{
	static char text[8192];
	long fd = sys(__NR_open, "/proc/thread-self/maps", O_RDONLY | O_CLOEXEC), got;
	u32 used = 0, line, at;
	struct mapping m;

	if (fd < 0) {		/* no descriptor is left, or no /proc is there */
		m = (struct mapping){ from, to, PROT_READ | PROT_WRITE | PROT_EXEC, false, "" };
		each(&m, arg);
		return;
	}
	while ((got = sys(__NR_read, fd, text + used, sizeof(text) - used)) > 0) {
		used += (u32)got;
		for (line = at = 0; at < used; at++) {
			if (text[at] != '\n')
				continue;
			text[at] = 0;
			parse(text + line, &m);
			line = at + 1;
			if (m.from < to && m.to > from)
				each(&m, arg);
		}
		used -= line;
		memcpy(text, text + line, used);	/* byte by byte, from the first */
	}
	sys(__NR_close, fd);
}
