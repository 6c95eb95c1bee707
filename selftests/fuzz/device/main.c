// SPDX-License-Identifier: BSD-2-Clause
/*
 * device-fuzz [SECONDS [SEED [THREADS]]]: random calls of the device. What is wrong is for the
 * kernel's own checks to say; here the device must work afterwards. The same seed makes the same
 * calls, but threads take turns as they like.
 */
#include "fuzz.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define OPS	64
#define LONG	60	/* seconds, in which most kinds of call are to succeed */

static atomic_ulong tried[OPS], accepted[OPS], took[OPS];
static atomic_int refusal[OPS];
static atomic_bool stop;
static atomic_uint blind;
static uint64_t seed;

static void write_to(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (f) {
		fputs(text, f);
		fclose(f);
	}
}

/* A call that waits is interrupted: what it returns then is tested, too. */
static void interrupt_often(void)
{
	const struct itimerspec often = {
		.it_interval.tv_nsec = 20000000, .it_value.tv_nsec = 20000000,
	};
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1 };
	timer_t timer;

	event._sigev_un._tid = gettid();
	if (!timer_create(CLOCK_MONOTONIC, &event, &timer))
		timer_settime(timer, 0, &often, NULL);
}

static void on_signal(int sig)
{
	(void)sig;
}

static uint64_t microseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000ull + t.tv_nsec / 1000;
}

static void note(unsigned int op, long ret, uint64_t time)
{
	atomic_fetch_add(&tried[op], 1);
	atomic_fetch_add(&took[op], time);
	if (ret >= 0)
		atomic_fetch_add(&accepted[op], 1);
	else
		refusal[op] = -ret;
}

static bool run(struct fuzz_program *program)
{
	uint64_t began = microseconds();
	bool new = false;
	unsigned int i;

	for (i = 0; i < program->n; i++) {
		const struct fuzz_call *call = &program->call[i];
		uint64_t began = microseconds();
		long ret;

		fuzz_cover_reset();
		ret = fuzz_do_call(call);
		note(call->op, ret, microseconds() - began);
		new |= fuzz_cover_is_new();
	}
	program->took = microseconds() - began;
	return new;
}

static void *work(void *number)
{
	uint64_t state = seed + (uintptr_t)number * 0x100000000ull;
	struct fuzz_program program;

	interrupt_often();
	if (!fuzz_cover_begin())
		atomic_fetch_add(&blind, 1);
	while (!stop) {
		fuzz_make_program(&program, &state);
		if (run(&program))
			fuzz_keep_program(&program);
	}
	return NULL;
}

static unsigned long calls(void)
{
	unsigned long n = 0;
	unsigned int i;

	for (i = 0; i < OPS; i++)
		n += tried[i];
	return n;
}

/* Who is killed has said how many calls there were, but for a tenth at most. */
static void wait_and_tell(unsigned int seconds)
{
	uint64_t end = microseconds() + seconds * 1000000ull;
	unsigned long told = 0;

	while (microseconds() < end) {
		usleep(100000);
		if (calls() < told + told / 10 + 1)
			continue;
		told = calls();
		kit_note("%lu calls", told);
	}
}

static void run_threads(unsigned int seconds, unsigned int n)
{
	pthread_t thread[n];
	uintptr_t i;

	for (i = 0; i < n; i++)
		if (pthread_create(&thread[i], NULL, work, (void *)i))
			kit_bail("thread %lu", (unsigned long)i);
	wait_and_tell(seconds);
	stop = true;
	for (i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
}

static void report(unsigned int seconds)
{
	unsigned long n = 0;
	unsigned int i;

	for (i = 0; i < fuzz_ops(); i++) {
		kit_note("%-17s %8lu of %8lu accepted, %6lu us each; last refusal: %s",
			 fuzz_op_name(i), accepted[i], tried[i],
			 tried[i] ? took[i] / tried[i] : 0, strerror(refusal[i]));
		n += accepted[i] > 0;
	}
	kit_note("%lu calls, %lu a second; %lu edges, %u programs kept", calls(), calls() / seconds,
		 fuzz_cover_edges(), fuzz_programs());
	kit_ok(!blind && fuzz_cover_edges(), "calls are guided by what they reach");
	if (seconds < LONG)
		kit_note("%lu of %u kinds of call were accepted", n, fuzz_ops());
	else
		kit_ok(n > fuzz_ops() * 3 / 4, "%lu of %u kinds of call were accepted", n,
		       fuzz_ops());
}

/* A signal, of a SIGCONT's too, makes a write short. */
static void write_all(int unit, const struct softpt_event *ev, size_t n)
{
	long done;

	for (; n && (done = kit_write(unit, ev, n * sizeof(*ev))) > 0; n -= done / sizeof(*ev))
		ev += done / sizeof(*ev);
}

static void works(void)
{
	const struct softpt_config config = kit_config();
	struct softpt_event *ev = kit_events(seed, 1000);
	struct softpt_counts counts;
	uint8_t *want = kit_expect(&config, ev, 1000, &counts), *got = malloc(counts.bytes + 1);
	int dev = kit_open(), session = kit_session(dev), unit = kit_unit(session, 0);
	long n;

	kit_configure(session, &config);
	kit_enable(session);
	write_all(unit, ev, 1000);
	kit_ioctl(unit, SOFTPT_FINISH, NULL);
	n = got ? kit_read(unit, got, counts.bytes + 1) : -1;
	kit_ok(n == (long)counts.bytes && !memcmp(got, want, n),
	       "a replay gives its %lu bytes afterwards", (unsigned long)counts.bytes);
	close(unit);
	close(session);
	close(dev);
	free(ev);
	free(want);
	free(got);
}

int main(int argc, char **argv)
{
	unsigned int seconds = argc > 1 ? atoi(argv[1]) : 60;
	unsigned int threads = argc > 3 ? atoi(argv[3]) : 4;
	struct sigaction action = { .sa_handler = on_signal };
	bool memory;
	pid_t hog;

	if (argc > 1 && !strcmp(argv[1], "--target"))
		fuzz_be_target("/proc/self/exe");
	if (argc > 2 && !strcmp(argv[1], "--hog"))
		fuzz_be_hog(atoi(argv[2]), time(NULL));
	seed = argc > 2 ? strtoull(argv[2], NULL, 0) : (uint64_t)time(NULL);
	kit_note("device-fuzz %u %llu %u", seconds, (unsigned long long)seed, threads);
	sigaction(SIGUSR1, &action, NULL);
	/* The guest's memory is for more than rings, and the end of stepping waits for RCU. */
	write_to("/sys/module/softpt/parameters/max_memory", "64");
	write_to("/sys/kernel/rcu_expedited", "1");
	hog = fuzz_begin_hog(seed);
	fuzz_world_begin();
	memory = fuzz_memory_begin(seed);
	run_threads(seconds, threads);
	fuzz_world_end();
	fuzz_end_hog(hog);
	kit_ok(memory, "calls are given memory that does not come");
	write_to("/sys/module/softpt/parameters/max_memory", "1024");
	report(seconds ? seconds : 1);
	works();
	return kit_done();
}
