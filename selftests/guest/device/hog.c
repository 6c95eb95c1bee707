// SPDX-License-Identifier: BSD-2-Clause
/*
 * CPU 1 belongs to a task of SCHED_FIFO that never sleeps, and nothing throttles it: no worker
 * runs there. Who calls the module on CPU 0 needs none.
 *
 * And a task that has CPU 1 no more keeps what it has of the module.
 */
#include "pmu.h"

#include <glob.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define RUNTIME	"/proc/sys/kernel/sched_rt_runtime_us"
#define HOG	50	/* its priority */
#define LIMIT	600	/* tenths of a second: what gets no further for as long hangs */

/* How many rounds were made by the hog, and by the child that returns() waits for */
static struct {
	unsigned int hog;
	unsigned int child;
} *rounds;

/* Short, for a trap follows each instruction of a task that is stepped. */
static void go_round(unsigned int *count)
{
	for (volatile unsigned int i = 0; i < 100; i++)
		;
	__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}

static unsigned int count_of(unsigned int *count)
{
	return __atomic_load_n(count, __ATOMIC_RELAXED);
}

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
	struct sched_param param = { .sched_priority = HOG };
	int fds[2];
	pid_t pid;
	char c;

	if (pipe(fds))
		kit_bail("no pipe");
	pid = fork();
	if (!pid) {
		pin(1);
		dup2(fds[1], STDIN_FILENO);
		close_range(STDERR_FILENO + 1, ~0u, 0);	/* events and gates are the caller's */
		if (sched_setscheduler(0, SCHED_FIFO, &param) || write(STDIN_FILENO, "", 1) != 1)
			_exit(1);
		for (;;)
			go_round(&rounds->hog);
	}
	close(fds[1]);
	if (read(fds[0], &c, 1) != 1)
		kit_bail("no task of SCHED_FIFO");
	close(fds[0]);
	return pid;
}

/* A child whose rounds go on is slow and does not hang. */
static bool ends(pid_t pid, int *status)
{
	unsigned int before, now = count_of(&rounds->child);
	int i;

	for (i = 0; i < LIMIT; i++) {
		if (waitpid(pid, status, WNOHANG) == pid)
			return true;
		usleep(100000);
		before = now;
		now = count_of(&rounds->child);
		if (now != before)
			i = 0;
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

/*
 * Who is traced makes some of the rounds that @count counts: the caller, or the hog.
 * Return: 0: there is a trace of them
 */
static int traced(struct event *e, unsigned int *count)
{
	unsigned int from, head;

	if (enable(e))
		return 1;
	from = count_of(count);
	while (count_of(count) - from < 10)
		if (count == &rounds->child)
			go_round(count);
	ioctl(e->fd, PERF_EVENT_IOC_DISABLE, 0);
	head = aux_head(e);
	unmap(e);
	return head > 16 ? 0 : 2;
}

static int step_oneself(pid_t hog)
{
	struct event e = map(0, 16);

	(void)hog;
	return traced(&e, &rounds->child);
}

static int step_hog(pid_t hog)
{
	struct event e = map(hog, 16);

	return traced(&e, &rounds->hog);
}

static int step_cpu(pid_t hog)
{
	struct event e = map_on(-1, 1, 16);

	(void)hog;
	return traced(&e, &rounds->hog);
}

/*
 * To a thread of the kernel, if there is such a one: of SCHED_FIFO, or with @priority 0 of
 * SCHED_OTHER. Return: the priority before
 */
static int set_priority(const char *name, int priority)
{
	struct sched_param param = { .sched_priority = priority }, before = { .sched_priority = 0 };
	glob_t found = { 0 };
	char comm[32];
	FILE *f;

	glob("/proc/[0-9]*/comm", 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		pid_t pid = atoi(found.gl_pathv[i] + strlen("/proc/"));

		f = fopen(found.gl_pathv[i], "r");
		if (!f)
			continue;
		if (fgets(comm, sizeof(comm), f) && !strcmp(comm, name)) {
			sched_getparam(pid, &before);
			sched_setscheduler(pid, priority ? SCHED_FIFO : SCHED_OTHER, &param);
		}
		fclose(f);
	}
	globfree(&found);
	return before.sched_priority;
}

/*
 * perf itself waits for RCU: in perf_event_open() of the first event of a task, and on PREEMPT_RT
 * where any event is freed. RCU waits for these threads of CPU 1; the hog would leave them no time.
 */
static void let_rcu_run(bool always)
{
	static int softirqs, callbacks;

	if (always) {
		softirqs = set_priority("ksoftirqd/1\n", HOG + 10);
		callbacks = set_priority("rcuc/1\n", HOG + 10);
	} else {
		set_priority("ksoftirqd/1\n", softirqs);
		set_priority("rcuc/1\n", callbacks);
	}
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

/* A task that will wait for the reader of its event */
struct waiter {
	pid_t pid;
	int gate;
	struct event e;
};

static struct waiter start_waiter(int cpu)
{
	struct waiter w;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	w.pid = child(&w.gate);
	sched_setaffinity(w.pid, sizeof(set), &set);
	return w;
}

/* When all are there: who is forked behind this has the event, too */
static void follow(struct waiter *w)
{
	struct perf_event_attr attr = attr_of(USUAL | CYC, 0);

	w->e = map_with(&attr, w->pid, -1, 2);
	enable(&w->e);
}

/* Return: whether it does; else it is at its end soon */
static bool waits(struct waiter *w)
{
	uint64_t before, head = 0;
	int i;

	for (i = 0; i < 20; i++)
		tell(w->gate, 10);
	close(w->gate);
	for (i = 0; i < LIMIT; i++) {
		before = head;
		usleep(100000);
		head = aux_head(&w->e);
		if (head != before)
			i = 0;
		if (waitpid(w->pid, NULL, WNOHANG))
			return false;
		if (head >= w->e.size / 2 && head == before)
			return true;
	}
	return false;
}

/*
 * One has no CPU on which to learn that its event has gone, and waits on. The other waits all the
 * same: the events that there are have what their tasks wait with.
 */
static void wait_twice(void)
{
	struct waiter first = start_waiter(1), second = start_waiter(0);
	int status = 0;
	pid_t hog;

	follow(&first);
	follow(&second);
	kit_ok(waits(&first), "a task waits for its reader");
	hog = start_hog();
	unmap(&first.e);
	kit_ok(waits(&second), "another waits for its own, while the event of that has gone");
	kill(hog, SIGKILL);
	waitpid(hog, NULL, 0);
	unmap(&second.e);
	kit_ok(ends(second.pid, &status) && WIFEXITED(status), "that goes on to its end");
	/* Its gate was the other's, too. */
	kit_ok(ends(first.pid, &status) && WIFEXITED(status), "and so does the one");
}

static void set_parameter(const char *of, const char *value)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/module/%s", of);
	f = fopen(path, "w");
	if (f) {
		fputs(value, f);
		fclose(f);
	}
}

/* Complaints of who keeps a CPU to itself, of RCU and of workqueues, are not what is tested. */
static void set_stall(bool suppress)
{
	set_parameter("rcupdate/parameters/rcu_cpu_stall_suppress", suppress ? "1" : "0");
	set_parameter("workqueue/parameters/watchdog_thresh", suppress ? "0" : "30");
}

int main(void)
{
	long before;
	pid_t hog;

	type = find_type();
	rounds = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (rounds == MAP_FAILED)
		kit_bail("no memory to share");
	signal(SIGPIPE, SIG_IGN);
	open_kernel();
	pin(0);
	set_stall(true);
	let_rcu_run(true);
	before = set_runtime(-1);
	hog = start_hog();
	returns(step_oneself, hog, "an event on oneself");
	returns(step_hog, hog, "an event on who has the other CPU");
	returns(step_cpu, hog, "an event on the other CPU");
	returns(hear, hog, "the kernel's events of the other CPU");
	kill(hog, SIGKILL);
	waitpid(hog, NULL, 0);
	wait_twice();
	set_runtime(before);
	let_rcu_run(false);
	kit_is(kit_disable(session), 0, "the other CPU is everybody's again");
	set_stall(false);
	return kit_done();
}
