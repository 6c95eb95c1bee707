// SPDX-License-Identifier: BSD-2-Clause
/* A program stepped by the module: its packets, its output, how it ended. */
#include "step.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct softpt_config trace_config(void)
{
	struct softpt_config config = kit_config();

	config.flags &= ~SOFTPT_F_OS;
	config.flags |= SOFTPT_F_PGE_TSC;
	config.ring = 4 << 20;
	/* In an emulated machine the default would make most of the time one of MTCs. */
	config.mtc_freq = 9;
	return config;
}

/* Everything that an address could depend on is fixed. */
void trace_exec(int session, char *const argv[], unsigned int flags)
{
	static char *const env[] = { "PATH=/bin", NULL };
	cpu_set_t cpu;

	if (flags & TRACE_PINNED) {
		CPU_ZERO(&cpu);
		CPU_SET(0, &cpu);
		sched_setaffinity(0, sizeof(cpu), &cpu);
	}
	personality(ADDR_NO_RANDOMIZE);
	if (flags & TRACE_NOBODY && (setgid(65534) || setuid(65534)))
		_exit(124);
	if (session >= 0 && kit_ioctl(session, SOFTPT_ARM_EXEC, NULL))
		_exit(125);
	execve(argv[0], argv, env);
	_exit(127);
}

/* A reader that is woken for each event takes the CPU from the program. */
static void set_watermark(int unit, uint64_t bytes)
{
	struct softpt_reader *reader = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
					    MAP_SHARED, unit, 0);

	if (reader == MAP_FAILED)
		kit_bail("the reader's page cannot be mapped");
	reader->watermark = bytes;
	munmap(reader, sysconf(_SC_PAGESIZE));
}

static long set_source(int session, unsigned int flags)
{
	struct softpt_source source = {
		.size = sizeof(source),
		.kind = SOFTPT_SOURCE_STEP,
		.flags = flags & TRACE_INHERIT ? SOFTPT_STEP_INHERIT : 0,
	};

	return kit_ioctl(session, SOFTPT_SET_SOURCE, &source);
}

void trace_open(struct trace_session *s, const struct softpt_config *config, unsigned int flags)
{
	int dev = kit_open();
	unsigned int cpu;
	long ret;

	s->session = kit_session(dev);
	close(dev);
	s->cpus = kit_cpus();
	if (s->cpus > MAX_CPUS)
		kit_bail("more CPUs than expected");
	ret = kit_configure(s->session, config);
	if (!ret)
		ret = set_source(s->session, flags);
	if (ret)
		kit_bail("source step: %s", strerror(-ret));
	for (cpu = 0; cpu < s->cpus; cpu++) {
		s->unit[cpu] = kit_unit(s->session, cpu);
		if (s->unit[cpu] < 0)
			kit_bail("unit %u: %s", cpu, strerror(-s->unit[cpu]));
		set_watermark(s->unit[cpu], config->ring / 4);
	}
	ret = kit_enable(s->session);
	if (ret)
		kit_bail("enable: %s", strerror(-ret));
}

void trace_close(struct trace_session *s)
{
	unsigned int cpu;

	for (cpu = 0; cpu < s->cpus; cpu++)
		close(s->unit[cpu]);
	close(s->session);
}

pid_t trace_spawn(const struct trace_session *s, const char *work)
{
	char *const argv[] = { (char *)target, (char *)work, NULL };
	int out[2];
	char c;
	pid_t pid;

	if (pipe(out))
		kit_bail("no pipe");
	pid = fork();
	if (!pid) {
		dup2(out[1], 1);
		close(out[0]);
		close(out[1]);
		setpgid(0, 0);
		trace_exec(s->session, argv, 0);
	}
	close(out[1]);
	if (read(out[0], &c, 1) != 1)
		kit_bail("%s did not start", work);
	close(out[0]);
	return pid;
}

bool trace_ended(int unit, int seconds)
{
	struct pollfd fd = { unit, 0, 0 };

	/* A loss is POLLERR until it was asked for. */
	while (poll(&fd, 1, seconds * 1000) == 1 && !(fd.revents & POLLHUP))
		kit_status(unit);
	return fd.revents & POLLHUP;
}

static void take(struct trace *trace, unsigned int cpu, int unit)
{
	uint8_t buf[65536];
	ssize_t n = kit_read(unit, buf, sizeof(buf));

	if (n <= 0)
		return;
	trace->cpu[cpu].data = realloc(trace->cpu[cpu].data, trace->cpu[cpu].n + n);
	if (!trace->cpu[cpu].data)
		kit_bail("no memory for the trace");
	memcpy(trace->cpu[cpu].data + trace->cpu[cpu].n, buf, n);
	trace->cpu[cpu].n += n;
}

/* Until nobody has the pipe, and each unit is at its end */
static void drain(struct trace *trace, const struct trace_session *s, int out)
{
	struct pollfd fds[MAX_CPUS + 1];
	unsigned int i, open = s->cpus + 1;
	ssize_t n;

	fds[s->cpus] = (struct pollfd){ out, POLLIN, 0 };
	for (i = 0; i < s->cpus; i++)
		fds[i] = (struct pollfd){ s->unit[i], POLLIN, 0 };
	while (open && poll(fds, s->cpus + 1, 120000) > 0) {
		for (i = 0; i < s->cpus; i++) {
			if (fds[i].revents & POLLIN) {
				take(trace, i, fds[i].fd);
			} else if (fds[i].revents & POLLHUP) {
				fds[i].fd = -1;
				open--;
			}
		}
		if (fds[s->cpus].revents) {
			n = read(out, trace->out + trace->nout, sizeof(trace->out) - trace->nout);
			if (n > 0) {
				trace->nout += n;
			} else {
				fds[s->cpus].fd = -1;
				open--;
			}
		}
	}
	if (open)
		kit_bail("the trace did not end");
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

void trace_run(struct trace *trace, const struct softpt_config *config, char *const argv[],
	       unsigned int flags)
{
	struct trace_session s = { .session = -1 };
	unsigned int cpu;
	int out[2];
	pid_t pid;

	*trace = (struct trace){ 0 };
	if (!(flags & TRACE_OFF))
		trace_open(&s, config, flags);
	if (pipe2(out, O_CLOEXEC))
		kit_bail("no pipe");
	trace->seconds = -now();
	pid = fork();
	if (!pid) {
		dup2(out[1], 1);
		trace_exec(s.session, argv, flags);
	}
	close(out[1]);
	drain(trace, &s, out[0]);
	close(out[0]);
	if (waitpid(pid, &trace->wait_status, 0) != pid)
		kit_bail("no child");
	trace->seconds += now();
	trace->cpus = s.cpus;
	for (cpu = 0; cpu < s.cpus; cpu++)
		trace->cpu[cpu].status = kit_status(s.unit[cpu]);
	if (!(flags & TRACE_OFF))
		trace_close(&s);
}

void trace_free(struct trace *trace)
{
	unsigned int cpu;

	for (cpu = 0; cpu < trace->cpus; cpu++)
		free(trace->cpu[cpu].data);
	trace->cpus = 0;
}
