// SPDX-License-Identifier: BSD-2-Clause
/* A function that is called as another one of the program is */
#include "twin.h"

static __attribute__((noinline)) unsigned int same(unsigned int x)
{
	return x * 7 ^ x >> 2;
}

unsigned int twin(unsigned int n)
{
	return same(n) + 1;
}
