// SPDX-License-Identifier: BSD-2-Clause
/* counted TIMES: a program that counts what it does itself; a child and a thread do it, too. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of all processes and threads */
static struct {
	long odd, even, steps, deep, third;
} *counted;

static volatile long sum;

static void count(long *what)
{
	__atomic_fetch_add(what, 1, __ATOMIC_RELAXED);
}

__attribute__((noinline)) static void odd(long i)
{
	count(&counted->odd);
	sum += i;
}

__attribute__((noinline)) static void even(long i)
{
	count(&counted->even);
	sum -= i;
}

/* What is inlined in what is inlined */
__attribute__((always_inline)) static inline void deep(long i)
{
	count(&counted->deep);
	if (i % 3 == 0)
		count(&counted->third);
}

__attribute__((always_inline)) static inline void step(long i)
{
	count(&counted->steps);
	deep(i);
}

__attribute__((noinline)) static void work(long times)
{
	void (*const call[2])(long) = { even, odd };
	long i;

	for (i = 0; i < times; i++) {
		step(i);
		call[i % 4 == 1](i);
	}
}

static void *thread(void *times)
{
	work((long)times);
	return NULL;
}

int main(int argc, char **argv)
{
	const long times = argc > 1 ? atol(argv[1]) : 100;
	pthread_t other;

	counted = mmap(NULL, sizeof(*counted), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (counted == MAP_FAILED)
		return 1;
	if (!fork()) {
		work(times);
		_exit(0);
	}
	wait(NULL);
	pthread_create(&other, NULL, thread, (void *)times);
	pthread_join(other, NULL);
	work(times);
	printf("odd %ld\neven %ld\nsteps %ld\ndeep %ld\nthird %ld\n", counted->odd, counted->even,
	       counted->steps, counted->deep, counted->third);
	return 0;
}
