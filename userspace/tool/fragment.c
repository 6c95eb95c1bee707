// SPDX-License-Identifier: BSD-2-Clause
/* The names of several files from one run: FILE, FILE.1, FILE.2 and so on */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "trigger.h"

int fragment_name(char *name, size_t size, const char *path, unsigned int n)
{
	int len = n ? snprintf(name, size, "%s.%u", path, n) : snprintf(name, size, "%s", path);

	return len < 0 || (size_t)len >= size ? -ENAMETOOLONG : 0;
}

bool is_fragment(const char *name, const char *path)
{
	size_t n = strlen(path);

	return !strncmp(name, path, n) && name[n] == '.' && name[n + 1] &&
	       strspn(name + n + 1, "0123456789") == strlen(name + n + 1);
}
