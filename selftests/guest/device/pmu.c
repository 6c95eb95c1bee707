// SPDX-License-Identifier: BSD-2-Clause
/*
 * Perf events of the PMU softpt_pt, without perf: what is refused, and what an AUX area
 * holds when it is full, read late, or shared with a session.
 */
#include "pmu.h"

#include <grp.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

#include "userspace/include/softpt/softpt.h"

static long open_event(struct perf_event_attr *attr, pid_t pid)
{
	return open_on(attr, pid, -1);
}

static void refused(long want, uint64_t config, uint64_t config1, const char *name)
{
	struct perf_event_attr attr = attr_of(config, config1);
	long fd = open_event(&attr, 0);

	kit_is(fd < 0 ? fd : 0, want, "%s", name);
	if (fd >= 0)
		close(fd);
}

static void attributes(void)
{
	struct perf_event_attr attr = attr_of(USUAL, 0);

	refused(0, USUAL, 0, "an event is opened");
	refused(0, USUAL | MTC | CYC | 3ull << 14, SUPPRESS(2) | PREROLL(4), "with suppression");
	refused(-EINVAL, USUAL | 1ull << 2, 0, "an unknown bit of config");
	refused(-EINVAL, USUAL, 1ull << 63, "an unknown bit of config1");
	refused(0, USUAL | EVENT, 0, "event");
	refused(-EINVAL, USUAL | 1ull << 4, 0, "pwr_evt");
	refused(-EINVAL, USUAL | 1ull << 5, 0, "fup_on_ptw without ptw");
	refused(-EINVAL, USUAL | CYC | CYC_THRESH(13), 0, "cyc_thresh above the table's range");
	refused(-EINVAL, USUAL | MTC, SUPPRESS(2) | PREROLL(5), "preroll above the table's range");
	refused(-EINVAL, USUAL, SUPPRESS(2), "suppress without mtc");
	refused(0, USUAL, NOSUPPRESS, "no suppression, without mtc");
	refused(-EINVAL, USUAL | MTC, SUPPRESS(2) | NOSUPPRESS, "suppress and nosuppress");
	refused(-EINVAL, USUAL | MTC, RESUME(255), "what perf's decoder misreads, by default");
	refused(-EINVAL, USUAL | MTC, SUPPRESS(2) | RESUME(255),
		"what perf's decoder misreads");
	attr.config2 = 1;
	kit_is(open_event(&attr, 0), -EINVAL, "an unknown bit of config2");
	attr = attr_of(USUAL, 0);
	attr.exclude_kernel = 0;
	kit_is(open_event(&attr, 0), -EACCES, "kernel mode");
	attr.exclude_kernel = 1;
	attr.exclude_user = 1;
	kit_is(open_event(&attr, 0), -EOPNOTSUPP, "nothing but neither");
}

/* What lies between tail and head, which the area holds in one piece */
static size_t count(const struct event *e, int what, bool *whole)
{
	struct softpt_stream stream;
	struct softpt_packet packet;
	size_t n = 0;

	softpt_stream_init(&stream, e->aux, aux_head(e));
	while (softpt_stream_next(&stream, &packet) > 0)
		n += packet.type == what;
	*whole = stream.pos == stream.end;
	return n;
}

static void stream(void)
{
	struct event e;
	bool whole;
	size_t n;
	int gate;
	pid_t pid = child(&gate);

	e = map(pid, 64);
	kit_is(enable(&e), 0, "another process is traced");
	tell(gate, 50);
	kit_ok(ends_well(pid, gate), "and goes on to its end");
	kit_ok(aux_head(&e) > 16 && e.aux[0] == 2 && e.aux[1] == 0x82, "the area begins with PSB");
	n = count(&e, SOFTPT_PKT_TNT8, &whole);
	kit_ok(whole && n > 5000 / 6, "its %lu bytes are whole packets, %zu TNT",
	       (unsigned long)aux_head(&e), n);
	kit_ok(!(aux_flags(&e) & ~(uint64_t)PERF_AUX_FLAG_PMU_FORMAT_TYPE_MASK),
	       "without loss or gap");
	unmap(&e);
}

/* Until the area is full: perf has disabled the event then */
static bool fill(const struct event *e, int gate)
{
	int i;

	for (i = 0; i < 8; i++)
		tell(gate, 255);
	for (i = 0; i < 3000 && !(aux_flags(e) & PERF_AUX_FLAG_TRUNCATED); i++)
		usleep(20000);
	return aux_flags(e) & PERF_AUX_FLAG_TRUNCATED;
}

static void full(void)
{
	struct perf_event_attr attr = attr_of(USUAL, LOSSY);
	struct event e;
	uint64_t head;
	bool whole;
	int gate, i;
	pid_t pid = child(&gate);

	e = map_with(&attr, pid, -1, 2);
	enable(&e);
	kit_ok(fill(&e, gate), "a full area: PERF_AUX_FLAG_TRUNCATED");
	head = aux_head(&e);
	kit_ok(head < e.size && count(&e, SOFTPT_PKT_TNT8, &whole) && whole,
	       "its %lu bytes are whole packets", (unsigned long)head);
	tell(gate, 50);
	__atomic_store_n(&e.page->aux_tail, head, __ATOMIC_RELEASE);
	kit_is(enable(&e), 0, "it is read, and the event enabled again");
	/* perf's disabling, an interrupt on the other CPU, may come after that. */
	for (i = 0; i < 3000 && aux_head(&e) == head; i++) {
		enable(&e);
		tell(gate, 1);
		usleep(20000);
		ioctl(e.fd, PERF_EVENT_IOC_DISABLE, 0);
	}
	kit_ok(ends_well(pid, gate), "the process goes on to its end");
	kit_ok(aux_head(&e) > head && e.aux[head % e.size] == 2 && e.aux[head % e.size + 1] == 0xf3,
	       "the trace goes on with OVF");
	unmap(&e);
}

/* Untraced at once, in the midst of user mode */
static void own(void)
{
	struct event e = map(0, 16);
	volatile unsigned int i, k;
	int status = -1;
	pid_t pid;

	for (k = 0; k < 50; k++) {
		enable(&e);
		for (i = 0; i < 100; i++)
			;
		ioctl(e.fd, PERF_EVENT_IOC_DISABLE, 0);
	}
	kit_ok(aux_head(&e) > 16, "a process traces itself, on and off");
	enable(&e);
	pid = fork();
	if (!pid)
		_exit(9);
	waitpid(pid, &status, 0);
	kit_ok(WIFEXITED(status) && WEXITSTATUS(status) == 9,
	       "a child that has no event of its own is not stepped");
	kit_is(syscall(SYS_delete_module, "softpt", O_NONBLOCK) ? -errno : 0, -EAGAIN,
	       "an event holds the module");
	unmap(&e);
}

/* Two tasks with one and the same inherited events: perf swaps them in a switch. */
static int ping_pong(void)
{
	int there[2], back[2], i, status = -1;
	pid_t pid;
	char c = 0;

	if (pipe(there) || pipe(back))
		return 1;
	pid = fork();
	for (i = 0; i < 20 && !pid; i++)
		if (read(there[0], &c, 1) != 1 || write(back[1], &c, 1) != 1)
			_exit(2);
	if (!pid)
		_exit(9);
	for (i = 0; i < 20; i++)
		if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
			return 3;
	waitpid(pid, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 9 ? 8 : 4;
}

static void inherited(void)
{
	struct event e[2];
	bool whole[2];
	int fds[2], i, status = -1;
	pid_t pid;
	char c;

	if (pipe(fds))
		kit_bail("no pipe");
	pid = fork();
	if (!pid) {
		pin(0);
		close(fds[1]);
		_exit(read(fds[0], &c, 1) ? 5 : ping_pong());
	}
	for (i = 0; i < 2; i++) {
		e[i] = map_on(pid, i, 64);
		enable(&e[i]);
	}
	close(fds[1]);
	close(fds[0]);
	waitpid(pid, &status, 0);
	kit_ok(WIFEXITED(status) && WEXITSTATUS(status) == 8, "a process and its child take turns");
	kit_ok(count(&e[0], SOFTPT_PKT_TIP_PGE, &whole[0]) > 40 && whole[0],
	       "the trace has the turns of both");
	for (i = 0; i < 2; i++)
		unmap(&e[i]);
}

/* Whoever runs on a CPU, while its tasks come and go */
static void whole_cpu(void)
{
	struct event e = map_on(-1, 0, 64);
	int i, status, good = 0;
	bool whole;

	enable(&e);
	for (i = 0; i < 5; i++) {
		pid_t pid = fork();

		if (!pid) {
			pin(i & 1);
			pin(0);
			_exit(6);
		}
		waitpid(pid, &status, 0);
		good += WIFEXITED(status) && WEXITSTATUS(status) == 6;
	}
	ioctl(e.fd, PERF_EVENT_IOC_DISABLE, 0);
	kit_ok(good == 5, "processes that come to a watched CPU and leave it end well");
	kit_ok(count(&e, SOFTPT_PKT_TIP_PGE, &whole) > 5 && whole, "the trace has them");
	unmap(&e);
}

static void beside_session(void)
{
	struct softpt_config config = kit_config();
	struct softpt_attach attach = { .size = sizeof(attach) };
	int dev = kit_open(), session = kit_session(dev), unit[2], gate, i;
	pid_t pid = child(&gate);
	struct event e = map(pid, 16);

	config.flags &= ~SOFTPT_F_OS;
	if (kit_configure(session, &config) || kit_source(session, SOFTPT_SOURCE_STEP, NULL))
		kit_bail("configure a stepped session");
	for (i = 0; i < 2; i++)
		unit[i] = kit_unit(session, i);
	kit_enable(session);
	attach.pid = pid;
	kit_is(kit_ioctl(session, SOFTPT_ATTACH, &attach), 0, "a session steps a process");
	tell(gate, 1);
	usleep(50000);
	kit_is(enable(&e), 0, "an event is on it, too");
	tell(gate, 50);
	usleep(50000);
	kit_ok(ends_well(pid, gate), "it goes on to its end");
	kit_ok(aux_flags(&e) & PERF_AUX_FLAG_PARTIAL, "the event says that it has gaps");
	kit_ok(kit_status(unit[0]).head + kit_status(unit[1]).head > 1000,
	       "the session has the trace");
	unmap(&e);
	for (i = 0; i < 2; i++)
		close(unit[i]);
	close(session);
	close(dev);
}

/* Between arming and exec nobody is there for the traps of the event that was. */
static void armed_under_event(void)
{
	struct softpt_config config = kit_config();
	int dev = kit_open(), session = kit_session(dev), unit, go[2], status;
	char c;
	struct event e;
	pid_t pid;

	config.flags &= ~SOFTPT_F_OS;
	if (kit_configure(session, &config) || kit_source(session, SOFTPT_SOURCE_STEP, NULL))
		kit_bail("configure a stepped session");
	unit = kit_unit(session, 0);
	kit_enable(session);
	if (pipe2(go, O_CLOEXEC))
		kit_bail("no pipe");
	pid = fork();
	if (!pid) {
		pin(0);
		if (read(go[0], &c, 1) != 1 || kit_ioctl(session, SOFTPT_ARM_EXEC, NULL))
			_exit(1);
		for (volatile int i = 0; i < 1000; i++)
			;
		execl("/proc/self/exe", "pmu", "nothing", NULL);
		_exit(2);
	}
	e = map(pid, 16);
	kit_is(enable(&e), 0, "an event is on a process");
	tell(go[1], 1);
	waitpid(pid, &status, 0);
	kit_ok(WIFEXITED(status) && WEXITSTATUS(status) == 7,
	       "it arms itself, and goes on to its exec (%#x)", status);
	kit_ok(kit_status(unit).head > 1000, "from where the session has the trace");
	unmap(&e);
	close(go[0]);
	close(go[1]);
	close(unit);
	close(session);
	close(dev);
}

/* Return: what was there before */
static int set_int(const char *path, int value)
{
	FILE *f = fopen(path, "r+");
	int before = 0;

	if (!f || fscanf(f, "%d", &before) != 1)
		kit_bail("%s", path);
	rewind(f);
	fprintf(f, "%d", value);
	fclose(f);
	return before;
}

static void become_nobody(void)
{
	/* dumpable again: perf asks for leave to look on */
	if (setgroups(0, NULL) || setgid(65534) || setuid(65534) || prctl(PR_SET_DUMPABLE, 1))
		_exit(255);
}

static long as_nobody(pid_t pid, int cpu)
{
	struct perf_event_attr attr = attr_of(USUAL, 0);
	int status;
	pid_t user = fork();
	long fd;

	if (!user) {
		become_nobody();
		fd = open_on(&attr, pid, cpu);
		_exit(fd < 0 ? -fd : 0);
	}
	waitpid(user, &status, 0);
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -255;
}

/* Of the user, but not its child */
static pid_t stranger(void)
{
	int fds[2];
	pid_t pid;
	char c;

	if (pipe(fds))
		kit_bail("no pipe");
	pid = fork();
	if (!pid) {
		become_nobody();
		if (write(fds[1], "", 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	if (read(fds[0], &c, 1) != 1)
		kit_bail("no process of a user");
	close(fds[0]);
	close(fds[1]);
	return pid;
}

static long event_on_descendants(void)
{
	struct perf_event_attr attr = attr_of(USUAL, 0);
	int fds[2];
	pid_t child, grandchild = 0;
	long fd;

	if (pipe(fds))
		return -EPIPE;
	child = fork();
	if (!child) {
		grandchild = fork();
		if (grandchild && write(fds[1], &grandchild, sizeof(grandchild)) < 0)
			_exit(1);
		pause();
		_exit(0);
	}
	if (read(fds[0], &grandchild, sizeof(grandchild)) != sizeof(grandchild))
		return -EPIPE;
	fd = open_on(&attr, child, -1);
	if (fd >= 0)
		fd = open_on(&attr, grandchild, -1);
	kill(grandchild, SIGKILL);
	kill(child, SIGKILL);
	return fd;
}

/* Children of the user's, and theirs: perf record -- PROGRAM */
static long as_parent(void)
{
	int status;
	pid_t user = fork();
	long fd;

	if (!user) {
		become_nobody();
		fd = event_on_descendants();
		_exit(fd < 0 ? -fd : 0);
	}
	waitpid(user, &status, 0);
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -255;
}

static void set_own(char own)
{
	FILE *f = fopen("/sys/module/softpt/parameters/attach_own", "w");

	if (!f || fputc(own, f) == EOF || fclose(f))
		kit_bail("attach_own");
}

/* perf_event_paranoid lets any user look on, but to step is more than that. */
static void not_everybody(void)
{
	static const char paranoid[] = "/proc/sys/kernel/perf_event_paranoid";
	int before = set_int(paranoid, -1);
	pid_t own = stranger();

	kit_is(as_nobody(-1, 0), -EACCES, "perf_event_paranoid=-1: a user and a whole CPU");
	set_int(paranoid, 2);
	kit_is(as_nobody(0, -1), 0, "a user and itself");
	kit_is(as_parent(), 0, "a user, its child and a child's child");
	kit_is(as_nobody(own, -1), -EACCES, "a user and its own that is no child");
	kit_is(as_nobody(1, -1), -EACCES, "a user and root's");
	set_own('Y');
	kit_is(as_nobody(own, -1), 0, "attach_own=Y: a user and its own that is no child");
	kit_is(as_nobody(1, -1), -EACCES, "attach_own=Y: a user and root's");
	set_own('N');
	kill(own, SIGKILL);
	waitpid(own, NULL, 0);
	set_int(paranoid, before);
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)		/* armed_under_event() */
		return 7;
	type = find_type();
	signal(SIGPIPE, SIG_IGN);
	attributes();
	stream();
	full();
	own();
	inherited();
	whole_cpu();
	beside_session();
	armed_under_event();
	not_everybody();
	return kit_done();
}
