// SPDX-License-Identifier: BSD-2-Clause
/*
 * Perf events of the PMU softpt_pt whose tasks wait for the reader of a full AUX area, as long as
 * the event is there.
 */
#include "pmu.h"

#include <signal.h>
#include <stdlib.h>

#include "userspace/include/softpt/softpt.h"

#define LOOPS	20		/* of 1000 branches */

static uint8_t bytes[1 << 26];

/* Takes what is there, from @at on in @bytes. Flags of what told of it are added. */
static size_t take(struct event *e, size_t at, uint64_t *flags)
{
	uint64_t tail = e->page->aux_tail, head = aux_head(e);

	*flags |= aux_flags(e);
	for (; tail < head && at < sizeof(bytes); tail++)
		bytes[at++] = e->aux[tail % e->size];
	__atomic_store_n(&e->page->aux_tail, head, __ATOMIC_RELEASE);
	return at;
}

struct seen {
	size_t bits;
	size_t ovf;
	bool whole;
};

static struct seen look(size_t length)
{
	struct softpt_stream stream;
	struct softpt_packet packet;
	struct seen seen = { 0 };

	softpt_stream_init(&stream, bytes, length);
	while (softpt_stream_next(&stream, &packet) > 0) {
		if (packet.type == SOFTPT_PKT_TNT8 || packet.type == SOFTPT_PKT_TNT64)
			seen.bits += packet.count;
		seen.ovf += packet.type == SOFTPT_PKT_OVF;
	}
	seen.whole = stream.pos == stream.end;
	return seen;
}

/* Until nothing more is written */
static uint64_t until_still(const struct event *e)
{
	uint64_t before, head = 0;
	int i;

	for (i = 0; i < 600; i++) {
		before = head;
		usleep(100000);
		head = aux_head(e);
		if (head >= e->size / 2 && head == before)
			break;
	}
	return head;
}

static void all_of_it(unsigned int pages, uint64_t config)
{
	struct perf_event_attr attr = attr_of(USUAL | config, 0);
	int gate, i, status = 0;
	pid_t pid = child(&gate);
	size_t length = 0, before;
	uint64_t flags = 0, head;
	struct event e;
	struct seen seen;

	e = map_with(&attr, pid, -1, pages);
	enable(&e);
	for (i = 0; i < LOOPS; i++)
		tell(gate, 10);
	close(gate);
	head = until_still(&e);
	kit_ok(head >= e.size / 2 && !waitpid(pid, NULL, WNOHANG),
	       "%u pages are full: the process waits (%llu bytes)", pages,
	       (unsigned long long)head);
	for (i = 0; i < 60000 && waitpid(pid, &status, WNOHANG) != pid; i++) {
		before = length;
		length = take(&e, length, &flags);
		if (length == before)
			usleep(1000);
	}
	length = take(&e, length, &flags);
	kit_ok(WIFEXITED(status) && WEXITSTATUS(status) == 7,
	       "it is read: the process goes on to its end");
	kit_ok(!(flags & (PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL)),
	       "perf is told of no loss and of no gap");
	seen = look(length);
	kit_ok(seen.whole && !seen.ovf && seen.bits >= LOOPS * 1000,
	       "nothing is lost: its %zu bytes have %zu branches", length, seen.bits);
	unmap(&e);
}

/* A process that waits, and would end if it didn't */
static pid_t waiting(struct event *e, const char *until)
{
	struct perf_event_attr attr = attr_of(USUAL | CYC, 0);
	int gate, i;
	pid_t pid = child(&gate);

	*e = map_with(&attr, pid, -1, 2);
	enable(e);
	for (i = 0; i < LOOPS; i++)
		tell(gate, 10);
	close(gate);
	until_still(e);
	kit_ok(!waitpid(pid, NULL, WNOHANG), "a process waits until %s", until);
	return pid;
}

static void ends(pid_t pid)
{
	int status = 0;

	waitpid(pid, &status, 0);
	kit_ok(WIFEXITED(status) && WEXITSTATUS(status) == 7, "it goes on to its end");
}

static void in_vain(void)
{
	struct event e;
	pid_t pid;
	int status;

	pid = waiting(&e, "the event is disabled");
	ioctl(e.fd, PERF_EVENT_IOC_DISABLE, 0);
	ends(pid);
	unmap(&e);

	pid = waiting(&e, "the event is closed");
	unmap(&e);
	ends(pid);

	pid = waiting(&e, "its area is unmapped");
	munmap(e.aux, e.size);
	ends(pid);
	munmap(e.page, PAGE + DATA);
	close(e.fd);

	pid = waiting(&e, "it is killed");
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	kit_ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "it is");
	unmap(&e);
}

int main(void)
{
	type = find_type();
	signal(SIGPIPE, SIG_IGN);
	all_of_it(2, CYC);
	all_of_it(8, CYC | MTC | 6ull << 14);
	in_vain();
	return kit_done();
}
