// SPDX-License-Identifier: BSD-2-Clause
/*
 * Lines that are come to in all ways, each marked by a comment, and probes. What it prints is how
 * often the function that has the line was entered anew and came to it, and how often it called
 * inner() from there on. outer() is called where nothing is recorded. With an argument it does all
 * of it for each line of stdin, and prints "ready" before.
 */
#include <alloca.h>
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "probe.h"

#define ROUNDS	200
#define THREADS	4
#define CALLED	__attribute__((noinline, noclone))

static volatile int sink;
static jmp_buf back;
SEMAPHORE(probe_semaphore);

CALLED void inner(int n)
{
	sink += n;
}

CALLED void outer(int n)
{
	sink -= n;
}

CALLED int branch(int n)
{
	outer(n);
	if (n % 2)
		return 1;
	inner(n); /* @branch */
	inner(n);
	return n;
}

CALLED int loop(int n)
{
	int i;

	outer(n);
	for (i = 0; i < 3; i++)
		inner(i); /* @loop */
	return sink;
}

/* The innermost one comes to its line first: each has a call of its own. */
CALLED void unwinds(int n)
{
	if (n)
		unwinds(n - 1);
	else
		outer(n);
	inner(n); /* @unwinds */
	sink++;
}

/* The outermost one does, and the others are within it. */
CALLED void winds(int n)
{
	inner(n); /* @winds */
	if (n)
		winds(n - 1);
	sink++;
}

static inline __attribute__((always_inline)) void copied(int n)
{
	inner(n); /* @copied */
	sink++;
}

CALLED void has_copy(int n)
{
	outer(n);
	copied(n);
	inner(n);
}

CALLED void has_other(int n)
{
	outer(n);
	copied(n);
	sink++;
}

/* Its frame is told from RBP. */
CALLED int variable(int n)
{
	char *p = alloca(n % 50 + 1);

	outer(n);
	memset(p, n, n % 50 + 1);
	inner(p[n % 50]); /* @variable */
	sink++;
	return sink;
}

CALLED void tail(int n)
{
	outer(n);
	inner(n); /* @tail */
	inner(n); /* a jump, where the compiler optimises */
}

CALLED void leaves(int n)
{
	outer(n);
	inner(n); /* @leaves */
	longjmp(back, 1);
}

static void handler(int signo)
{
	outer(signo);
	inner(signo); /* @handler */
	sink++;
}

CALLED void probed(int n)
{
	outer(n);
	PROBE(plain, 0);
	inner(n);
	if (n % 4 == 0) {
		PROBE(other, 0);
		inner(n);
	}
	sink++;
}

CALLED void looks(int n)
{
	outer(n);
	if (!probe_semaphore)
		return;
	PROBE(asked, probe_semaphore);
	inner(n);
	sink++;
}

/* What is on the stack is aligned anew: its frame is told by an expression then. */
CALLED void aligned(int n, int a, int b, int c, int d, int e, int on_stack)
{
	char *p __attribute__((aligned(64))) = alloca(n % 50 + a + b + c + d + e + on_stack);
	int many[16] __attribute__((aligned(64)));

	memset(many, n, sizeof(many));
	*p = (char)many[3];
	inner(*p + many[5] + on_stack); /* @aligned */
	sink++;
}

static void jump(int n)
{
	if (!setjmp(back))
		leaves(n);
}

static void *thread(void *arg)
{
	int i;

	for (i = 0; i < ROUNDS; i++)
		branch(i);
	return arg;
}

static void threads(void)
{
	pthread_t t[THREADS];
	int i;

	for (i = 0; i < THREADS; i++)
		if (pthread_create(&t[i], NULL, thread, NULL))
			exit(1);
	for (i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
}

static void late(void)
{
	void *so = dlopen("./lines.so", RTLD_NOW);
	void (*fn)(void (*inner)(int), int) = so ? (void (*)(void (*)(int), int))dlsym(so, "late") :
						   NULL;
	int i;

	if (!fn)
		exit(3);
	for (i = 0; i < 10; i++)
		fn(inner, i);
	dlclose(so);
}

/* It unmaps nothing: that is no address of a page. */
static void unmaps(void)
{
	if (!munmap((char *)&probe_semaphore - 1, 4096))
		exit(4);
}

static void run(void)
{
	int i;

	unmaps();
	for (i = 0; i < ROUNDS; i++) {
		branch(i);
		loop(i);
		unwinds(i % 4);
		winds(i % 4);
		has_copy(i);
		has_other(i);
		variable(i);
		tail(i);
		jump(i);
		sink += getppid();	/* the call that longjmp() has left is over here */
		aligned(i, 1, 2, 3, 4, 5, 6);
		probed(i);
		looks(i);
		if (i % 50 == 0)
			raise(SIGUSR1);
	}
	threads();
	late();
	late();
}

static void print(void)
{
	const int n = ROUNDS;

	printf("branch %d %d\nloop %d %d\n", n / 2 * (1 + THREADS), n * (1 + THREADS), n, 3 * n);
	printf("unwinds %d %d\nwinds %d %d\n", n / 4 * 10, n / 4 * 10, n, n / 4 * 10);
	printf("copied %d %d\nvariable %d %d\n", 2 * n, 3 * n, n, n);
	printf("tail %d %d\n", n, 2 * n);
	printf("leaves %d %d\nhandler %d %d\n", n, n, n / 50, n / 50);
	printf("late 20 40\n");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char line[80];

	(void)argv;
	signal(SIGUSR1, handler);
	if (argc < 2) {
		run();
		print();
		return probe_semaphore ? 8 : 7;
	}
	printf("ready\n");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin) && *line != 'q') {
		run();
		print();
	}
	return probe_semaphore ? 8 : 7;
}
