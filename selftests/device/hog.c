// SPDX-License-Identifier: BSD-2-Clause
/*
 * CPU 1 belongs to a task of SCHED_FIFO that never sleeps, and nothing throttles it: no worker
 * runs there. Who calls the module on CPU 0 needs none.
 */
#include "pmu.h"

#include <signal.h>
#include <string.h>

#define RUNTIME	"/proc/sys/kernel/sched_rt_runtime_us"
#define LIMIT	600	/* tenths of a second: what takes longer hangs */

static long set_runtime(long us)
{
	FILE *f = fopen(RUNTIME, "r+");
	long before;

	if (!f || fscanf(f, "%ld", &before) != 1)
		kit_bail("%s", RUNTIME);
	rewind(f);
	fprintf(f, "%ld", us);
	fclose(f);
	return before;
}

/* It has CPU 1 when it says so. */
static pid_t start_hog(void)
{
	struct sched_param param = { .sched_priority = 50 };
	int fds[2];
	pid_t pid;
	char c;

	if (pipe(fds))
		kit_bail("no pipe");
	pid = fork();
	if (!pid) {
		pin(1);
		if (sched_setscheduler(0, SCHED_FIFO, &param) || write(fds[1], "", 1) != 1)
			_exit(1);
		for (volatile unsigned int i = 0;; i++)
			;
	}
	close(fds[1]);
	if (read(fds[0], &c, 1) != 1)
		kit_bail("no task of SCHED_FIFO");
	close(fds[0]);
	return pid;
}

static bool ends(pid_t pid, int *status)
{
	int i;

	for (i = 0; i < LIMIT; i++) {
		if (waitpid(pid, status, WNOHANG) == pid)
			return true;
		usleep(100000);
	}
	return false;
}

/* Where it hangs, if this kernel tells */
static void say_where(pid_t pid)
{
	char path[64], line[128];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stack", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		kit_note("%.*s", (int)strcspn(line, "\n"), line);
	if (f)
		fclose(f);
}

/* In a child, which does not come back where it hangs */
static void returns(int (*what)(pid_t hog), pid_t hog, const char *name)
{
	int status = -1;
	pid_t pid = fork();
	bool ended;

	if (!pid)
		_exit(what(hog));
	ended = ends(pid, &status);
	kit_ok(ended && WIFEXITED(status) && !WEXITSTATUS(status), "%s (%#x)", name, status);
	if (!ended) {
		say_where(pid);
		kill(pid, SIGKILL);
		kit_note("%s", ends(pid, &status) ? "it hung, but could be killed" :
						    "it hung, and could not be killed");
	}
}

/* Return: 0: there is a trace of the event */
static int traced(struct event *e)
{
	int i;

	if (enable(e))
		return 1;
	for (i = 0; i < LIMIT && aux_head(e) <= 16; i++)
		for (volatile unsigned int k = 0; k < 10000000; k++)
			;
	ioctl(e->fd, PERF_EVENT_IOC_DISABLE, 0);
	i = aux_head(e) > 16 ? 0 : 2;
	unmap(e);
	return i;
}

static int step_oneself(pid_t hog)
{
	struct event e = map(0, 16);

	(void)hog;
	return traced(&e);
}

static int step_hog(pid_t hog)
{
	struct event e = map(hog, 16);

	return traced(&e);
}

static int step_cpu(pid_t hog)
{
	struct event e = map_on(-1, 1, 16);

	(void)hog;
	return traced(&e);
}

/* DISABLE waits for the kernel's RCU, which has its own needs of each CPU: it comes later. */
static int session = -1, unit = -1;

static void open_kernel(void)
{
	struct softpt_config config = kit_config();

	session = kit_session(kit_open());
	if (kit_configure(session, &config) || kit_source(session, SOFTPT_SOURCE_KERNEL, NULL))
		kit_bail("a session of the kernel's events");
	unit = kit_unit(session, 1);
}

static int hear(pid_t hog)
{
	(void)hog;
	if (kit_enable(session))
		return 1;
	for (int i = 0; i < LIMIT && kit_status(unit).head <= 64; i++)
		usleep(100000);
	return kit_status(unit).head <= 64;
}

/* RCU's complaint of who keeps a CPU to itself is not what is tested. */
static void set_stall(char suppress)
{
	FILE *f = fopen("/sys/module/rcupdate/parameters/rcu_cpu_stall_suppress", "w");

	if (f) {
		fputc(suppress, f);
		fclose(f);
	}
}

int main(void)
{
	long before;
	pid_t hog;

	type = find_type();
	open_kernel();
	pin(0);
	set_stall('1');
	before = set_runtime(-1);
	hog = start_hog();
	returns(step_oneself, hog, "an event on oneself");
	returns(step_hog, hog, "an event on who has the other CPU");
	returns(step_cpu, hog, "an event on the other CPU");
	returns(hear, hog, "the kernel's events of the other CPU");
	kill(hog, SIGKILL);
	waitpid(hog, NULL, 0);
	set_runtime(before);
	kit_is(kit_disable(session), 0, "the other CPU is everybody's again");
	set_stall('0');
	return kit_done();
}
