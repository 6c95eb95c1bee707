// SPDX-License-Identifier: BSD-2-Clause
/*
 * How long a Collatz sequence gets, written into the trace: the number in the upper half
 * of each value, its steps in the lower one.
 *
 *	gcc -O1 -mptwrite -o collatz ptwrite.c
 */
#include <immintrin.h>

static unsigned int collatz(unsigned long n)
{
	unsigned int steps = 0;

	for (; n != 1; steps++)
		n = n % 2 ? 3 * n + 1 : n / 2;
	return steps;
}

int main(void)
{
	unsigned long n;

	for (n = 25; n < 29; n++)
		_ptwrite64(n << 32 | collatz(n));
	return 0;
}
