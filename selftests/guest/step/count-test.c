// SPDX-License-Identifier: BSD-2-Clause
/* Counters of a stepped program: as many instructions as ptrace steps, and a stop after k */
#include "step.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <softpt/classes.h>

#define WRAP	(1ull << SOFTPT_COUNTER_BITS)

/* Counter 0 counts instructions from @preset on */
static void count_instructions(int session, uint64_t preset, uint32_t flags)
{
	const struct softpt_escr escr = {
		.size = sizeof(escr), .event_class = SOFTPT_CLASS_INSTRUCTIONS, .mask = 0xffff,
		.usr = ~0u, .os = ~0u,
	};
	const struct softpt_counter counter = {
		.size = sizeof(counter), .flags = flags, .preset = preset,
	};
	struct softpt_count_args args = { .size = sizeof(args), .start = 1 };

	kit_is(kit_ioctl(session, SOFTPT_SET_ESCR, &escr), 0, "an ESCR");
	kit_is(kit_ioctl(session, SOFTPT_SET_COUNTER, &counter), 0, "a counter");
	kit_is(kit_ioctl(session, SOFTPT_COUNT, &args), 0, "start");
}

static uint64_t counted(int unit)
{
	struct softpt_counter_values v = { .size = sizeof(v) };

	kit_is(kit_ioctl(unit, SOFTPT_READ_COUNTERS, &v), 0, "SOFTPT_READ_COUNTERS");
	return v.value[0];
}

static pid_t start(int session, char *const argv[])
{
	pid_t pid = fork();

	if (!pid)
		trace_exec(session, argv, TRACE_PINNED);
	return pid;
}

/* Where a stopped task goes on */
static uint64_t ip_of(pid_t pid)
{
	unsigned long long ip = 0;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/syscall", (int)pid);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%*s %*s %llx", &ip) != 1)
		kit_note("%s cannot be read", path);
	if (f)
		fclose(f);
	return ip;
}

static void whole(char *const argv[], const struct ips *ips)
{
	struct softpt_config config = trace_config();
	struct trace_session s;
	uint64_t n;
	int status;
	pid_t pid;

	trace_open(&s, &config, 0);
	count_instructions(s.session, 0, 0);
	pid = start(s.session, argv);
	waitpid(pid, &status, 0);
	n = counted(s.unit[0]);
	if (!kit_ok(n == ips->n, "%s: as many instructions as ptrace steps", argv[0]))
		kit_note("%llu, not %zu", (unsigned long long)n, ips->n);
	trace_close(&s);
}

static void stopped_after(char *const argv[], const struct ips *ips, size_t k)
{
	struct softpt_config config = trace_config();
	struct trace_session s;
	uint64_t ip;
	int status;
	pid_t pid;

	trace_open(&s, &config, 0);
	count_instructions(s.session, WRAP - k, SOFTPT_COUNTER_BREAK);
	pid = start(s.session, argv);
	waitpid(pid, &status, WUNTRACED);
	kit_ok(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP, "%zu instructions: it stops", k);
	ip = ip_of(pid);
	if (!kit_ok(ip == ips->ip[k], "before the next"))
		kit_note("at 0x%llx, not 0x%llx", (unsigned long long)ip,
			 (unsigned long long)ips->ip[k]);
	kit_ok(!counted(s.unit[0]), "its counter is at 0");
	kill(pid, SIGCONT);
	waitpid(pid, &status, 0);
	kit_ok(WIFEXITED(status), "SIGCONT: it goes on to its end");
	kit_ok(counted(s.unit[0]) == ips->n - k, "and is counted on");
	trace_close(&s);
}

/* Until it waits in pause() */
static bool waits(pid_t pid)
{
	char path[64], text[64];
	unsigned int i;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/syscall", (int)pid);
	for (i = 0; i < 3000; i++) {
		f = fopen(path, "r");
		if (f && fgets(text, sizeof(text), f) && atoi(text) == SYS_pause) {
			fclose(f);
			return true;
		}
		if (f)
			fclose(f);
		usleep(10000);
	}
	return false;
}

/* The instruction is told of when the task is about to sleep. Return: how many were counted */
static uint64_t napping(uint64_t preset, uint32_t flags)
{
	char *argv[] = { (char *)target, "nap", "quiet", NULL };
	struct softpt_config config = trace_config();
	struct trace_session s;
	int status = 0;
	uint64_t n;
	pid_t pid;

	trace_open(&s, &config, 0);
	count_instructions(s.session, preset, flags);
	pid = start(s.session, argv);
	kit_ok(waits(pid), "it waits in a system call");
	n = counted(s.unit[0]);
	kill(pid, SIGKILL);
	kit_ok(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) &&
	       WTERMSIG(status) == SIGKILL, "and can be killed");
	trace_close(&s);
	return n;
}

/* A signal sent under the run queue's lock would leave it asleep for ever. */
static void stopped_asleep(void)
{
	uint64_t n = napping(0, 0);

	kit_note("%llu instructions", (unsigned long long)n);
	kit_ok(!napping(WRAP - n, SOFTPT_COUNTER_BREAK), "the last one was the system call");
}

void test_count(void)
{
	static const size_t after[] = { 1, 2, 1000, 4321 };
	char *argv[] = { (char *)target, "calls", "quiet", NULL };
	struct code code = { 0 };
	struct ips ips = { 0 };
	size_t i;

	oracle_run(argv, &ips, &code);
	whole(argv, &ips);
	for (i = 0; i < sizeof(after) / sizeof(after[0]); i++)
		stopped_after(argv, &ips, after[i]);
	stopped_asleep();
	ips_free(&ips);
	code_free(&code);
	argv[0] = (char *)target32;
	memset(&ips, 0, sizeof(ips));
	memset(&code, 0, sizeof(code));
	oracle_run(argv, &ips, &code);
	whole(argv, &ips);
	stopped_after(argv, &ips, 1000);
	ips_free(&ips);
	code_free(&code);
}
