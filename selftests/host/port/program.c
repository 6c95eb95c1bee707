// SPDX-License-Identifier: BSD-2-Clause
/* What a trace port has to follow: calls of every kind, loops on CTR, bursts of moves */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 60

static jmp_buf back;

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static int choose(int n)
{
	switch (n % 8) {
	case 0:
		return n + 3;
	case 1:
		return n * 5;
	case 2:
		return fibonacci(4);
	case 3:
		return n ^ 0x55;
	case 4:
		return -n;
	case 5:
		return n << 2;
	case 6:
		longjmp(back, n);
	}
	return 7;
}

/* More moves than the FIFO has room for, none a clock apart */
static int burst(int n)
{
#ifdef __powerpc__
	long lr;

	__asm__ volatile("mflr %0\n"
			 "mtctr %0; mtlr %0; mtctr %1; mtlr %1; mtctr %0; mtlr %0; mtctr %1; mtlr %1\n"
			 "mtctr %0; mtlr %0; mtctr %1; mtlr %1; mtctr %0; mtlr %0; mtctr %1; mtlr %1\n"
			 "mtctr %0; mtlr %0; mtctr %1; mtlr %0\n"
			 : "=&r"(lr) : "r"(n * 4L) : "ctr", "lr");
#endif
	return n;
}

int main(void)
{
	int (*volatile calls[])(int) = { fibonacci, choose, burst, abs };
	int v[N], sum = 0;
	volatile int i;

	for (i = 0; i < N; i++)
		v[i] = (i * 7919) % 997;
	qsort(v, N, sizeof(v[0]), compare);
	for (i = 0; i < 24; i++) {
		if (setjmp(back)) {
			sum++;
			continue;
		}
		sum += calls[i % 4](i / 3);
	}
	printf("%d %s\n", sum, strstr("a program of a few lines", "few"));
	return 0;
}
