// SPDX-License-Identifier: BSD-2-Clause
/*
 * It writes over the condition that calls of called() are to meet, and executes itself, which reads
 * that: nothing else may come of it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <softpt/translate.h>

#define ROUNDS	48	/* so many different bytes */

static volatile unsigned int sink;

__attribute__((noinline, noclone)) unsigned int called(unsigned int n)
{
	sink += n;
	return n;
}

static struct softpt_xl_shared *find_shared(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, "memfd:softpt"))
			return (void *)(uintptr_t)strtoull(line, NULL, 16);
	exit(1);
}

static void forge(struct softpt_xl_shared *shared, unsigned int n)
{
	memset(shared->test, (int)(n * 0x2b), sizeof(shared->test));
	shared->nr_tests = n % 2 ? n : UINT32_MAX - n;
}

int main(int argc, char **argv)
{
	unsigned int i;
	int status;

	if (argc > 1) {
		for (i = 0; i < 10; i++)
			called(i);
		return 7;
	}
	for (i = 0; i < ROUNDS; i++) {
		forge(find_shared(), i);
		if (!fork()) {
			execl(argv[0], argv[0], "again", NULL);
			_exit(1);
		}
		if (wait(&status) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 7)
			return 1;
	}
	return 7;
}
