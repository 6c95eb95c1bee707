// SPDX-License-Identifier: BSD-2-Clause
/* An output must not be what is still to be read */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool.h"

int spare_input(const char *input, const char *output)
{
	struct stat in, out;

	if (!output || !strcmp(output, "-"))
		return 0;
	if (strcmp(input, "-") ? stat(input, &in) : fstat(STDIN_FILENO, &in))
		return 0;
	if (stat(output, &out) || !S_ISREG(in.st_mode))
		return 0;
	if (in.st_dev != out.st_dev || in.st_ino != out.st_ino)
		return 0;
	return refuse(output, "is the input, too, and would be lost");
}
