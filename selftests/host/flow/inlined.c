// SPDX-License-Identifier: BSD-2-Clause
/* Functions that are inlined into each other, at several places and in a loop */
#include <stdlib.h>

#define INLINED	static inline __attribute__((always_inline))

static volatile int sink;

INLINED int third(int x)
{
	return x % 7 ? x + sink : x * 2;
}

INLINED int half(int x)
{
	if (x & 1)
		return third(x) / 2;
	return x / 2;
}

INLINED int turn(int x)
{
	int i, sum = 0;

	for (i = 0; i < x % 5; i++)
		sum += half(x + i);
	return sum + third(sum);
}

__attribute__((noinline)) int work(int n)
{
	int i, sum = 0;

	for (i = 0; i < n; i++)
		sum ^= turn(i);
	return sum;
}

int main(int argc, char **argv)
{
	sink = work(argc > 1 ? atoi(argv[1]) : 20);
	sink += half(sink);
	return 0;
}
