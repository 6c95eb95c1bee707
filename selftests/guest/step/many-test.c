// SPDX-License-Identifier: BSD-2-Clause
/* Attaching to processes with many threads, or whose threads make threads without end */
#include "step.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS		1000
#define SPAWNERS	8
#define TRIES		50
#define STACK		(64 << 10)

static void *sleep_on(void *arg)
{
	pause();
	return arg;
}

static bool make_thread(void *(*fn)(void *))
{
	pthread_attr_t attr;
	pthread_t thread;
	bool made;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	made = !pthread_create(&thread, &attr, fn, NULL);
	pthread_attr_destroy(&attr);
	return made;
}

/* A thread that is there only to make the next */
static void *relay(void *arg)
{
	while (!make_thread(relay))
		usleep(1000);
	return arg;
}

/* A process of its own, with @n threads more than its first */
static pid_t start(void *(*fn)(void *), unsigned int n)
{
	int ready[2];
	pid_t pid;
	char c;

	if (pipe(ready))
		kit_bail("no pipe");
	pid = fork();
	if (!pid) {
		while (n)
			n -= make_thread(fn);
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1)
		kit_bail("no threads");
	close(ready[0]);
	return pid;
}

static void stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static long attach(const struct trace_session *s, pid_t pid)
{
	const struct softpt_attach args = {
		.size = sizeof(args), .flags = SOFTPT_ATTACH_PROCESS, .pid = pid
	};

	return kit_ioctl(s->session, SOFTPT_ATTACH, &args);
}

static void open_session(struct trace_session *s, unsigned int flags)
{
	struct softpt_config config = trace_config();

	trace_open(s, &config, flags);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* The time is told, and judged by nobody. */
static void test_all(unsigned int n)
{
	struct softpt_threads threads = { .size = sizeof(threads) };
	struct trace_session s;
	pid_t pid = start(sleep_on, n);
	double begin;

	open_session(&s, TRACE_INHERIT);
	begin = now();
	kit_is(attach(&s, pid), 0, "a process with %u threads", n + 1);
	kit_note("%.1f us a thread", (now() - begin) * 1e6 / (n + 1));
	kit_is(kit_ioctl(s.session, SOFTPT_GET_THREADS, &threads), 0, "who they are");
	kit_ok(threads.joined == n + 1, "all of them (%u)", threads.joined);
	trace_close(&s);
	stop(pid);
}

static void on_alarm(int sig)
{
	(void)sig;
}

/* Until a signal comes while the call is at it */
static void test_signal(void)
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { { 0, 0 }, { 0, 0 } };
	struct trace_session s;
	pid_t pid = start(sleep_on, THREADS);
	int i, interrupted = 0, other = 0;
	long err;

	sigaction(SIGALRM, &action, NULL);
	for (i = 0; i < TRIES && !interrupted; i++) {
		open_session(&s, 0);
		setitimer(ITIMER_REAL, &often, NULL);
		err = attach(&s, pid);
		setitimer(ITIMER_REAL, &never, NULL);
		interrupted += err == -EINTR;
		other += err && err != -EINTR;
		trace_close(&s);
	}
	kit_ok(interrupted, "a signal interrupts it (try %d)", i);
	kit_ok(!other, "nothing else is told");
	open_session(&s, 0);
	kit_is(attach(&s, pid), 0, "the next has them all");
	trace_close(&s);
	stop(pid);
}

static void test_without_end(unsigned int flags, const char *name)
{
	struct trace_session s;
	pid_t pid = start(relay, SPAWNERS);
	unsigned int i;
	int other = 0;
	long err;

	for (i = 0; i < 5; i++) {
		open_session(&s, flags);
		err = attach(&s, pid);
		other += err && err != -EAGAIN;
		if (other)
			kit_note("error %ld", err);
		trace_close(&s);
	}
	kit_ok(!other, "a process whose threads make threads, %s: it ends", name);
	stop(pid);
}

void test_many(void)
{
	test_all(THREADS / 10);
	test_all(THREADS);
	test_signal();
	test_without_end(0, "untraced ones");
	test_without_end(TRACE_INHERIT, "traced ones");
}
