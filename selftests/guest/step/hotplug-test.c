// SPDX-License-Identifier: BSD-2-Clause
/* The CPU of a stepped program goes away under it. */
#include "step.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* CPU 1 goes @ms milliseconds after the program came to it. It comes back when that has ended. */
static int take_away(pid_t pid, int ms)
{
	cpu_set_t second;
	int status;

	CPU_ZERO(&second);
	CPU_SET(1, &second);
	if (sched_setaffinity(pid, sizeof(second), &second))
		kit_bail("the program cannot be bound to CPU 1");
	usleep(ms * 1000);
	kit_ok(kit_online(1, false), "CPU 1 goes");
	kit_ok(!waitpid(pid, &status, WNOHANG), "the program has been on it for %d ms", ms);
	waitpid(pid, &status, 0);
	kit_ok(kit_online(1, true), "CPU 1 comes back");
	return status;
}

static size_t take(int unit, uint8_t *data, size_t room)
{
	size_t n = 0;
	ssize_t ret;

	while (n < room && (ret = kit_read(unit, data + n, room - n)) > 0)
		n += ret;
	return n;
}

static bool decode(const struct trace_session *s, const struct softpt_config *config,
		   const struct code *code, struct ips *ips)
{
	struct flow flow[MAX_CPUS] = { 0 };
	uint8_t *data = malloc(config->ring);
	unsigned int cpu;
	bool ok = data;
	uint64_t lost;
	size_t n;

	for (cpu = 0; data && cpu < s->cpus; cpu++) {
		n = take(s->unit[cpu], data, config->ring);
		ok &= !n || !flow_decode(config, code, data, n, &flow[cpu]);
		lost = kit_status(s->unit[cpu]).counts.events_lost;
		ok &= !lost;
		kit_note("CPU %u: %zu bytes, %zu instructions, %zu times on, %llu lost", cpu, n,
			 flow[cpu].ips.n, flow[cpu].marks, (unsigned long long)lost);
	}
	flow_merge(flow, s->cpus, ips);
	for (cpu = 0; cpu < s->cpus; cpu++)
		flow_free(&flow[cpu]);
	free(data);
	return ok;
}

/* @ms < 0: on CPU 0 */
static void run(const struct softpt_config *config, const struct code *code, int ms,
		struct ips *ips)
{
	char *const argv[] = { (char *)target, "work", "quiet", NULL };
	struct trace_session s;
	int status;
	pid_t pid;

	trace_open(&s, config, 0);
	pid = fork();
	if (!pid)
		trace_exec(s.session, argv, ms < 0 ? TRACE_PINNED : 0);
	if (ms < 0)
		waitpid(pid, &status, 0);
	else
		status = take_away(pid, ms);
	kit_ok(!status, "it ends well");
	kit_ok(trace_ended(s.unit[0], 60) && trace_ended(s.unit[1], 60), "each unit: EPOLLHUP");
	kit_ok(decode(&s, config, code, ips), "each unit decodes, and nothing is lost");
	trace_close(&s);
}

/* A CPU goes and comes under stepped threads. */
static void test_crowd(void)
{
	struct softpt_config config = trace_config();
	struct trace_session s;
	int i, status;
	pid_t pid;

	trace_open(&s, &config, TRACE_INHERIT);
	pid = trace_spawn(&s, "crowd");
	for (i = 0; i < 3; i++)
		if (!kit_online(1, false) || !kit_online(1, true))
			break;
	kit_ok(i == 3 && !waitpid(pid, &status, WNOHANG), "CPU 1 goes and comes: a crowd goes on");
	kill(-pid, SIGKILL);
	waitpid(pid, &status, 0);
	kit_ok(trace_ended(s.unit[0], 60), "its session ends");
	trace_close(&s);
}

void test_hotplug(void)
{
	char *const argv[] = { (char *)target, "true", "quiet", NULL };
	struct softpt_config config = trace_config();
	struct ips want = { 0 }, got, none = { 0 };
	struct code code = { .n = 0 };
	int i;

	if (kit_cpus() < 2)
		kit_bail("hotplug needs two CPUs");
	test_crowd();
	config.flags &= ~SOFTPT_F_MTC;	/* a CPU takes its time to go */
	oracle_run(argv, &none, &code);
	run(&config, &code, -1, &want);
	for (i = 0; i < 3; i++) {
		got = (struct ips){ 0 };
		run(&config, &code, 10 * i, &got);
		kit_ok(ips_same(&got, &want), "the flow is as on CPU 0: %zu instructions", want.n);
		ips_free(&got);
	}
	ips_free(&none);
	ips_free(&want);
	code_free(&code);
}
