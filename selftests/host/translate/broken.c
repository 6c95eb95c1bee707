// SPDX-License-Identifier: BSD-2-Clause
/* It writes over what its records mean, runs on, and makes the file ran. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <softpt/translate.h>

int main(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	volatile unsigned long n = 0;
	char line[512];
	char *map = NULL;

	while (maps && fgets(line, sizeof(line), maps))
		if (!map && strstr(line, "memfd:softpt"))
			map = (char *)(uintptr_t)strtoull(line, NULL, 16);
	if (!map)
		return 1;
	memset(map + softpt_xl_area(0) + SOFTPT_XL_EXITS_AT, 0xee,
	       100000 * sizeof(struct softpt_xl_exit));
	while (++n < 300000000)
		;
	return creat("ran", 0600) < 0;
}
