// SPDX-License-Identifier: BSD-2-Clause
#include "system.h"

#include <stdio.h>
#include <string.h>

void system_line(const char *path, char *buf, size_t len)
{
	FILE *f = fopen(path, "re");

	buf[0] = '\0';
	if (!f)
		return;
	if (!fgets(buf, len, f))
		buf[0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	fclose(f);
}

bool system_locked_down(void)
{
	char line[128];

	system_line("/sys/kernel/security/lockdown", line, sizeof(line));
	return *line && !strstr(line, "[none]");
}
