// SPDX-License-Identifier: BSD-2-Clause
/* A path that depends on nothing but itself: calls, returns, a table, a deep recursion, traps */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static int deep(int n)
{
	return n ? deep(n - 1) + 1 : 0;
}

static volatile sig_atomic_t traps;

static void on_trap(int signo)
{
	traps += signo == SIGTRAP;
}

/* INT3 has two forms. */
static int trap(int n)
{
	if (n)
		__asm__ volatile("int3");
	else
		__asm__ volatile(".byte 0xcd, 3");
	return traps;
}

static int pick(unsigned int x)
{
	switch (x % 9) {
	case 0: return fib(5);
	case 1: return deep(100);
	case 2: return 3;
	case 3: return fib(3) * 2;
	case 4: return deep(2);
	case 5: return 77;
	case 6: return fib(7) - 1;
	case 7: return trap(x & 16);
	}
	return 0;
}

static int (*volatile pointer)(unsigned int) = pick;

int main(void)
{
	/* A stepper's own SIGTRAP, while it is blocked, would take the handler away. */
	const struct sigaction action = { .sa_handler = on_trap, .sa_flags = SA_NODEFER };
	int v[200], i, sum = 0;
	unsigned int x = 1;

	sigaction(SIGTRAP, &action, NULL);
	for (i = 0; i < 200; i++) {
		x = x * 1103515245u + 12345u;
		v[i] = (int)(x >> 8);
		sum += pointer(x >> 5);
	}
	qsort(v, 200, sizeof(v[0]), compare);
	printf("%d %d %d\n", v[0], v[100], sum);
	return 0;
}
