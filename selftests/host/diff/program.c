// SPDX-License-Identifier: BSD-2-Clause
/* program WAY: what it does besides, 0: nothing; run-diff knows where the paths part */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define apart	__attribute__((noinline, noclone))

static int way;

#ifdef NEWER
/* Of the newer build alone: it moves what is behind it. */
apart int added(int x)
{
	asm volatile("nop; nop; nop; nop; nop; nop; nop; nop");
	return x;
}
#endif

apart int leaf(int x)
{
	asm volatile("");
	return x + 1;
}

apart int choose(int x)
{
#ifdef NEWER
	if (x == 5)
		x = added(x);
#endif
	if (x == 37 && way == 1)
		return leaf(leaf(x));
	return leaf(x);
}

/* Nothing is called here. */
apart int count(int n)
{
	int i;

	for (i = 0; i < n; i++)
		asm volatile("");
	return i;
}

apart int last(int x)
{
	if (way == 3)
		exit(0);
	return leaf(x);
}

static int pipes[2];

/* Way 4 and 5. It ends with the process: what pthread_join() calls depends on who is faster. */
static void *thread(void *arg)
{
	int i, sum = 0;

	for (i = 0; i < 3000; i++)
		sum += choose(i == 2500 && way == 5 ? 37 + leaf(i) : 100);
	if (write(pipes[1], &sum, 1) != 1)
		return arg;
	for (;;)
		pause();
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t other;
	int i, sum = 0;

	way = argc > 1 ? atoi(argv[1]) : 0;
	if (way >= 4 && (pipe(pipes) || pthread_create(&other, NULL, thread, NULL) ||
			 read(pipes[0], &sum, 1) != 1))
		return 1;
	for (i = 0; i < 100; i++)
		sum += choose(i);
	sum += count(way == 2 ? 12 : 10);
	sum += last(sum);
	return sum < 0;
}
