// SPDX-License-Identifier: BSD-2-Clause
/*
 * A process that runs for a while, to be recorded from outside: threads that compute, wait in every
 * kind of system call, get signals, make threads and processes. Each checks what it can see:
 * nothing is to be different for it. It ends when its stdin does, and says what it has seen.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAIRS	8

static atomic_bool over;
static atomic_ulong wrong, rounds, ticks, told;

static void complain(const char *what, long value)
{
	if (atomic_fetch_add(&wrong, 1) < 10)
		fprintf(stderr, "# %s: %ld\n", what, value);
}

#define CHECK(what, is, want) do { \
	long _is = (long)(is); \
	if (_is != (long)(want)) \
		complain(what, _is); \
} while (0)

/* ---- what a thread sees of itself ---- */

static void check_self(const sigset_t *mask, const stack_t *alt)
{
	sigset_t now;
	stack_t stack;

	pthread_sigmask(SIG_SETMASK, NULL, &now);
	CHECK("the signal mask", memcmp(&now, mask, 8), 0);
	sigaltstack(NULL, &stack);
	CHECK("the alternate stack", stack.ss_sp != alt->ss_sp, 0);
	CHECK("its flags", stack.ss_flags, alt->ss_flags);
	CHECK("the CPU", sched_getcpu() < 0, 0);
}

static void look(sigset_t *mask, stack_t *alt)
{
	pthread_sigmask(SIG_SETMASK, NULL, mask);
	sigaltstack(NULL, alt);
}

/* Each value is in many registers, the vector ones, too. */
static void *compute(void *arg)
{
	const unsigned long seed = (uintptr_t)arg;
	unsigned long first = 0, sum, i;
	double d, first_d = 0;
	sigset_t mask;
	stack_t alt;

	look(&mask, &alt);
	while (!over) {
		sum = seed;
		d = 1;
		for (i = 1; i < 20000; i++) {
			sum = sum * 6364136223846793005ul + (sum >> 33) + i;
			d += 1 / (double)(i * i) * (sum & 1 ? 1 : -1);
		}
		if (!first) {
			first = sum;
			first_d = d;
		}
		CHECK("a sum", sum != first, 0);
		CHECK("a sum of fractions", d != first_d, 0);
		check_self(&mask, &alt);
		rounds++;
	}
	return NULL;
}

/* ---- waiting ---- */

struct pair {
	pthread_mutex_t lock;
	pthread_cond_t cond;
	unsigned long turn;
	unsigned long done;
};

/* Two threads take turns: one wake-up that is lost ends it. */
static void *take_turns(void *arg)
{
	static atomic_uint next;
	static struct pair pairs[PAIRS];
	const unsigned int me = next++;
	struct pair *p = &pairs[me / 2];

	(void)arg;
	pthread_mutex_lock(&p->lock);
	while (!over) {
		while (p->turn % 2 != me % 2 && !over)
			pthread_cond_wait(&p->cond, &p->lock);
		p->turn++;
		p->done++;
		pthread_cond_broadcast(&p->cond);
	}
	pthread_cond_broadcast(&p->cond);
	pthread_mutex_unlock(&p->lock);
	rounds += p->done;
	return NULL;
}

static int pipe_fds[2];

static void *write_bytes(void *arg)
{
	unsigned char byte = 0;

	(void)arg;
	while (!over) {
		CHECK("write", write(pipe_fds[1], &byte, 1), 1);
		byte++;
		if (!(byte % 16))
			usleep(500);
	}
	close(pipe_fds[1]);
	return NULL;
}

static void *read_bytes(void *arg)
{
	unsigned char byte, want = 0;
	ssize_t n;

	(void)arg;
	while ((n = read(pipe_fds[0], &byte, 1)) == 1) {
		CHECK("a byte", byte, want);
		want++;
		rounds++;
	}
	CHECK("read", n, 0);
	return NULL;
}

static long since(const struct timespec *from)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - from->tv_sec) * 1000000 + (now.tv_nsec - from->tv_nsec) / 1000;
}

/* No signal comes to this thread: none of these may end early, nor for another reason. */
static void *wait_in_calls(void *arg)
{
	const struct timespec nap = { .tv_nsec = 3000000 };
	struct epoll_event ev;
	struct timespec from;
	sigset_t all, usr2, mask;
	siginfo_t info;
	int epoll = epoll_create1(0);
	sem_t sem;
	stack_t alt;

	(void)arg;
	sem_init(&sem, 0, 0);
	sigemptyset(&usr2);
	sigaddset(&usr2, SIGUSR2);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	look(&mask, &alt);
	while (!over) {
		clock_gettime(CLOCK_MONOTONIC, &from);
		CHECK("nanosleep", nanosleep(&nap, NULL), 0);
		CHECK("poll", poll(NULL, 0, 3), 0);
		CHECK("epoll_wait", epoll_wait(epoll, &ev, 1, 3), 0);
		errno = 0;
		CHECK("sigtimedwait", sigtimedwait(&usr2, &info, &nap), -1);
		CHECK("its error", errno, EAGAIN);
		errno = 0;
		CHECK("these calls took", since(&from) < 12000, 0);
		check_self(&mask, &alt);
		rounds++;
	}
	close(epoll);
	return NULL;
}

/* ---- signals ---- */

static void on_tick(int signo, siginfo_t *info, void *context)
{
	int before = errno;

	(void)info;
	(void)context;
	CHECK("the signal", signo, SIGALRM);
	ticks++;
	errno = before;
}

static void on_told(int signo)
{
	(void)signo;
	told++;
}

static atomic_ulong asked;

/* It waits with another mask; each signal that it is sent comes once. */
static void *wait_for_signals(void *arg)
{
	sigset_t none, mask;
	stack_t alt;

	look(&mask, &alt);
	sigemptyset(&none);
	sigaddset(&none, SIGALRM);
	while (!over) {
		errno = 0;
		CHECK("sigsuspend", sigsuspend(&none), -1);
		CHECK("its error", errno, EINTR);
		check_self(&mask, &alt);
		sem_post(arg);
	}
	return NULL;
}

/* ---- threads and processes ---- */

static void *short_life(void *arg)
{
	return (void *)((uintptr_t)arg + 1);
}

static void *make_threads(void *arg)
{
	uintptr_t i = 0;
	pthread_t t;
	void *ret;

	(void)arg;
	while (!over) {
		CHECK("pthread_create", pthread_create(&t, NULL, short_life, (void *)i), 0);
		pthread_join(t, &ret);
		CHECK("a thread's value", (uintptr_t)ret, i + 1);
		i++;
		rounds++;
		usleep(300);
	}
	return NULL;
}

static void *make_processes(void *arg)
{
	int status;
	pid_t pid;

	(void)arg;
	while (!over) {
		pid = fork();
		if (!pid)
			_exit(7);
		CHECK("waitpid", waitpid(pid, &status, 0), pid);
		CHECK("a child's status", status, 7 << 8);
		rounds++;
		usleep(2000);
	}
	return NULL;
}

/* By vfork(), and with another program */
static void *start_programs(void *arg)
{
	char *argv[] = { "sh", "-c", "exit 5", NULL };
	int status;
	pid_t pid;

	(void)arg;
	while (!over) {
		CHECK("posix_spawn", posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ), 0);
		CHECK("waitpid", waitpid(pid, &status, 0), pid);
		CHECK("a program's status", status, 5 << 8);
		rounds++;
		usleep(5000);
	}
	return NULL;
}

static void *map_memory(void *arg)
{
	unsigned char *p;

	(void)arg;
	while (!over) {
		p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		CHECK("mmap", p == MAP_FAILED, 0);
		p[4096] = 1;
		CHECK("new memory", p[8192], 0);
		munmap(p, 1 << 20);
		free(malloc(200000));
		rounds++;
		usleep(200);
	}
	return NULL;
}

int main(void)
{
	static char alt_stack[65536];
	const struct itimerval every = { { 0, 1000 }, { 0, 1000 } };
	struct sigaction act = {
		.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK,
	};
	const stack_t alt = { .ss_sp = alt_stack, .ss_size = sizeof(alt_stack) };
	pthread_t threads[64];
	unsigned int n = 0, i;
	struct sigaction now;
	pthread_t waits;
	sigset_t set;
	sem_t came;
	char byte;

	sem_init(&came, 0, 0);
	CHECK("pipe", pipe(pipe_fds), 0);
	sigaltstack(&alt, NULL);
	sigaction(SIGALRM, &act, NULL);
	signal(SIGUSR1, on_told);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	for (i = 0; i < 4; i++)
		pthread_create(&threads[n++], NULL, compute, (void *)(uintptr_t)(i + 1));
	for (i = 0; i < 2 * PAIRS; i++)
		pthread_create(&threads[n++], NULL, take_turns, NULL);
	pthread_create(&threads[n++], NULL, write_bytes, NULL);
	pthread_create(&threads[n++], NULL, read_bytes, NULL);
	for (i = 0; i < 3; i++)
		pthread_create(&threads[n++], NULL, wait_in_calls, NULL);
	pthread_create(&threads[n++], NULL, make_threads, NULL);
	pthread_create(&threads[n++], NULL, make_processes, NULL);
	pthread_create(&threads[n++], NULL, start_programs, NULL);
	pthread_create(&threads[n++], NULL, map_memory, NULL);
	pthread_create(&waits, NULL, wait_for_signals, &came);
	sigdelset(&set, SIGUSR1);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);	/* ticks come to this thread */
	setitimer(ITIMER_REAL, &every, NULL);
	printf("ready\n");
	fflush(stdout);
	while (poll(&(struct pollfd){ .fd = 0, .events = POLLIN }, 1, 0) == 0) {
		pthread_kill(waits, SIGUSR1);
		asked++;
		while (sem_wait(&came) && errno == EINTR)
			;
	}
	while (read(0, &byte, 1) < 0 && errno == EINTR)
		;
	over = true;
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
	pthread_kill(waits, SIGUSR1);	/* it may have seen that it is over */
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	pthread_join(waits, NULL);
	CHECK("signals that were sent", told - asked > 1, 0);
	sigaction(SIGALRM, NULL, &now);
	CHECK("the handler", now.sa_sigaction != on_tick, 0);
	CHECK("its flags", now.sa_flags & ~0x04000000, act.sa_flags);
	CHECK("rounds", rounds > 100, 1);
	CHECK("ticks", ticks > 10, 1);
	printf("wrong %lu\n", (unsigned long)wrong);
	return wrong != 0;
}
