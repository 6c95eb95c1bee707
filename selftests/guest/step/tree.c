// SPDX-License-Identifier: BSD-2-Clause
/*
 * All threads and children of a program under PTRACE_SINGLESTEP. A line for each
 * instruction: which task, counted in the order of birth, and the address.
 */
#include "step.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#define MAX_TASKS	16
#define OPTIONS		(PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | \
			 PTRACE_O_TRACEVFORK)

struct tree {
	struct task {
		pid_t tid;
		struct ips ips;
	} task[MAX_TASKS];
	unsigned int n, living;
};

static struct task *find(struct tree *t, pid_t tid)
{
	unsigned int i;

	for (i = 0; i < t->n; i++)
		if (t->task[i].tid == tid)
			return &t->task[i];
	if (t->n == MAX_TASKS)
		kit_bail("more tasks than expected");
	t->living++;
	t->task[t->n].tid = tid;
	return &t->task[t->n++];
}

static bool handles(pid_t tid, int sig)
{
	unsigned long long caught = 0;
	char path[64], line[128];
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	status = fopen(path, "r");
	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "SigCgt: %llx", &caught) == 1)
			break;
	if (status)
		fclose(status);
	return caught >> (sig - 1) & 1;
}

/*
 * Which signal to go on with. A task begins with a SIGSTOP that ptrace sends. The
 * instruction at which a handler comes in is met again behind it.
 */
static int stopped(struct task *task, int status)
{
	int sig = WSTOPSIG(status);

	if ((sig == SIGTRAP && status >> 8 == SIGTRAP) || (sig == SIGSTOP && !task->ips.n)) {
		oracle_step(task->tid, &task->ips);
		return 0;
	}
	if (sig == SIGTRAP)
		return 0;
	if (task->ips.n && handles(task->tid, sig))
		task->ips.n--;
	return sig;
}

/* The tracer's loop, until the last task is gone */
static void follow(struct tree *t)
{
	struct task *task;
	int status, sig;
	pid_t tid;

	while (t->living) {
		tid = waitpid(-1, &status, __WALL);
		if (tid < 0)
			kit_bail("ptrace lost the program");
		task = find(t, tid);
		if (!WIFSTOPPED(status)) {
			t->living--;
			continue;
		}
		sig = stopped(task, status);
		/* One that was killed meanwhile is met again as such. */
		ptrace(PTRACE_SINGLESTEP, tid, 0, sig);
	}
}

static int by_tid(const void *a, const void *b)
{
	return ((const struct task *)a)->tid - ((const struct task *)b)->tid;
}

int tree_print(char *const argv[])
{
	struct tree t = { .n = 0 };
	cpu_set_t before;
	pid_t pid = oracle_start(argv, &before);
	unsigned int i;
	int status;
	size_t k;

	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		kit_bail("ptrace cannot run %s", argv[0]);
	stopped(find(&t, pid), status);
	ptrace(PTRACE_SETOPTIONS, pid, 0, OPTIONS);
	ptrace(PTRACE_SINGLESTEP, pid, 0, 0);
	follow(&t);
	qsort(t.task, t.n, sizeof(t.task[0]), by_tid);
	for (i = 0; i < t.n; i++) {
		for (k = 0; k < t.task[i].ips.n; k++)
			printf("%u %lx\n", i + 1, (unsigned long)t.task[i].ips.ip[k]);
		ips_free(&t.task[i].ips);
	}
	return 0;
}
