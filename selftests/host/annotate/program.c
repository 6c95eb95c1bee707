// SPDX-License-Identifier: BSD-2-Clause
/*
 * A program to count: threads, a child, signals amid a loop, code that it makes itself.
 *
 * usage: program N [alone|signals]: alone: none of these; signals: many, where functions begin
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t ticks;
static int limit;

/* A name that would command a terminal */
#ifndef PLAIN
int odd(int n) __asm__("\"odd\033name\"");
#endif

int odd(int n)
{
	return n | 1;
}

static int collatz(int n)
{
	int steps = 0;

	while (n != 1) {
		n = n % 2 ? 3 * n + 1 : n / 2;
		steps++;
	}
	return steps;
}

static int never(int n)
{
	return n > 3 ? n : -n;
}

static int choose(int n)
{
	switch (n % 5) {
	case 0:
		return 1;
	case 1:
	case 2:
		return collatz(n + 1);
	case 3:
		if (n > 10 && n % 2)
			return 2;
		break;
	default:
		n++;
	}
	return n;
}

static int recurse(int n)
{
	if (n < 2)
		return n;
	return recurse(n - 1) + recurse(n - 2);
}

static void tick(int signo)
{
	if (signo == SIGALRM)
		ticks++;
}

static int sum_up(void)
{
	int i, sum = 0;

	for (i = 1; i <= limit; i++) {
		sum += collatz(i);
		if (i % 3 == 0)
			sum -= choose(i);
		else if (i % 3 == 1)
			sum ^= i;
	}
	return sum + odd(recurse(limit % 12));
}

static void *work(void *unused)
{
	(void)unused;
	sum_up();
	return NULL;
}

/* Until @n signals came */
static int be_interrupted(int n)
{
	const struct itimerval often = { { 0, 50 }, { 0, 50 } }, off = { { 0, 0 }, { 0, 0 } };

	signal(SIGALRM, tick);
	setitimer(ITIMER_REAL, &often, NULL);
	while (ticks < n)
		n = odd(n);
	setitimer(ITIMER_REAL, &off, NULL);
	return 0;
}

/* MOV $42, %eax; RET */
static int make_code(void)
{
	static const unsigned char code[] = { 0xb8, 42, 0, 0, 0, 0xc3 };
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i, sum = 0;

	if (at == MAP_FAILED)
		return 1;
	memcpy(at, code, sizeof(code));
	for (i = 0; i < 10; i++)
		sum += ((int (*)(void))at)();
	return sum != 420;
}

static int with_others(void)
{
	pthread_t thread[2];
	int i, status;
	pid_t pid;

	for (i = 0; i < 2; i++)
		if (pthread_create(&thread[i], NULL, work, NULL))
			return 1;
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	pid = fork();
	if (!pid)
		_exit(choose(7) & 1);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	be_interrupted(3);
	return make_code();
}

int main(int argc, char **argv)
{
	limit = argc > 1 ? atoi(argv[1]) : 3;
	if (argc > 2 && !strcmp(argv[2], "signals"))
		return be_interrupted(limit);
	sum_up();
	if (limit < 0)
		return never(limit);
	return argc < 3 ? with_others() : 0;
}
