// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads and a child with many branches, few calls, a stack that grows and shrinks, and signals;
 * and a thread that executes what another one has mapped. With an argument: one with many calls, a
 * crowd of such, a stack that is deep for long, or children that execute another program.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS	3
#define CROWD	8
#define DEPTH	4000
#define ROUNDS	100
#define STEPS	20000

static volatile unsigned int sum;
static unsigned int rounds = 1;	/* at the end of a nest */
static double (*volatile mapped)(double);

static __attribute__((noinline)) unsigned int collatz(unsigned int seed)
{
	unsigned int x = seed, i;

	for (i = 1; i < STEPS; i++) {
		x = x & 1 ? 3 * x + 1 : x / 2;
		if (x < 2)
			x = seed + i;
	}
	return x;
}

static __attribute__((noinline)) unsigned int nest(unsigned int seed, unsigned int depth)
{
	unsigned int i, x = 0;

	if (depth)
		return nest(seed, depth - 1) + 1;
	for (i = 0; i < rounds; i++)
		x += collatz(seed + i);
	return x;
}

static __attribute__((noinline)) unsigned int odd(unsigned int x)
{
	return 3 * x + 1;
}

static __attribute__((noinline)) unsigned int step(unsigned int x)
{
	return x & 1 ? odd(x) : x / 2;
}

static int call_often(unsigned int times)
{
	unsigned int x = 27, i;

	for (i = 1; i < times; i++) {
		x = step(x);
		if (x < 2)
			x = i;
	}
	return !x;
}

static void *call_in_crowd(void *arg)
{
	sum += call_often(ROUNDS * STEPS / 4);
	return arg;
}

/* More threads than there are to walk them, all at once */
static int crowd(void)
{
	pthread_t thread[CROWD];
	unsigned long i;

	for (i = 0; i < CROWD; i++)
		pthread_create(&thread[i], NULL, call_in_crowd, NULL);
	for (i = 0; i < CROWD; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

/* Without a call of the kernel after the other thread's */
static void *call_mapped(void *arg)
{
	double x = 2;
	int i;

	while (!mapped)
		;
	for (i = 0; i < 100; i++)
		x = mapped(x);
	sum += x;
	return arg;
}

static void map(void)
{
	pthread_t thread;
	void *library;

	pthread_create(&thread, NULL, call_mapped, NULL);
	library = dlopen("libm.so.6", RTLD_NOW);
	if (!library)
		exit(1);
	mapped = (double (*)(double))dlsym(library, "cbrt");
	pthread_join(thread, NULL);
}

static void handler(int signo)
{
	sum += nest(signo, 3);
}

static void *work(void *arg)
{
	unsigned int seed = (unsigned long)arg, i;

	for (i = 0; i < ROUNDS; i++) {
		sum += nest(seed + i, i % 20);
		if (i % 10 == 9)
			raise(SIGUSR1);
	}
	return NULL;
}

/* The child goes on in these calls. */
static __attribute__((noinline)) int in_child(unsigned int depth)
{
	int pid = depth ? in_child(depth - 1) : fork();

	if (!pid && depth == 1)
		work((void *)5);
	return pid;
}

static int dive(void)
{
	rounds = 10 * ROUNDS;
	return !nest(27, DEPTH);
}

static int execute_others(void)
{
	unsigned int i;

	for (i = 0; i < THREADS; i++) {
		if (!in_child(0))
			execl("/bin/true", "true", (char *)NULL);
		wait(NULL);
	}
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];
	unsigned long i;

	if (argc > 1 && !strcmp(argv[1], "calls"))
		return call_often(ROUNDS * STEPS);
	if (argc > 1 && !strcmp(argv[1], "crowd"))
		return crowd();
	if (argc > 1)
		return strcmp(argv[1], "deep") ? execute_others() : dive();
	signal(SIGUSR1, handler);
	if (!in_child(4))
		exit(0);
	map();
	for (i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, work, (void *)(17 + 10 * i));
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	wait(NULL);
	return 0;
}
