// SPDX-License-Identifier: BSD-2-Clause
/* Stepped works of several tasks: threads, children, and what they exec */
#include "target.h"

#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Return: whether the child ended well. */
static int reap(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

static int fork_one(void)
{
	pid_t pid = fork();

	if (!pid) {
		calls();
		_exit(read_flags() & TF ? 1 : 7);
	}
	return reap(pid);
}

static int vfork_one(void)
{
	pid_t pid = vfork();

	if (!pid)
		_exit(7);
	return reap(pid);
}

int forks(void)
{
	fflush(stdout);
	say("children %d\n", fork_one() + vfork_one() + fork_one() + vfork_one());
	return 0;
}

static void *thread(void *arg)
{
	unsigned long i, x = 1;

	for (i = 0; i < 20000; i++)
		x = switchy(x + i);
	return read_flags() & TF ? NULL : arg;
}

int threads(void)
{
	pthread_t id[4];
	char token[4];
	void *ret;
	int i, ok = 0;

	for (i = 0; i < 4; i++)
		pthread_create(&id[i], NULL, thread, &token[i]);
	calls();
	for (i = 0; i < 4; i++)
		if (!pthread_join(id[i], &ret))
			ok += ret == &token[i];
	say("threads %d\n", ok);
	return 0;
}

#define CREW_STACK	16384

static int crew_work(void *arg)
{
	unsigned long i, x = (uintptr_t)arg;

	for (i = 0; i < 300; i++)
		x = switchy(x + i);
	return x & 1;
}

/*
 * Threads whose instructions don't depend on who is faster, as those of a futex do: each
 * has the pipe in a table of files of its own, so read() returns when the last is gone.
 */
int crew(void)
{
	static char stack[3][CREW_STACK] __attribute__((aligned(16)));
	int fd[2];
	uintptr_t i;
	char c;

	if (pipe(fd))
		return 2;
	for (i = 0; i < 3; i++)
		if (clone(crew_work, stack[i] + CREW_STACK,
			  CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM,
			  (void *)i) < 0)
			return 3;
	close(fd[1]);
	calls();
	return read(fd[0], &c, 1) ? 4 : 0;
}

/* Children of each kind, and what they exec */
int family(void)
{
	static char *const child[] = { "/proc/self/exe", "true", "quiet", NULL };
	static char *const none[] = { NULL };
	int status, ok = 0;
	pid_t pid;

	pid = fork();
	if (!pid) {
		execve(child[0], child, none);
		_exit(1);
	}
	ok += waitpid(pid, &status, 0) == pid && !status;
	pid = vfork();
	if (!pid) {
		execve(child[0], child, none);
		_exit(1);
	}
	ok += waitpid(pid, &status, 0) == pid && !status;
	ok += fork_one();
	return ok == 3 ? 0 : 2;
}

int spawn(void)
{
	static char *const child[] = { "/proc/self/exe", "status", NULL };
	static char *const none[] = { NULL };
	int status, i, ok = 0;
	pid_t pid;

	fflush(stdout);
	for (i = 0; i < 3; i++)
		if (!posix_spawn(&pid, child[0], NULL, NULL, child, none))
			ok += waitpid(pid, &status, 0) == pid && status == 42 << 8;
	say("children %d\n", ok);
	return 0;
}

/* Children and threads that have nothing else to do, until they are killed */
static void *spinner(void *arg)
{
	for (;;)
		sum++;
	return arg;
}

int crowd(void)
{
	pthread_t id;
	int i;

	for (i = 0; i < 2; i++) {
		pthread_create(&id, NULL, spinner, NULL);
		if (!fork())
			spinner(NULL);
	}
	write(1, "crowded\n", 8);
	spinner(NULL);
	return 0;
}

/* A child that stays when its parent is gone */
int orphan(void)
{
	if (!fork()) {
		close(1);
		for (;;)
			pause();
	}
	write(1, "leaving\n", 8);
	_exit(42);
}

int again(void)
{
	char *argv[] = { "/proc/self/exe", "calls", NULL };

	execv(argv[0], argv);
	return 127;
}

int pair(void)
{
	unsigned long wrong[2] = { 0, 0 };
	pthread_t id;

	if (pthread_create(&id, NULL, rounds, &wrong[0]))
		return 2;
	write(1, "steady\n", 7);
	rounds(&wrong[1]);
	pthread_join(id, NULL);
	say("%lx, wrong %lu %lu TF %d\n", round_of(2), wrong[0], wrong[1], !!(read_flags() & TF));
	return 42;
}
