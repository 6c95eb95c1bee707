// SPDX-License-Identifier: BSD-2-Clause
/* Slow, absent and killed readers and writers: replay loses nothing, and all can be killed. */
#include "selftests/kit/kit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define EVENTS	20000

static int dev, session, unit;
static struct softpt_event *ev;
static uint8_t *want;
static struct softpt_counts counts;

static void begin_with(unsigned int events)
{
	struct softpt_config config = kit_config();

	config.ring = 4096;
	dev = kit_open();
	session = kit_session(dev);
	unit = kit_begin(session, &config);
	ev = kit_events(29, events);
	want = kit_expect(&config, ev, events, &counts);
}

static void begin(void)
{
	begin_with(EVENTS);
}

static void end(void)
{
	close(unit);
	close(session);
	close(dev);
	free(ev);
	free(want);
}

/* Writes all from a process of its own, and finishes. */
static pid_t write_all(void)
{
	pid_t pid = fork();

	if (!pid) {
		if (kit_write(unit, ev, EVENTS * sizeof(*ev)) != (ssize_t)(EVENTS * sizeof(*ev)))
			_exit(1);
		_exit(kit_ioctl(unit, SOFTPT_FINISH, NULL) ? 2 : 0);
	}
	return pid;
}

/* Killed tasks are gone within ten seconds, whatever they waited for. */
static bool dies(pid_t pid)
{
	struct timespec tick = { 0, 10000000 };
	int i, status;

	kill(pid, SIGKILL);
	for (i = 0; i < 6000; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
		nanosleep(&tick, NULL);
	}
	return false;
}

/* Waits until the writer found the ring full: nothing more is written for a while. */
static void until_full(void)
{
	struct softpt_status status;

	do {
		status = kit_status(unit);
		usleep(20000);
	} while (!status.head || kit_status(unit).head != status.head);
}

/* Odd pieces with naps between them */
static size_t read_slowly(size_t at)
{
	uint64_t random = 31;
	uint8_t bytes[700];
	ssize_t n;

	while ((n = kit_read(unit, bytes, 1 + kit_random(&random) % sizeof(bytes))) > 0) {
		if (at + n > counts.bytes || memcmp(bytes, want + at, n))
			return 0;
		at += n;
		if (kit_random(&random) % 8 == 0)
			usleep(2000);
	}
	return n ? 0 : at;
}

static void slow_reader(void)
{
	size_t length;
	pid_t pid;
	int status;

	begin();
	pid = write_all();
	until_full();
	length = read_slowly(0);
	kit_ok(length == counts.bytes, "a slow reader gets all %llu bytes",
	       (unsigned long long)counts.bytes);
	kit_ok(waitpid(pid, &status, 0) == pid && !status, "its writer has written all");
	kit_ok(!kit_status(unit).counts.mtc == !counts.mtc &&
	       kit_status(unit).counts.events_lost == counts.events_lost, "nothing was lost");
	end();
}

static void killed_writer(void)
{
	struct softpt_status status;
	static uint8_t got[8192];
	ssize_t n;
	pid_t pid;

	begin();
	pid = write_all();
	until_full();
	kit_ok(dies(pid), "a writer that waits for room can be killed");
	status = kit_status(unit);
	kit_ok(status.counts.events > 1 && status.counts.events < EVENTS,
	       "it was in the middle: %llu of %d events", (unsigned long long)status.counts.events,
	       EVENTS);
	n = kit_read(unit, got, sizeof(got));
	kit_ok(n == (ssize_t)status.head && !memcmp(got, want, n),
	       "what it wrote until then is right");
	kit_is(kit_ioctl(unit, SOFTPT_FINISH, NULL), 0, "the unit can be finished by another");
	end();
}

static void killed_reader(void)
{
	pid_t reader, writer;
	uint8_t byte;

	begin();
	reader = fork();
	if (!reader)
		_exit(kit_read(unit, &byte, 1) != 1);
	usleep(50000);
	kit_ok(dies(reader), "a reader that waits for bytes can be killed");
	writer = write_all();
	until_full();
	reader = fork();
	if (!reader)
		for (;;)
			pause();
	kit_ok(dies(reader), "a reader with the fd open can be killed");
	kit_ok(read_slowly(0) == counts.bytes, "another reader gets all bytes");
	waitpid(writer, NULL, 0);
	end();
}

/* Everybody who has an fd dies at once. */
static void killed_all(void)
{
	pid_t pid = fork();

	if (!pid) {
		begin();
		fork();
		kit_write(unit, ev, EVENTS * sizeof(*ev));
		for (;;)
			pause();
	}
	usleep(300000);
	kit_ok(dies(pid), "a process with every kind of fd can be killed");
}

#define ROUNDS	2000
#define FEW	4

static void *write_few(void *wait)
{
	volatile unsigned int i;

	for (i = 0; i < *(unsigned int *)wait; i++)
		;
	kit_write(unit, ev, FEW * sizeof(*ev));
	kit_ioctl(unit, SOFTPT_FINISH, NULL);
	return NULL;
}

/* A reader is woken at the end alone: all bytes come with it. */
static void wait_for_end(void)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	struct softpt_reader *reader = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED,
					    unit, 0);

	if (reader == MAP_FAILED)
		kit_bail("the reader's page cannot be mapped");
	reader->watermark = 4096;
	munmap(reader, page);
}

/* Bytes up to where poll() or read() says that there are no more */
static size_t until_end(bool polls)
{
	struct pollfd p = { .fd = unit, .events = POLLIN };
	uint8_t bytes[4096];
	size_t sum = 0;
	ssize_t n;

	fcntl(unit, F_SETFL, polls ? O_NONBLOCK : 0);
	for (;;) {
		if (polls && !poll(&p, 1, 0))
			continue;
		if (polls && !(p.revents & POLLIN))
			return sum;
		n = kit_read(unit, bytes, sizeof(bytes));
		if (!n)
			return sum;
		sum += n > 0 ? n : 0;
	}
}

/*
 * A unit ends while it is looked at: what it has written is read all the same. The moment that
 * matters is a few instructions long: most runs would pass without what they test.
 */
static void ended_meanwhile(bool polls)
{
	unsigned int i, wait, lost = 0;
	pthread_t writer;

	for (i = 0; i < ROUNDS; i++) {
		begin_with(FEW);
		wait_for_end();
		wait = i * 37 % 5000;
		if (pthread_create(&writer, NULL, write_few, &wait))
			kit_bail("no thread");
		lost += until_end(polls) != kit_status(unit).head;
		pthread_join(writer, NULL);
		end();
	}
	kit_is(lost, 0, "the end is told behind the last byte: %s", polls ? "poll" : "read");
}

int main(void)
{
	ended_meanwhile(true);
	ended_meanwhile(false);
	slow_reader();
	killed_writer();
	killed_reader();
	setpgid(0, 0);
	killed_all();
	signal(SIGTERM, SIG_IGN);
	kill(0, SIGTERM);	/* what killed_all() forked */
	return kit_done();
}
