// SPDX-License-Identifier: BSD-2-Clause
/*
 * A child that sleeps in poll(), and how often it was woken. Not a thread: those of 32 bits need
 * a futex that not every kernel has.
 */
#include "kit.h"

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct report {
	long slept;
	short got;
};

static long sleeps(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw;
}

static struct report sleeper(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };
	long before = sleeps();

	poll(&p, 1, 60000);
	return (struct report){ .slept = sleeps() - before, .got = p.revents };
}

void kit_sleep(struct kit_sleeper *s, int fd, short events)
{
	struct report report;
	int ends[2];

	if (pipe(ends))
		kit_bail("a pipe of one who sleeps");
	s->pid = fork();
	if (s->pid < 0)
		kit_bail("a child that sleeps");
	if (!s->pid) {
		report = sleeper(fd, events);
		_exit(write(ends[1], &report, sizeof(report)) != sizeof(report));
	}
	close(ends[1]);
	s->from = ends[0];
}

void kit_woken(struct kit_sleeper *s)
{
	struct report report = { .slept = -1 };

	if (read(s->from, &report, sizeof(report)) != sizeof(report))
		kit_note("one who slept has not told of it");
	close(s->from);
	waitpid(s->pid, NULL, 0);
	s->slept = report.slept;
	s->got = report.got;
}
