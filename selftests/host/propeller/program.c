// SPDX-License-Identifier: BSD-2-Clause
/* What it says is unlikely is what it does, so that a layout without a profile is wrong. */
#include <stdio.h>
#include <stdlib.h>

#include "twin.h"

#define APART	__attribute__((noinline))
#define SELDOM(x)	__builtin_expect(!!(x), 0)

static APART unsigned int same(unsigned int x)
{
	return x * 5 ^ x >> 3;
}

APART unsigned int never(unsigned int x)
{
	printf("%u\n", x);
	return x;
}

APART unsigned int rarely(unsigned int x)
{
	return x / 3 + same(x);
}

APART unsigned int often(unsigned int x)
{
	if (SELDOM(x != 1))
		x = x * 3 + 1;
	else
		x = never(x);
	return x ^ x >> 7;
}

APART unsigned int work(unsigned int n)
{
	unsigned int i, sum = 0;

	for (i = 2; i < n; i++) {
		if (SELDOM(i % 16)) {
			sum += often(i);
			if (SELDOM(sum % 1024))
				sum ^= i << 3;
		} else {
			sum -= rarely(i) + n;
		}
		if (sum == 1)
			sum = never(sum);
	}
	return sum;
}

unsigned int alias_of_work(unsigned int n) __attribute__((alias("work")));

int main(int argc, char **argv)
{
	unsigned int n = argc > 1 ? atoi(argv[1]) : 1000;

	printf("%u %u\n", argc > 2 ? alias_of_work(n) : work(n), twin(n));
	return 0;
}
