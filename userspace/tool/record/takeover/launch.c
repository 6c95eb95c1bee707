// SPDX-License-Identifier: BSD-2-Clause
#include "launch.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../cli/tool.h"
#include "traced.h"

/* It does nothing by itself until it is taken over: it ends if this process does. */
static int seize(pid_t pid)
{
	const long options = PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;

	return ptrace(PTRACE_SEIZE, pid, 0, options) ? -errno : 0;
}

/* A child that is there for nothing else, as long as this process is */
static pid_t fork_nobody(void)
{
	const pid_t self = getpid(), pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == self)
		pause();
	_exit(0);
}

static bool can_trace(void)
{
	const pid_t pid = fork_nobody();
	int err, status;

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

int launch_start(struct target *t, char **argv, int cpu)
{
	int status = target_signals(t), err;

	if (!status)
		status = target_start(t, argv, -1, cpu);
	if (status)
		return status;
	err = seize(t->pid);
	if (!err)
		return 0;
	kill(t->pid, SIGKILL);
	return refuse("record", "ptrace: %s", strerror(-err));
}

/* Signals that come first are the program's. Return: whether it execs; else it has ended */
static bool wait_exec(struct target *t)
{
	int status;

	while (waitpid(t->pid, &status, __WALL) == t->pid && WIFSTOPPED(status)) {
		if (status >> 16 == PTRACE_EVENT_EXEC)
			return true;
		ptrace(PTRACE_CONT, t->pid, 0, status >> 16 ? 0L : (long)WSTOPSIG(status));
	}
	t->exited = true;
	t->wstatus = status;
	return false;
}

/* It is in the system call yet: it stops again before the first instruction. */
int launch_go(struct target *t, const char *name)
{
	bool executes;
	int status;

	target_let(t);
	executes = wait_exec(t);
	status = target_began(t, name);
	if (executes) {
		ptrace(PTRACE_INTERRUPT, t->pid, 0, 0);
		ptrace(PTRACE_CONT, t->pid, 0, 0);
	} else if (!status) {
		status = target_result(t);
	}
	return status;
}
