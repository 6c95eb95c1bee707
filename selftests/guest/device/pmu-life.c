// SPDX-License-Identifier: BSD-2-Clause
/* Perf events of the PMU softpt_pt that end before their tasks: the area goes, or perf lets go. */
#include "pmu.h"

#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/*
 * A process group: one that waits for its child, which works for ever once it is told to. Nothing
 * else gets the CPU, so that the child's event stays where it is.
 */
static pid_t spinner(int *gate)
{
	const struct sched_param param = { .sched_priority = 1 };
	int fds[2];
	pid_t pid;
	char c;

	if (pipe2(fds, O_CLOEXEC))
		kit_bail("no pipe");
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		pin(0);
		sched_setscheduler(0, SCHED_FIFO, &param);
		if (read(fds[0], &c, 1) == 1 && !fork())
			for (volatile int i = 1; i; )	/* a TNT bit each */
				;
		pin(1);		/* not from one to the other: perf would swap their events */
		for (;;)
			pause();
	}
	setpgid(pid, pid);
	close(fds[0]);
	*gate = fds[1];
	return pid;
}

/*
 * An event's output goes elsewhere while the event that a child of its task inherited writes: the
 * child's has no area when it has to ask for one again, and that which it had may go.
 */
static void elsewhere(void)
{
	struct perf_event_attr attr = attr_of(USUAL, 0);
	int gate, idle_gate, fd, i;
	pid_t idle = child(&idle_gate), pid;
	struct event e;
	uint64_t head;

	attr.inherit = 1;
	attr.aux_watermark = 64;	/* it asks often */
	e = map_with(&attr, idle, 0, 16);
	pin(1);
	pid = spinner(&gate);
	fd = open_on(&attr, pid, 0);
	kit_ok(fd >= 0 && !ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, e.fd),
	       "two events have one area");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	tell(gate, 1);
	while (aux_head(&e) < PAGE / 4 && !waitpid(pid, NULL, WNOHANG))	/* more than its own */
		usleep(1000);
	kit_ok(!ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, -1L), "the output of one goes elsewhere");
	head = aux_head(&e);	/* that of the last part, or of the last but one */
	for (i = 0; i < 2000 && aux_head(&e) == head; i++)
		usleep(10000);
	unmap(&e);
	usleep(500000);
	kit_ok(!waitpid(pid, NULL, WNOHANG), "the area goes, and the child goes on");
	kill(-pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(fd);
	close(gate);
	kit_ok(ends_well(idle, idle_gate), "and so does the other's process");
}

/* As a user: a program that has root's rights, or its own */
static void exec_as(mode_t mode, bool let_go)
{
	static const char copy[] = "/tmp/pmu-copy";
	struct pollfd hup = { .events = 0 };
	struct event e;
	int fds[2];
	pid_t pid;
	char c;

	if (system("cp /proc/$PPID/exe /tmp/pmu-copy") || chmod(copy, mode) || pipe(fds))
		kit_bail("a copy of this program");
	pid = fork();
	if (!pid) {
		if (setgroups(0, NULL) || setgid(65534) || setuid(65534) ||
		    read(fds[0], &c, 1) != 1)
			_exit(1);
		execl(copy, "pmu", "spin", NULL);
		_exit(2);
	}
	e = map(pid, 2);
	enable(&e);
	tell(fds[1], 1);
	hup.fd = e.fd;
	poll(&hup, 1, let_go ? 60000 : 3000);
	kit_ok(!(hup.revents & POLLHUP) == !let_go && !waitpid(pid, NULL, WNOHANG),
	       "exec of a program of mode %04o: the event is %s", mode, let_go ? "gone" : "there");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	unmap(&e);
	close(fds[0]);
	close(fds[1]);
	unlink(copy);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "spin"))	/* exec_as() */
		for (;;)
			;
	type = find_type();
	elsewhere();
	exec_as(0755, false);
	exec_as(04755, true);
	return kit_done();
}
