// SPDX-License-Identifier: BSD-2-Clause
/* Sessions and processes come and go in any order. */
#include "step.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_kill(const char *work)
{
	struct softpt_config config = trace_config();
	struct trace_session s;
	int status = 0;
	pid_t pid;

	trace_open(&s, &config, 0);
	pid = trace_spawn(&s, work);
	kit_ok(!trace_ended(s.unit[0], 0), "%s runs: no EPOLLHUP yet", work);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	kit_ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "%s is killed", work);
	kit_ok(trace_ended(s.unit[0], 60), "%s killed: EPOLLHUP", work);
	kit_ok((int)kit_status(s.unit[0]).exit_code == status, "%s killed: exit status", work);
	trace_close(&s);
}

static bool runs(pid_t pid)
{
	int status;

	return waitpid(pid, &status, WNOHANG) == 0;
}

/* Whatever ends the session, the program goes on by itself, without our TF. */
static void test_session_goes(const char *work, bool disable)
{
	struct softpt_config config = trace_config();
	struct trace_session s;
	int status = 0, i;
	pid_t pid;

	trace_open(&s, &config, 0);
	pid = trace_spawn(&s, work);
	if (disable)
		kit_is(kit_disable(s.session), 0, "%s: disable", work);
	trace_close(&s);
	for (i = 0; i < 20 && runs(pid); i++)
		usleep(10000);
	kit_ok(runs(pid), "%s goes on without its session (%s)", work,
	       disable ? "disabled" : "closed");
	kill(pid, SIGTERM);
	waitpid(pid, &status, 0);
	kit_ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM, "%s dies of SIGTERM", work);
}

static void test_close_race(void)
{
	char *const argv[] = { (char *)target, "signals", NULL };
	struct softpt_config config = trace_config();
	struct trace_session s;
	int i, status, ok = 0;
	pid_t pid;

	for (i = 0; i < 50; i++) {
		trace_open(&s, &config, 0);
		pid = fork();
		if (!pid) {
			close(1);
			trace_exec(s.session, argv, 0);
		}
		usleep(i * 1000);
		trace_close(&s);
		waitpid(pid, &status, 0);
		ok += WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 125);
	}
	kit_ok(ok == 50, "a session closed at %d moments: %d programs ended well", 50, ok);
}

static void test_busy(void)
{
	struct softpt_config config = trace_config();
	struct trace_session a, b;

	trace_open(&a, &config, 0);
	trace_open(&b, &config, 0);
	kit_is(kit_ioctl(a.session, SOFTPT_ARM_EXEC, NULL), 0, "a task arms itself");
	kit_is(kit_ioctl(a.session, SOFTPT_ARM_EXEC, NULL), -EBUSY, "a session has one target");
	kit_is(kit_ioctl(b.session, SOFTPT_ARM_EXEC, NULL), -EBUSY, "a task has one session");
	kit_is(kit_disable(a.session), 0, "its session is disabled");
	kit_is(kit_ioctl(a.session, SOFTPT_ARM_EXEC, NULL), -EBADFD, "a disabled session arms nobody");
	kit_is(kit_ioctl(b.session, SOFTPT_ARM_EXEC, NULL), 0, "the task is free again");
	trace_close(&a);
	trace_close(&b);
}

/* On the model clock, of all units */
static uint64_t latest(const struct trace_session *s)
{
	struct softpt_counter_values v = { .size = sizeof(v) };
	uint64_t tsc = 0;
	unsigned int i;

	for (i = 0; i < s->cpus; i++) {
		if (kit_ioctl(s->unit[i], SOFTPT_READ_COUNTERS, &v))
			kit_bail("SOFTPT_READ_COUNTERS");
		tsc = v.tsc > tsc ? v.tsc : tsc;
	}
	return tsc;
}

/* A session that is enabled again: time goes on, and takes as long as before. */
static void test_model_again(void)
{
	char *const argv[] = { (char *)target, "calls", NULL };
	struct softpt_config config = trace_config();
	uint64_t once = 0, twice = 0;
	struct trace_session s;
	int status, i;
	pid_t pid;

	config.clock = SOFTPT_CLOCK_MODEL;
	trace_open(&s, &config, 0);
	for (i = 0; i < 2; i++) {
		pid = fork();
		if (!pid) {
			close(1);
			trace_exec(s.session, argv, TRACE_PINNED);
		}
		waitpid(pid, &status, 0);
		once = twice;
		twice = latest(&s);
		kit_is(kit_disable(s.session), 0, "clock=model: run %d is over", i + 1);
		if (!i)
			kit_is(kit_enable(s.session), 0, "clock=model: enabled again");
	}
	kit_ok(once && twice > once + once * 9 / 10 && twice < once * 2 + once / 10,
	       "clock=model: %llu ticks, %llu after the second run", (unsigned long long)once,
	       (unsigned long long)twice);
	trace_close(&s);
}

static void test_refused(void)
{
	struct softpt_config config = trace_config();
	int dev = kit_open(), session = kit_session(dev), unit;

	close(dev);
	config.flags |= SOFTPT_F_OS;
	kit_is(kit_configure(session, &config), 0, "os=1 is configured");
	kit_is(kit_source(session, SOFTPT_SOURCE_STEP, NULL), 0, "source step is set");
	unit = kit_unit(session, 0);
	kit_is(kit_enable(session), -EINVAL, "os=1 is refused at the enable");
	config.flags &= ~SOFTPT_F_OS;
	kit_is(kit_configure(session, &config), 0, "os=0 is configured");
	kit_is(kit_enable(session), 0, "os=0 is enabled");
	close(unit);
	close(session);
}

static void test_two_sessions(void)
{
	struct softpt_config config = trace_config();
	struct trace_session s[2];
	pid_t pid[2];
	int i, status;

	for (i = 0; i < 2; i++) {
		trace_open(&s[i], &config, 0);
		pid[i] = trace_spawn(&s[i], "spin");
	}
	kill(pid[0], SIGKILL);
	waitpid(pid[0], &status, 0);
	kit_ok(trace_ended(s[0].unit[0], 60), "two sessions: the first has ended");
	kit_ok(!trace_ended(s[1].unit[0], 0), "two sessions: the second has not");
	kill(pid[1], SIGKILL);
	waitpid(pid[1], &status, 0);
	kit_ok(trace_ended(s[1].unit[0], 60), "two sessions: the second has ended");
	for (i = 0; i < 2; i++)
		trace_close(&s[i]);
}

/* Where the session has no unit, what happens is lost and counted. */
static void test_no_unit(void)
{
	char *const argv[] = { (char *)target, "calls", NULL };
	struct softpt_config config = trace_config();
	struct softpt_status status;
	struct trace_session s;
	pid_t pid;

	trace_open(&s, &config, 0);
	close(s.unit[0]);
	pid = fork();
	if (!pid) {
		close(1);
		trace_exec(s.session, argv, TRACE_PINNED);
	}
	waitpid(pid, NULL, 0);
	kit_ok(trace_ended(s.unit[1], 60), "a program on a CPU without a unit: EPOLLHUP");
	status = kit_status(s.unit[1]);
	kit_ok(status.flags & SOFTPT_ST_LOST && status.counts.events_lost > 4000,
	       "a program on a CPU without a unit: %llu events are lost",
	       (unsigned long long)status.counts.events_lost);
	close(s.unit[1]);
	close(s.session);
}

/* A user runs @copy with another mode: is there a trace of it? */
static void run_copy(const char *copy, mode_t mode, bool traced, const char *name)
{
	char *const argv[] = { (char *)copy, "status", NULL };
	struct softpt_config config = trace_config();
	struct trace trace;

	chmod(copy, mode);
	trace_run(&trace, &config, argv, TRACE_NOBODY);
	kit_ok(WEXITSTATUS(trace.wait_status) == 42, "%s runs", name);
	kit_ok((trace.cpu[0].n || trace.cpu[1].n) == traced, "%s %s", name,
	       traced ? "is traced" : "leaves no packet");
	trace_free(&trace);
}

/* A program that gains privileges by exec, or may not be read, is not traced. */
static void test_private(void)
{
	static const char copy[] = "/tmp/step-private";
	char command[256];

	snprintf(command, sizeof(command), "cp %s %s", target, copy);
	if (system(command))
		kit_bail("cannot copy %s", target);
	run_copy(copy, 04755, false, "a setuid program");
	run_copy(copy, 0711, false, "a program that may not be read");
	run_copy(copy, 0755, true, "a program of one's own");
	unlink(copy);
}

void test_lifetime(void)
{
	test_refused();
	test_busy();
	test_model_again();
	test_kill("spin");
	test_kill("nap");
	test_session_goes("spin", false);
	test_session_goes("spin", true);
	test_session_goes("nap", false);
	test_two_sessions();
	test_close_race();
	test_no_unit();
	test_private();
}
