// SPDX-License-Identifier: BSD-2-Clause
/* A process that asks to be traced: what its tracer is told until it ends */
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static void follow(const char *name, pid_t pid)
{
	int status, sig = 0, last = 0;

	printf("%s:", name);
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		sig = WSTOPSIG(status);
		if (sig != last)	/* the handler's code may be new to the translation */
			printf(" %d", sig);
		last = sig;
		ptrace(PTRACE_CONT, pid, 0, sig == SIGTRAP || sig == SIGSTOP ? 0 : sig);
	}
	printf(" %#x\n", status);
}

static void trace_me(void)
{
	ptrace(PTRACE_TRACEME, 0, 0, 0);
}

static int *volatile nowhere = (int *)8;

static void on_segv(int sig)
{
	_exit(sig);
}

int main(void)
{
	pid_t pid;

	setvbuf(stdout, NULL, _IONBF, 0);
	pid = fork();
	if (!pid) {
		trace_me();
		if (!ptrace(PTRACE_TRACEME, 0, 0, 0))
			printf("traced twice\n");
		execl("/bin/sh", "sh", "-c", "kill -USR1 $$", NULL);
	}
	follow("fork", pid);
	pid = vfork();
	if (!pid) {
		trace_me();
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	follow("vfork", pid);
	signal(SIGSEGV, on_segv);
	pid = fork();
	if (!pid) {
		trace_me();
		*nowhere = 1;
	}
	follow("fault", pid);
	return 0;
}
