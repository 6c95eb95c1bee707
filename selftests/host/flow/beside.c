// SPDX-License-Identifier: GPL-2.0-only
/* Threads that go through loops beside each other */
#include <pthread.h>
#include <stdio.h>

#define THREADS	6
#define ROUNDS	10000

static pthread_barrier_t barrier;

static void *collatz(void *arg)
{
	unsigned int seed = (unsigned long)arg, x = seed, i;

	pthread_barrier_wait(&barrier);
	for (i = 1; i < ROUNDS; i++) {
		x = x & 1 ? 3 * x + 1 : x / 2;
		if (x < 2)
			x = seed + i;
	}
	return (void *)(unsigned long)x;
}

int main(void)
{
	pthread_t thread[THREADS];
	unsigned long i, sum = 0;
	void *x;

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, collatz, (void *)(17 + 10 * i));
	for (i = 0; i < THREADS; i++) {
		pthread_join(thread[i], &x);
		sum += (unsigned long)x;
	}
	printf("%lu\n", sum);
	return 0;
}
