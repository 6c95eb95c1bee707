// SPDX-License-Identifier: BSD-2-Clause
/* 100 calls of work(), of which 5 take 200 ms */
#include <time.h>

static volatile int sink;

__attribute__((noinline)) static void step(int i)
{
	sink += i;
}

__attribute__((noinline)) static void work(int i)
{
	const struct timespec t = { 0, 200000000 };
	int k;

	for (k = 0; k < 100; k++)
		step(k);
	if (i % 20 == 7)
		nanosleep(&t, NULL);
}

int main(void)
{
	int i;

	for (i = 0; i < 100; i++)
		work(i);
	return 0;
}
