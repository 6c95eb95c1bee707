// SPDX-License-Identifier: BSD-2-Clause
/*
 * Calls of a few functions, in all ways in which they begin and end. What it prints is how often
 * each was called: an outermost call counts, one within another of it does not.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS	300
#define THREADS	4

static jmp_buf back;
static volatile int sink;

#define CALLED	__attribute__((noinline, noclone))

CALLED int inner(int n)
{
	sink += n;
	return sink & 1;
}

CALLED int outer_other(int n)
{
	sink -= n;
	return sink & 3;
}

CALLED int plain(int n)
{
	int i, sum = 0;

	for (i = 0; i < 5; i++)
		sum += inner(n + i);
	return sum;
}

CALLED int recursive(int n)
{
	return n ? recursive(n - 1) + inner(n) : 0;
}

CALLED int jumps(int n)
{
	if (n % 3 == 0)
		longjmp(back, 1);
	return inner(n);
}

CALLED int tail(int n)
{
	sink = n;
	return inner(n);	/* a jump */
}

CALLED int raises(int n)
{
	raise(SIGUSR1);
	return n;
}

CALLED int calls_system(int n)
{
	return getppid() == n;
}

CALLED int forks(int n)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	return n;
}

CALLED void ends_thread(int n)
{
	sink = n;
	pthread_exit(NULL);
}

CALLED int never(int n)
{
	return inner(n);
}

static void handler(int signo)
{
	sink = inner(signo);
}

static int (*volatile pointer)(int) = plain;

static void jump(int n)
{
	if (!setjmp(back))
		sink += jumps(n);
	else
		sink += outer_other(n);
}

static void *thread(void *arg)
{
	int i;

	for (i = 0; i < ROUNDS; i++)
		plain(outer_other(i));
	ends_thread(0);
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

int main(int argc, char **argv)
{
	int i;

	signal(SIGUSR1, handler);
	for (i = 0; i < ROUNDS; i++) {
		sink += plain(i) + pointer(i) + recursive(i % 7) + tail(i);
		sink += outer_other(i);
		jump(i);
		if (i % 50 == 0)
			sink += raises(i) + calls_system(i) + forks(i);
	}
	threads();
	if (argc > 100)
		never(argv[0][0]);
	printf("plain %d\nrecursive %d\n", 2 * ROUNDS + THREADS * ROUNDS, ROUNDS);
	printf("jumps %d\ntail %d\n", ROUNDS, ROUNDS);
	printf("raises %d\ncalls_system %d\n", ROUNDS / 50, ROUNDS / 50);
	printf("forks %d\nends_thread %d\nnever 0\nmain 1\n", ROUNDS / 50, THREADS);
	return 7;
}
