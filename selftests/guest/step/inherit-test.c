// SPDX-License-Identifier: BSD-2-Clause
/* Threads and children are stepped, too: they die, and their session, at any moment. */
#include "step.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOMENTS	12

static void test_refused(void)
{
	struct softpt_source source = { .size = sizeof(source), .kind = SOFTPT_SOURCE_STEP };
	struct softpt_config config = trace_config();
	int dev = kit_open(), session = kit_session(dev), unit;

	close(dev);
	config.clock = SOFTPT_CLOCK_MODEL;
	kit_is(kit_configure(session, &config), 0, "clock=model is configured");
	unit = kit_unit(session, 0);
	source.flags = SOFTPT_STEP_INHERIT << 1;
	kit_is(kit_ioctl(session, SOFTPT_SET_SOURCE, &source), -EINVAL, "a flag that is unknown");
	source.flags = SOFTPT_STEP_INHERIT;
	kit_is(kit_ioctl(session, SOFTPT_SET_SOURCE, &source), 0, "SOFTPT_STEP_INHERIT");
	kit_is(kit_enable(session), -EINVAL, "the model clock is one task's");
	source.flags = 0;
	kit_is(kit_ioctl(session, SOFTPT_SET_SOURCE, &source), 0, "without SOFTPT_STEP_INHERIT");
	kit_is(kit_enable(session), 0, "the model clock of one task");
	close(unit);
	close(session);
}

/* The source ends with the last task, and its exit code is the first's. */
static void test_orphan(void)
{
	struct softpt_config config = trace_config();
	struct trace_session s;
	int status;
	pid_t pid;

	trace_open(&s, &config, TRACE_INHERIT);
	pid = trace_spawn(&s, "orphan");
	kit_ok(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 42, "a parent leaves");
	kit_ok(!trace_ended(s.unit[0], 0), "its child is there: no EPOLLHUP");
	kill(-pid, SIGKILL);
	kit_ok(trace_ended(s.unit[0], 60), "its child is killed: EPOLLHUP");
	kit_ok((int)kit_status(s.unit[0]).exit_code == status, "the exit code is the parent's");
	trace_close(&s);

	trace_open(&s, &config, 0);
	pid = trace_spawn(&s, "orphan");
	kit_ok(trace_ended(s.unit[0], 60), "without SOFTPT_STEP_INHERIT a child does not count");
	waitpid(pid, NULL, 0);
	kill(-pid, SIGKILL);
	trace_close(&s);
}

/* Two children and two threads spin, and so does their parent. */
static void test_kill(void)
{
	struct softpt_config config = trace_config();
	struct trace_session s;
	int i, status, killed = 0, ends = 0;
	pid_t pid;

	for (i = 0; i < MOMENTS; i++) {
		trace_open(&s, &config, TRACE_INHERIT);
		pid = trace_spawn(&s, "crowd");
		usleep(i * 1000);
		kill(-pid, SIGKILL);
		killed += waitpid(pid, &status, 0) == pid && WIFSIGNALED(status);
		ends += trace_ended(s.unit[0], 60) &&
			(int)kit_status(s.unit[0]).exit_code == status;
		trace_close(&s);
	}
	kit_ok(killed == MOMENTS && ends == MOMENTS,
	       "a crowd killed at %d moments: %d gone, %d sessions ended", MOMENTS, killed, ends);
}

/* The session goes, and nobody dies of a trap that was on its way. */
static void test_close(const char *work)
{
	char *const argv[] = { (char *)target, (char *)work, NULL };
	struct softpt_config config = trace_config();
	struct trace_session s;
	int i, status, ok = 0;
	pid_t pid;

	for (i = 0; i < MOMENTS; i++) {
		trace_open(&s, &config, TRACE_INHERIT);
		pid = fork();
		if (!pid) {
			close(1);
			trace_exec(s.session, argv, 0);
		}
		usleep(i * 2000);
		trace_close(&s);
		waitpid(pid, &status, 0);
		ok += WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 125);
	}
	kit_ok(ok == MOMENTS, "%s, its session closed at %d moments: %d ended well", work, MOMENTS,
	       ok);
}

void test_inherit(void)
{
	test_refused();
	test_orphan();
	test_kill();
	test_close("forks");
	test_close("threads");
	test_close("spawn");
}
