// SPDX-License-Identifier: BSD-2-Clause
/*
 * Lossless units: a stepped program waits while its ring is full, as long as there is anybody
 * who could make room, and it is not killed.
 */
#include "live.h"

/* Until a unit's program writes no more: it waits */
static struct softpt_status until_still(int unit)
{
	struct softpt_status before, now = kit_status(unit);
	int i;

	for (i = 0; i < 600; i++) {
		before = now;
		usleep(100000);
		now = kit_status(unit);
		if (now.head > 500 && now.head == before.head &&
		    now.counts.events == before.counts.events)
			break;
	}
	return now;
}

/* TNT bits of a loop that takes a branch each time round */
static size_t taken(size_t length)
{
	struct softpt_stream stream;
	struct softpt_packet packet;
	size_t n = 0;

	softpt_stream_init(&stream, bytes, length);
	if (softpt_sync_forward(&stream, 0, NULL))
		return 0;
	while (softpt_stream_next(&stream, &packet) > 0)
		if (packet.type == SOFTPT_PKT_TNT8 || packet.type == SOFTPT_PKT_TNT64)
			n += packet.count;
	return n;
}

/* As the smallest ring fills the program waits; who reads slowly gets all. */
static void nothing_lost(int flags)
{
	struct softpt_status status;
	size_t length = 0, n;
	int i, wstatus = 0;
	pid_t pid;

	begin_with(4096, SOFTPT_RING_STREAM, 0, SOFTPT_F_LOSSLESS | flags);
	pid = spin(0, "3000");
	status = until_still(units[0]);
	kit_ok(status.head > 1000 && !status.counts.events_lost && !waitpid(pid, NULL, WNOHANG),
	       "a full ring: the program waits (%llu bytes)", (unsigned long long)status.head);
	kit_ok(poll_now(units[0]) & POLLIN, "poll: it is to be read");
	for (i = 0; i < 60000 && waitpid(pid, &wstatus, WNOHANG) != pid; i++) {
		n = drain(units[0], length);
		if (n == length)
			usleep(1000);
		length = n;
	}
	kit_ok(WIFEXITED(wstatus) && WEXITSTATUS(wstatus) == 42,
	       "it is read: the program goes on to its end");
	kit_ok(wait_for(units[0], SOFTPT_ST_DONE, 0, 0), "and the source has ended");
	length = drain(units[0], length);
	status = kit_status(units[0]);
	kit_ok(!status.counts.events_lost && !status.counts.overflows &&
	       !(status.flags & SOFTPT_ST_LOST), "nothing is lost (%llu events, %llu overflows)",
	       (unsigned long long)status.counts.events_lost,
	       (unsigned long long)status.counts.overflows);
	kit_ok(length == status.head && look(length).whole && taken(length) > 2 * 3000,
	       "its %zu bytes have %zu branches", length, taken(length));
	end();
}

/* It waits for nobody: who could read is gone, or it is killed. */
static void waits_in_vain(void)
{
	int i, status = 0;
	pid_t pid;

	begin_with(4096, SOFTPT_RING_STREAM, 0, SOFTPT_F_LOSSLESS);
	pid = spin(0, "3000");
	until_still(units[0]);
	end();
	kit_ok(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 42,
	       "a program that waits, and all close: it goes on to its end");

	begin_with(4096, SOFTPT_RING_STREAM, 0, SOFTPT_F_LOSSLESS);
	pid = spin(0, "3000");
	until_still(units[0]);
	kit_is(kit_disable(session), 0, "a program that waits, and SOFTPT_DISABLE");
	kit_ok(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 42,
	       "it goes on to its end");
	end();

	begin_with(4096, SOFTPT_RING_STREAM, 0, SOFTPT_F_LOSSLESS);
	pid = spin(0, "0");
	until_still(units[0]);
	kill(pid, SIGKILL);
	for (i = 0; i < 6000 && waitpid(pid, &status, WNOHANG) != pid; i++)
		usleep(10000);
	kit_ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "a program that waits can be killed");
	end();

	begin_with(16384, SOFTPT_RING_SNAPSHOT, 0, SOFTPT_F_LOSSLESS);
	pid = spin(0, "3000");
	kit_ok(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 42,
	       "a snapshot has no end: nobody waits");
	end();
}

/* Many on one CPU: each has something to write still when the ring is full. */
static void crowd(void)
{
	static const int n = 12;
	struct softpt_source source = {
		.size = sizeof(source), .kind = SOFTPT_SOURCE_STEP, .flags = SOFTPT_STEP_INHERIT,
	};
	struct softpt_config config = kit_config();
	struct softpt_counts counts;
	size_t length = 0, m;
	int status = 0;
	pid_t pid;

	config.flags &= ~SOFTPT_F_OS;
	config.flags |= SOFTPT_F_LOSSLESS;
	config.ring = 8192;
	dev = kit_open();
	session = kit_session(dev);
	if (kit_configure(session, &config) || kit_ioctl(session, SOFTPT_SET_SOURCE, &source))
		kit_bail("configure a stepped session");
	for (m = 0; m < CPUS; m++) {
		units[m] = kit_unit(session, m);
		fcntl(units[m], F_SETFL, O_NONBLOCK);
	}
	kit_enable(session);
	pid = fork();
	if (!pid) {
		char count[16];

		pin(0);
		snprintf(count, sizeof(count), "%d", n);
		if (kit_ioctl(session, SOFTPT_ARM_EXEC, NULL))
			_exit(100);
		execl("/proc/self/exe", "live", "crowd", count, NULL);
		_exit(101);
	}
	while (waitpid(pid, &status, WNOHANG) != pid) {
		m = drain(units[0], 0);
		length += m;
		if (!m)
			usleep(20000);
	}
	length += drain(units[0], 0);
	counts = kit_status(units[0]).counts;
	kit_ok(WIFEXITED(status) && WEXITSTATUS(status) == 43 && !counts.events_lost &&
	       length > 8 * 8192,
	       "%d processes on one CPU, %zu bytes: nothing is lost (%llu events)", n, length,
	       (unsigned long long)counts.events_lost);
	end();
}

/* Children that take turns with each other, each stepped */
static int crowder(int n)
{
	int i, status, good = 0;

	for (i = 0; i < n; i++)
		if (!fork())
			_exit(spinner(300));
	for (i = 0; i < n; i++)
		good += wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 42;
	return good == n ? 43 : 1;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "spin"))
		return spinner(strtoul(argv[2], NULL, 0));
	if (argc == 3 && !strcmp(argv[1], "crowd"))
		return crowder(atoi(argv[2]));
	if (!can_step()) {
		kit_ok(true, "lossless units # SKIP this kernel cannot step");
		return kit_done();
	}
	nothing_lost(0);
	nothing_lost(SOFTPT_F_CYC);
	waits_in_vain();
	crowd();
	return kit_done();
}
