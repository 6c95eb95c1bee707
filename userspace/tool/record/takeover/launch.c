// SPDX-License-Identifier: BSD-2-Clause
#include "launch.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../cli/tool.h"
#include "traced.h"

static int seize(pid_t pid)
{
	return ptrace(PTRACE_SEIZE, pid, 0, PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC) ? -errno : 0;
}

/* A child that is there for nothing else */
static bool can_trace(void)
{
	const pid_t pid = fork();
	int err, status;

	if (!pid)
		for (;;)
			pause();
	if (pid < 0)
		return false;
	err = seize(pid);
	kill(pid, SIGKILL);
	waitpid(pid, &status, __WALL);
	return !err;
}

bool launch_can(void)
{
	int filter = 1;

	return traced_status(getpid(), getpid(), "Seccomp: %d", &filter) && !filter && can_trace();
}

static int refused(struct target *t, int err)
{
	kill(t->pid, SIGKILL);
	return refuse("record", "ptrace: %s", strerror(-err));
}

int launch_start(struct target *t, char **argv, int cpu)
{
	int status = target_signals(t), err;

	if (!status)
		status = target_start(t, argv, -1, cpu);
	if (status)
		return status;
	err = seize(t->pid);
	return err ? refused(t, err) : 0;
}

/* A signal may come first. Return: 0 or -errno */
static int wait_exec(pid_t pid)
{
	int status;

	for (;;) {
		if (waitpid(pid, &status, __WALL) < 0)
			return -errno;
		if (!WIFSTOPPED(status))
			return -ESRCH;
		if (status >> 16 == PTRACE_EVENT_EXEC)
			return 0;
		ptrace(PTRACE_CONT, pid, 0, status >> 16 ? 0L : (long)WSTOPSIG(status));
	}
}

/* It is in the system call yet: it stops again before the first instruction. */
int launch_go(struct target *t, const char *name)
{
	int status = target_go(t, name), err;

	if (status)
		return status;
	err = wait_exec(t->pid);
	if (!err && (ptrace(PTRACE_INTERRUPT, t->pid, 0, 0) || ptrace(PTRACE_CONT, t->pid, 0, 0)))
		err = -errno;
	return err ? refused(t, err) : 0;
}
