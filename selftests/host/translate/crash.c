// SPDX-License-Identifier: BSD-2-Clause
/* crash N: threads that work, and the first of them dies behind N rounds. Without N: none does */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static volatile unsigned long sum[2];
static pthread_barrier_t both;

static __attribute__((noinline)) unsigned long one_round(unsigned long x)
{
	return x & 1 ? x * 2654435761u ^ x >> 7 : x / 3 + 1;
}

static __attribute__((noinline)) void last_words(int *p)
{
	*p = 1;
}

static void *work(void *n)
{
	unsigned long i;

	pthread_barrier_wait(&both);
	for (i = 0; i < *(unsigned long *)n; i++)
		sum[1] = one_round(sum[1] + i);
	pause();
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long i, n = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000;
	pthread_t other;

	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&other, NULL, work, &n);
	pthread_barrier_wait(&both);
	for (i = 0; i < n; i++)
		sum[0] = one_round(sum[0] + i);
	if (argc > 1)
		last_words((int *)8);
	return 3;
}
