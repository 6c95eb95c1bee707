// SPDX-License-Identifier: BSD-2-Clause
/*
 * Source "kernel": each kind of event is there for something that the test does itself,
 * on a CPU that it is pinned to.
 */
#include "selftests/kit/kit.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

#include "userspace/include/softpt/softpt.h"

#define CPU		0
#define MTC_FREQ	9	/* a sanitised kernel would be busy with MTCs alone */
#define NOBODY		65534
#define ROUNDS		100
#define PAGES		16
#define PAGE		4096
#define CR3S		4
#define ALL		(SOFTPT_F_OS | SOFTPT_F_USER)

static int dev;

/* ---- a recording of this CPU ---- */

struct trace {
	int session;
	int unit;
	uint8_t bytes[4 << 20];
	size_t length;
};

static struct trace one, other;

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		kit_bail("run on CPU %d", cpu);
}

/* Flags are set besides those of the default; @clear are cleared. */
static struct softpt_config config_with(unsigned int set, unsigned int clear)
{
	struct softpt_config config = kit_config();

	config.flags |= set;
	config.flags &= ~clear;
	config.suppress = 2;
	config.mtc_freq = MTC_FREQ;
	config.ring = 4 << 20;
	return config;
}

static void begin(struct trace *t, const struct softpt_config *config)
{
	t->session = kit_session(dev);
	if (kit_configure(t->session, config) ||
	    kit_source(t->session, SOFTPT_SOURCE_KERNEL, NULL))
		kit_bail("configure a session of the kernel source");
	t->unit = kit_unit(t->session, CPU);
	if (kit_enable(t->session))
		kit_bail("enable a session of the kernel source");
}

static void end(struct trace *t)
{
	ssize_t n;

	kit_disable(t->session);
	t->length = 0;
	while ((n = kit_read(t->unit, t->bytes + t->length, sizeof(t->bytes) - t->length)) > 0)
		t->length += n;
	close(t->unit);
	close(t->session);
}

/* ---- what is in it ---- */

struct seen {
	bool whole;
	size_t packets;
	size_t type[256];
	size_t returns;		/* to the address behind our system call */
	size_t faults;		/* of our area, each with its CFE */
	size_t interrupted;	/* in our loop */
	size_t kernel;		/* addresses */
	size_t user;
	size_t threads;		/* switches to us, of those that tell to whom */
	size_t sleeps;		/* because the one before sleeps */
	uint64_t cr3[CR3S];	/* the first different ones */
	size_t ncr3;
};

static const char *area;

/* Of a label in the assembler code below */
#define ADDRESS(label) \
	({ uint64_t at; asm("lea " #label "(%%rip), %0" : "=r" (at)); at; })

static bool within(uint64_t ip, uint64_t from, uint64_t to)
{
	return ip >= from && ip < to;
}

static bool in_area(uint64_t address)
{
	return within(address, (uintptr_t)area, (uintptr_t)area + PAGES * PAGE);
}

static void see_cr3(struct seen *s, uint64_t cr3)
{
	size_t i;

	for (i = 0; i < s->ncr3; i++)
		if (s->cr3[i] == cr3)
			return;
	if (s->ncr3 < CR3S)
		s->cr3[s->ncr3++] = cr3;
}

static void see_thread(struct seen *s, uint64_t value)
{
	s->threads += (uint32_t)value == (uint32_t)getpid();
	s->sleeps += value >> 32 == SOFTPT_LEFT_SLEEPS;
}

static void see_ip(struct seen *s, const struct softpt_packet *p, uint64_t ip)
{
	s->kernel += ip >> 63;
	s->user += ip && !(ip >> 63);
	if (p->type == SOFTPT_PKT_FUP)
		s->interrupted += within(ip, ADDRESS(loop_begins), ADDRESS(loop_ends));
	else
		s->returns += ip == ADDRESS(after_syscall);
}

static struct seen look(const struct trace *t)
{
	struct seen s = { 0 };
	struct softpt_stream stream;
	struct softpt_packet p;
	uint64_t ip = 0, fault = 0;

	softpt_stream_init(&stream, t->bytes, t->length);
	if (softpt_sync_forward(&stream, 0, NULL))
		return s;
	while (softpt_stream_next(&stream, &p) > 0) {
		s.packets++;
		s.type[p.type]++;
		if (p.type == SOFTPT_PKT_PSB || p.type == SOFTPT_PKT_OVF)
			ip = 0;
		else if (p.type == SOFTPT_PKT_PIP)
			see_cr3(&s, p.payload);
		else if (p.type == SOFTPT_PKT_PTW)
			see_thread(&s, p.payload);
		else if (p.type == SOFTPT_PKT_EVD)
			fault = p.payload2 ? 0 : p.payload;
		else if (p.type == SOFTPT_PKT_CFE)
			s.faults += p.payload == 14 && in_area(fault);
		else if (softpt_ip_update(&ip, &p))
			see_ip(&s, &p, ip);
	}
	s.whole = stream.pos == stream.end;
	return s;
}

/* ---- what the test does ---- */

static __attribute__((noinline)) void one_syscall(void)
{
	long ret;

	asm volatile("syscall\n"
		     "after_syscall:\n"
		     : "=a" (ret) : "a" (SYS_getppid) : "rcx", "r11", "memory");
}

static void syscalls(void)
{
	int i;

	for (i = 0; i < ROUNDS; i++)
		one_syscall();
}

static void touch(void)
{
	int i;

	for (i = 0; i < PAGES; i++)
		*(volatile char *)(area + i * PAGE);
}

/* For as many ticks of the TSC */
static __attribute__((noinline)) void spin(uint64_t ticks)
{
	uint64_t start = __rdtsc();

	asm volatile("loop_begins:\n"
		     "rdtsc\n"
		     "shl $32, %%rdx\n"
		     "or %%rdx, %%rax\n"
		     "sub %0, %%rax\n"
		     "cmp %1, %%rax\n"
		     "jb loop_begins\n"
		     "loop_ends:\n"
		     : : "r" (start), "r" (ticks) : "rax", "rdx", "cc", "memory");
}

/* A byte to a child on the same CPU and back: two switches at least */
static void ping_pong(void)
{
	int to[2], from[2], i;
	char byte = 0;
	pid_t pid;

	if (pipe(to) || pipe(from))
		kit_bail("pipe");
	pid = fork();
	if (!pid) {
		while (read(to[0], &byte, 1) == 1 && write(from[1], &byte, 1) == 1)
			if (byte)
				_exit(0);
		_exit(1);
	}
	for (i = 0; i < ROUNDS; i++) {
		byte = i == ROUNDS - 1;
		if (write(to[1], &byte, 1) != 1 || read(from[0], &byte, 1) != 1)
			kit_bail("a pipe's other end is gone");
	}
	waitpid(pid, NULL, 0);
	close(to[0]);
	close(to[1]);
	close(from[0]);
	close(from[1]);
}

/* Until the trace holds so much more, at most a minute; sleeping is idling */
static bool sleep_until(int unit, unsigned long long events)
{
	int i;

	for (i = 0; i < 6000 && kit_status(unit).counts.events < events; i++)
		usleep(10000);
	return i < 6000;
}

/* ---- tests ---- */

static void permissions(void)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		int session = kit_session(dev);

		if (setgid(NOBODY) || setuid(NOBODY))
			_exit(2);
		_exit(kit_source(session, SOFTPT_SOURCE_KERNEL, NULL) != -EPERM);
	}
	kit_ok(waitpid(pid, &status, 0) == pid && !status, "without CAP_PERFMON: -EPERM");
}

static void refusals(void)
{
	struct softpt_config config = config_with(ALL, 0);
	int session = kit_session(dev), unit;

	config.clock = SOFTPT_CLOCK_MODEL;
	kit_configure(session, &config);
	kit_is(kit_source(session, SOFTPT_SOURCE_KERNEL, NULL), 0, "with it: accepted");
	unit = kit_unit(session, CPU);
	kit_is(kit_enable(session), -EINVAL, "the model clock is -EINVAL");
	config.clock = SOFTPT_CLOCK_WALL;
	config.flags |= SOFTPT_F_LOSSLESS;
	kit_configure(session, &config);
	kit_is(kit_enable(session), -EINVAL, "lossless=1 is -EINVAL: the system cannot wait");
	kit_is(kit_ioctl(session, SOFTPT_ARM_EXEC, NULL), -EOPNOTSUPP,
	       "there is nothing to arm: -EOPNOTSUPP");
	close(unit);
	close(session);
}

static void everything(void)
{
	struct softpt_config config = config_with(ALL, 0);
	struct seen s;

	begin(&one, &config);
	syscalls();
	touch();
	spin(200000000);
	ping_pong();
	end(&one);
	s = look(&one);
	kit_ok(s.whole && s.packets > ROUNDS, "%zu packets, all whole", s.packets);
	kit_ok(s.returns >= ROUNDS, "system calls: %zu of %d returns", s.returns, ROUNDS);
	kit_ok(s.faults >= PAGES, "page faults: %zu of %d addresses", s.faults, PAGES);
	kit_ok(s.type[SOFTPT_PKT_PIP] >= 2 * ROUNDS && s.ncr3 >= 2,
	       "context switches: %zu PIP packets for %d, %zu address spaces or more",
	       s.type[SOFTPT_PKT_PIP], 2 * ROUNDS, s.ncr3);
	kit_ok(s.threads >= ROUNDS && s.sleeps >= ROUNDS,
	       "who runs: %zu switches to us, %zu from one that sleeps", s.threads, s.sleeps);
	kit_ok(s.interrupted, "interrupts: %zu of a loop in user mode", s.interrupted);
	kit_ok(s.type[SOFTPT_PKT_TIP_PGD] <= 1,
	       "CPL 0 and 3: it never leaves what is traced");
	kit_ok(!s.type[SOFTPT_PKT_OVF], "nothing is lost");
}

static void idle(bool pwr)
{
	struct softpt_config config = config_with(ALL | (pwr ? SOFTPT_F_PWR : 0),
						  pwr ? 0 : SOFTPT_F_PWR);
	size_t power;
	struct seen s;

	begin(&one, &config);
	kit_ok(sleep_until(one.unit, 200), "pwr=%d: sleeping", pwr);
	end(&one);
	s = look(&one);
	power = s.type[SOFTPT_PKT_PWRE] + s.type[SOFTPT_PKT_PWRX] + s.type[SOFTPT_PKT_EXSTOP];
	if (pwr)
		kit_ok(s.whole && s.type[SOFTPT_PKT_PWRE] && s.type[SOFTPT_PKT_PWRX] &&
		       s.type[SOFTPT_PKT_EXSTOP] >= s.type[SOFTPT_PKT_PWRX],
		       "idle: %zu PWRE, %zu PWRX, the clocks stop %zu times",
		       s.type[SOFTPT_PKT_PWRE], s.type[SOFTPT_PKT_PWRX],
		       s.type[SOFTPT_PKT_EXSTOP]);
	else
		kit_ok(s.whole && !power, "idle: the clocks run on");
}

/* Filters are the engine's: of what is not traced nothing is told. */
static void levels(void)
{
	struct softpt_config user = config_with(SOFTPT_F_USER, SOFTPT_F_OS);
	struct softpt_config kernel = config_with(SOFTPT_F_OS, SOFTPT_F_USER | SOFTPT_F_PTW);
	struct seen s;

	begin(&one, &user);
	begin(&other, &kernel);
	syscalls();
	ping_pong();
	end(&one);
	end(&other);
	s = look(&one);
	kit_ok(s.whole && s.returns >= ROUNDS && !s.kernel && !s.type[SOFTPT_PKT_PIP] &&
	       !s.type[SOFTPT_PKT_PTW],
	       "os=0: %zu returns, no kernel address, no CR3 and no thread", s.returns);
	s = look(&other);
	kit_ok(s.whole && s.kernel >= ROUNDS && !s.user && s.type[SOFTPT_PKT_PIP] >= 2 * ROUNDS,
	       "user=0, at the same time: %zu kernel addresses, %zu PIP packets and no user address",
	       s.kernel, s.type[SOFTPT_PKT_PIP]);
	kit_ok(!s.type[SOFTPT_PKT_PTW], "ptw=0: and no thread");
}

/* One goes, the other stays. */
static void side_by_side(void)
{
	struct softpt_config config = config_with(ALL, 0);
	struct seen s;

	begin(&one, &config);
	begin(&other, &config);
	syscalls();
	end(&one);
	syscalls();
	end(&other);
	s = look(&one);
	kit_ok(s.whole && s.returns >= ROUNDS && s.returns < 2 * ROUNDS,
	       "two sessions: the first has %zu returns", s.returns);
	s = look(&other);
	kit_ok(s.whole && s.returns >= 2 * ROUNDS, "the second has %zu", s.returns);
}

/* A process that enters and leaves the kernel all the time, wherever it may run */
static pid_t busy(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	for (;;)
		syscalls();
}

static void hotplug(void)
{
	struct softpt_config config = config_with(ALL, 0);
	pid_t pids[2] = { busy(), busy() };
	int i, unit, good = 0;

	config.ring = 1 << 20;
	for (i = 0; i < 3; i++) {
		begin(&one, &config);
		kit_disable(one.session);
		unit = kit_unit(one.session, 1);
		kit_enable(one.session);
		good += kit_online(1, false);
		good += !!(kit_status(unit).flags & SOFTPT_ST_DONE);
		good += sleep_until(one.unit, kit_status(one.unit).counts.events + 100);
		good += kit_online(1, true);
		end(&one);
		good += look(&one).whole;
		one.unit = unit;
		one.session = -1;
		end(&one);
		good += look(&one).whole;
	}
	kit_ok(good == 3 * 6, "CPU 1 goes while it is traced, and comes back: %d of %d", good,
	       3 * 6);
	pin(1);
	begin(&one, &config);
	kit_disable(one.session);
	unit = kit_unit(one.session, 1);
	kit_enable(one.session);
	syscalls();
	close(one.unit);
	one.unit = unit;
	end(&one);
	kit_ok(look(&one).returns >= ROUNDS, "and is traced again");
	pin(CPU);
	for (i = 0; i < 2; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
}

/* Who traces is killed, with all of its descriptors. */
static void killed(void)
{
	struct softpt_config config = config_with(ALL, 0);
	pid_t pid = fork();
	int status = 0;

	if (!pid) {
		begin(&one, &config);
		syscalls();
		raise(SIGKILL);
	}
	kit_ok(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status),
	       "who traces dies of SIGKILL, and the system goes on");
}

int main(void)
{
	struct softpt_caps caps = { .size = sizeof(caps) };

	dev = kit_open();
	kit_ioctl(dev, SOFTPT_GET_CAPS, &caps);
	if (!(caps.sources & 1 << SOFTPT_SOURCE_KERNEL)) {
		kit_ok(true, "the kernel source # SKIP not on this kernel");
		return kit_done();
	}
	area = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED)
		kit_bail("mmap");
	pin(CPU);
	permissions();
	refusals();
	everything();
	idle(true);
	idle(false);
	levels();
	side_by_side();
	killed();
	if (kit_cpus() > 1)
		hotplug();
	return kit_done();
}
