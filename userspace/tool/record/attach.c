// SPDX-License-Identifier: BSD-2-Clause
/* softpt record -p, -t: a process that runs already */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <softpt/device.h>
#include "sideband/system.h"
#include "record.h"
#include "../cli/tool.h"

static FILE *open_status(pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	return fopen(path, "re");
}

/* The process that a thread belongs to; 0: there is no such thread */
static pid_t process_of(pid_t tid)
{
	FILE *f = open_status(tid);
	char line[256];
	int pid = 0;

	while (f && !pid && fgets(line, sizeof(line), f))
		sscanf(line, "Tgid: %d", &pid);
	if (f)
		fclose(f);
	return pid;
}

/* An event for each thread on each CPU is many descriptors. */
static void allow_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int attached_find(struct attached *a)
{
	char name[32];

	snprintf(name, sizeof(name), "%d", (int)a->tid);
	a->pid = process_of(a->tid);
	if (!a->pid)
		return refuse(name, "no such process");
	if (a->threads && a->pid != a->tid)
		return refuse(name, "a thread of process %d (-t %s, or -p %d)", (int)a->pid, name,
			      (int)a->pid);
	allow_descriptors();
	a->gone = syscall(SYS_pidfd_open, a->pid, 0);
	return 0;
}

int attached_go(const struct attached *a, int session)
{
	int err = softpt_session_attach(session, a->tid, a->threads ? SOFTPT_ATTACH_PROCESS : 0);
	char name[32];

	snprintf(name, sizeof(name), "%d", (int)a->tid);
	switch (err) {
	case 0:
		return 0;
	case -ESRCH:
		return refuse(name, "no such process, or it is about to exit");
	case -EPERM:
		return refuse(name, "not permitted: that takes CAP_SYS_PTRACE (run as root)");
	case -EBUSY:
		return refuse(name, "another session steps it already");
	case -EINVAL:
		return refuse(name, "a kernel thread: it has no user mode to be stepped in");
	case -ENOTTY:
		return refuse(SOFTPT_DEVICE, "the module is older than this command");
	}
	return refuse(name, "%s", softpt_strerror(err));
}

/* ---- what there is already ---- */

struct watching {
	struct sideband *sideband;
	pid_t pid;
	bool news;
};

static int watch_thread(pid_t tid, void *arg)
{
	struct watching *watching = arg;
	int ret = tid == watching->pid ? 0 : sideband_join(watching->sideband, tid);

	watching->news |= ret > 0;
	return ret < 0 ? ret : 0;
}

/* A thread that is made meanwhile is watched if its maker was: look until all are. */
static int watch_threads(const struct attached *a, struct sideband *s)
{
	struct watching watching = { .sideband = s, .pid = a->pid };
	int err;

	do {
		watching.news = false;
		err = process_threads(a->pid, watch_thread, &watching);
	} while (!err && watching.news);
	return err;
}

/*
 * Who is on a CPU is known from the first switch on. Wherever the recorder itself has been,
 * nobody else is on without one.
 */
static void visit(const struct units *u)
{
	cpu_set_t before, cpu;
	unsigned int i;

	if (sched_getaffinity(0, sizeof(before), &before))
		return;
	for (i = 0; i < u->nr; i++) {
		CPU_ZERO(&cpu);
		CPU_SET(u->cpus[i], &cpu);
		sched_setaffinity(0, sizeof(cpu), &cpu);
	}
	sched_setaffinity(0, sizeof(before), &before);
}

int attached_watch(const struct attached *a, struct sideband *s, const struct units *u)
{
	int err = a->threads ? watch_threads(a, s) : 0;

	if (!err && u)
		visit(u);
	return err;
}
