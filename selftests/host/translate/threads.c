// SPDX-License-Identifier: BSD-2-Clause
/* Threads with locks, signals between them, forks, and what they are when others exit */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS	8
#define ROUNDS	200

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static long sum, handled;
static int whose;

static void on_signal(int sig)
{
	(void)sig;
	__atomic_add_fetch(&handled, 1, __ATOMIC_RELAXED);
}

static void *add(void *arg)
{
	long mine = (long)arg, i;

	for (i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&lock);
		sum += mine;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void *take_turns(void *arg)
{
	int mine = (int)(long)arg, i;

	for (i = 0; i < 200; i++) {
		pthread_mutex_lock(&lock);
		while (whose != mine)
			pthread_cond_wait(&turn, &lock);
		whose = (whose + 1) % THREADS;
		pthread_cond_broadcast(&turn);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void *fork_some(void *arg)
{
	int i, status, good = 0;

	(void)arg;
	for (i = 0; i < 5; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(i + 3);
		waitpid(pid, &status, 0);
		good += WIFEXITED(status) && WEXITSTATUS(status) == i + 3;
	}
	return (void *)(long)good;
}

static void *wait_for_ever(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return NULL;
}

static void all(void *(*f)(void *))
{
	pthread_t t[THREADS];
	long i;

	for (i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, f, (void *)i);
	for (i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
}

int main(void)
{
	pthread_t t, u;
	void *good;
	int i;

	all(add);
	printf("sum %ld\n", sum);
	all(take_turns);
	printf("whose %d\n", whose);
	signal(SIGUSR1, on_signal);
	pthread_create(&t, NULL, wait_for_ever, NULL);
	pthread_create(&u, NULL, fork_some, NULL);
	for (i = 0; i < 100; i++) {
		long before = __atomic_load_n(&handled, __ATOMIC_RELAXED);

		pthread_kill(t, SIGUSR1);
		while (__atomic_load_n(&handled, __ATOMIC_RELAXED) == before)
			sched_yield();
	}
	printf("handled %ld\n", handled);
	pthread_join(u, &good);
	printf("children %ld\n", (long)good);
	pthread_cancel(t);
	pthread_join(t, &good);
	printf("cancelled %d\n", good == PTHREAD_CANCELED);
	for (i = 0; i < 300; i++) {	/* slots and stacks come back */
		pthread_create(&t, NULL, add, (void *)0l);
		pthread_join(t, NULL);
	}
	printf("done\n");
	pthread_create(&t, NULL, wait_for_ever, NULL);
	fflush(stdout);
	exit(5);
}
