// SPDX-License-Identifier: BSD-2-Clause
/* times FILE: calls of mark(), and to FILE the TSC before and after each */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <x86intrin.h>

#define MARKS 3000

static volatile unsigned int sink;

__attribute__((noipa)) void mark(unsigned int i)
{
	sink = i;
}

static void (*volatile pointer)(unsigned int) = mark;
static uint64_t pairs[MARKS][2];

/* Branches, a page fault, a long REP, a sleep: whatever may lie between two looks */
static void work(unsigned int i)
{
	static char *memory;
	const struct timespec nap = { .tv_nsec = 300000 };
	unsigned int k, x = i;

	for (k = 0; k < (i % 50) * 40; k++)
		x = x & 1 ? x * 3 + 1 : x / 2 + k;
	sink = x;
	if (i % 97 == 0) {
		free(memory);
		memory = malloc(8 << 20);
		memset(memory, 1, 8 << 20);
	}
	if (i % 301 == 0)
		nanosleep(&nap, NULL);
}

int main(int argc, char **argv)
{
	unsigned int i;
	FILE *f;

	for (i = 0; i < MARKS; i++) {
		work(i);
		pairs[i][0] = __rdtsc();
		pointer(i);
		pairs[i][1] = __rdtsc();
	}
	f = argc > 1 ? fopen(argv[1], "w") : NULL;
	if (!f)
		return 1;
	for (i = 0; i < MARKS; i++)
		fprintf(f, "%llu %llu\n", (unsigned long long)pairs[i][0],
			(unsigned long long)pairs[i][1]);
	return fclose(f) != 0;
}
