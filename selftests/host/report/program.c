// SPDX-License-Identifier: BSD-2-Clause
/* Calls whose numbers are known: run-report has them */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>

#define apart	__attribute__((noinline, noclone))

static jmp_buf env;

apart int leaf(int x)
{
	asm volatile("");
	return x + 1;
}

/* 177 calls for 10 */
apart long fib(int n)
{
	long one, two;

	if (n < 2)
		return n;
	one = fib(n - 1);
	two = fib(n - 2);
	asm volatile("" : "+r"(one), "+r"(two));
	return one + two;
}

/* Leaves itself n + 1 times over */
apart void deep(int n)
{
	if (!n)
		longjmp(env, 1);
	deep(n - 1);
	asm volatile("");
}

apart int behind(int x)
{
	asm volatile("");
	return x * 3;
}

/* What it calls last is a jump. */
apart int tail(int x)
{
	x = leaf(x);
	return behind(x);
}

/* Two that call each other: 8 calls of each for 16 */
apart int pong(int n);
apart int ping(int n)
{
	asm volatile("");
	return n ? pong(n - 1) + 1 : 0;
}

apart int pong(int n)
{
	asm volatile("");
	return n ? ping(n - 1) + 2 : 0;
}

apart int jumps(void)
{
	volatile int i;

	for (i = 0; i < 5; i++)
		if (!setjmp(env))
			deep(3);
		else
			leaf(i);
	return i;
}

static void *thread(void *arg)
{
	int i, sum = 0;

	for (i = 0; i < 20; i++)
		sum += tail(i);
	*(int *)arg = sum;
	return NULL;
}

int main(void)
{
	int i, sums[2], sum = 0;
	pthread_t threads[2];

	for (i = 0; i < 100; i++)
		sum += leaf(i);
	for (i = 0; i < 7; i++)
		sum += tail(i);
	sum += fib(10) + ping(15) + jumps();
	for (i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, thread, &sums[i]);
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", sum + sums[0] + sums[1]);
	return 0;
}
