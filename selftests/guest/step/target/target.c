// SPDX-License-Identifier: BSD-2-Clause
/*
 * What is stepped: target WORK [quiet]. Each work prints the same text every time, whether
 * it is stepped or not, and uses nothing that changes from run to run.
 */
#include "target.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef __x86_64__
#define REG_FLAGS	REG_EFL
#define REG_PC		REG_RIP
#define PUSHF	"pushfq\n\tpop %0"
#define POPF	"push %0\n\tpopfq"
#else
#define REG_FLAGS	REG_EFL
#define REG_PC		REG_EIP
#define PUSHF	"pushfl\n\tpop %0"
#define POPF	"push %0\n\tpopfl"
#endif

volatile unsigned long sum;
static volatile sig_atomic_t hits, flags_seen;
static sigjmp_buf jump;
static volatile int *volatile nowhere = (volatile int *)16;

static unsigned long leaf(unsigned long x) { return x * 31 + 7; }
static unsigned long branchy(unsigned long x) { return x & 1 ? leaf(x) : x / 3; }
unsigned long switchy(unsigned long x)
{
	switch (x % 7) {
	case 0: return 11;
	case 1: return x + 3;
	case 2: return leaf(x);
	case 3: return x ^ 0x55;
	case 4: return x << 1;
	case 5: return branchy(x);
	}
	return ~x;
}

static unsigned long (*const volatile table[])(unsigned long) = { leaf, branchy, switchy };

static unsigned long recurse(unsigned int n)
{
	return n ? recurse(n - 1) * 3 + switchy(n) : 1;
}

int calls(void)
{
	unsigned int i;

	for (i = 0; i < 300; i++)
		sum += table[i % 3](sum + i);
	sum += recurse(100);	/* deeper than the RET stack */
	return 0;
}

/* Enough steps to measure */
static int work(void)
{
	int i;

	for (i = 0; i < 10; i++)
		calls();
	return 0;
}

static int longer(void)
{
	int i;

	for (i = 0; i < 10; i++)
		work();
	return 0;
}

static void count(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;

	(void)sig;
	(void)info;
	hits++;
	flags_seen |= uc->uc_mcontext.gregs[REG_FLAGS] & TF;
#ifdef __x86_64__
	flags_seen |= uc->uc_mcontext.gregs[REG_R11] & TF;	/* raised by a system call */
#endif
	sum += leaf(hits);
}

static void handle(int sig, void (*fn)(int, siginfo_t *, void *))
{
	struct sigaction sa = { .sa_sigaction = fn, .sa_flags = SA_SIGINFO | SA_NODEFER };

	sigaction(sig, &sa, NULL);
}

static void leap(int sig, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	hits++;
	siglongjmp(jump, sig);
}

static int signals(void)
{
	int i;

	handle(SIGUSR1, count);
	for (i = 0; i < 5; i++)
		raise(SIGUSR1);
	say("hits %d TF %d\n", (int)hits, !!flags_seen);
	return 0;
}

static int jumps(void)
{
	volatile int round;

	handle(SIGSEGV, leap);
	handle(SIGFPE, leap);
	for (round = 0; round < 3; round++) {
		if (!sigsetjmp(jump, 1))
			*nowhere = 1;
		if (!sigsetjmp(jump, 1))
			sum += 1 / (volatile int){ 0 };
	}
	say("hits %d\n", (int)hits);
	return 0;
}

static ucontext_t mine, theirs;

static void other(void)
{
	for (;;) {
		sum = branchy(sum);
		swapcontext(&theirs, &mine);
	}
}

/* RET to where no CALL came from, as code compiled with retpolines does it */
static __attribute__((noinline)) unsigned long by_ret(unsigned long (*fn)(unsigned long),
						      unsigned long x)
{
#ifdef __x86_64__
	asm volatile("sub $128, %%rsp\n\tcall 2f\n\tadd $128, %%rsp\n\tjmp 4f\n"
		     "2:\tcall 3f\n1:\tpause\n\tjmp 1b\n"
		     "3:\tmov %1, (%%rsp)\n\tret\n4:"
		     : "+D"(x), "+r"(fn) : : "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11",
		     "cc", "memory");
#else
	x = fn(x);
#endif
	return x;
}

/* RETs that don't go back to the CALL before them, and then some that do */
static int returns(void)
{
	static char stack[65536] __attribute__((aligned(16)));
	int i;

	getcontext(&theirs);
	theirs.uc_stack.ss_sp = stack;
	theirs.uc_stack.ss_size = sizeof(stack);
	makecontext(&theirs, other, 0);
	for (i = 0; i < 5; i++) {
		swapcontext(&mine, &theirs);
		by_ret(leaf, sum);
		sum += recurse(5);
	}
	say("sum %lx\n", sum);
	return 0;
}

unsigned long read_flags(void)
{
	unsigned long flags;

	asm volatile(PUSHF : "=r"(flags));
	return flags;
}

static int pushf(void)
{
	unsigned int seen = 0, i;
	uint16_t half;

	for (i = 0; i < 20; i++) {
		seen |= read_flags() & TF;
		asm volatile("pushfw\n\tpopw %0" : "=r"(half));
		seen |= half & TF;
	}
#ifdef __x86_64__
	for (i = 0; i < 5; i++) {
		register unsigned long r11 asm("r11");
		long ret;

		asm volatile("syscall" : "=a"(ret), "=r"(r11)
			     : "0"(SYS_getuid) : "rcx", "memory");
		seen |= r11 & TF;
	}
#endif
	say("TF %d\n", !!seen);
	return 0;
}

static int rep(void)
{
	static char a[257], b[257];
	unsigned long n = 256;
	char *to = b;
	const char *from = a;

	memset(a, 'x', 256);
	asm volatile("rep movsb" : "+c"(n), "+S"(from), "+D"(to) : : "memory");
	n = 256;
	to = b;
	asm volatile("repne scasb" : "+c"(n), "+D"(to) : "a"(0) : "memory");
	n = 0;
	asm volatile("rep stosb" : "+c"(n), "+D"(to) : "a"(0) : "memory");
	say("%d\n", memcmp(a, b, 256));
	return 0;
}

static int movss(void)
{
	unsigned int i;

	for (i = 0; i < 8; i++)
		asm volatile("mov %%ss, %%eax\n\t"
			     "mov %%eax, %%ss\n\t"
			     "jmp 1f\n\t"
			     "ud2\n"
			     "1:\tmov %%eax, %%ss\n\t"
			     "nop" : : : "eax");
	return 0;
}

static void trapped(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	(void)info;
	hits++;
	flags_seen |= uc->uc_mcontext.gregs[REG_FLAGS] & TF;
	if (hits == 12)
		uc->uc_mcontext.gregs[REG_FLAGS] &= ~TF;
}

/* A program that steps itself gets each of its own traps, and no other. */
static int selftf(void)
{
	unsigned long flags;

	handle(SIGTRAP, trapped);
	flags = read_flags() | TF;
	asm volatile(POPF "\n\t"
		     "nop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\t"
		     "nop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop" : : "r"(flags) : "memory", "cc");
	say("hits %d TF %d after %d\n", (int)hits, !!flags_seen, !!(read_flags() & TF));
	hits = 0;
	asm volatile("int3");
	asm volatile(POPF "\n\tnop\n\t" : : "r"(flags) : "memory", "cc");
	flags &= ~(unsigned long)TF;
	asm volatile(POPF "\n\tnop\n\t" : : "r"(flags) : "memory", "cc");
	say("hits %d\n", hits > 2);
	return 0;
}

static int migrate(void)
{
	cpu_set_t cpu;
	int i;

	for (i = 0; i < 8; i++) {
		CPU_ZERO(&cpu);
		CPU_SET(i & 1, &cpu);
		if (sched_setaffinity(0, sizeof(cpu), &cpu))
			return 3;
		sum += recurse(10);
	}
	return 0;
}

/* Code that can be executed and not read, where the processor has protection keys */
static int xonly(void)
{
#ifdef __x86_64__
	static const uint8_t body[] = {
		0xb9, 0x05, 0, 0, 0,	/* mov $5, %ecx */
		0xff, 0xc9,		/* dec %ecx */
		0x75, 0xfc,		/* jnz */
		0x89, 0xf8,		/* mov %edi, %eax */
		0xc3,			/* ret */
	};
	int i, n = 0, (*fn)(int);
	void *page = mmap((void *)0x10000000, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	if (page == MAP_FAILED)
		return 2;
	memcpy(page, body, sizeof(body));
	if (mprotect(page, 4096, PROT_EXEC))
		return 3;
	fn = (int (*)(int))(uintptr_t)page;
	for (i = 0; i < 10; i++)
		n += fn(i);
	say("%d\n", n);
#endif
	return 0;
}

static int fault(void)
{
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	*nowhere = 1;
	return 0;
}

static int spin(void)
{
	write(1, "spinning\n", 9);
	for (;;)
		sum++;
	return 0;
}

static int nap(void)
{
	write(1, "sleeping\n", 9);
	for (;;)
		pause();
	return 0;
}

/*
 * The same again and again, until there is something to be read: whoever looks has all the
 * time that it takes.
 */
static bool told_to_stop(void)
{
	struct pollfd in = { .fd = 0, .events = POLLIN };

	return poll(&in, 1, 0) == 1;
}

unsigned long round_of(unsigned long x)
{
	unsigned long i;

	for (i = 0; i < 500; i++)
		x = table[i % 3](x + i);
	return x;
}

void *rounds(void *wrong)
{
	const unsigned long want = round_of(1);

	while (!told_to_stop())
		*(unsigned long *)wrong += round_of(1) != want;
	return NULL;
}

static int steady(void)
{
	unsigned long wrong = 0;

	write(1, "steady\n", 7);
	rounds(&wrong);
	say("%lx, wrong %lu TF %d\n", round_of(2), wrong, !!(read_flags() & TF));
	return 42;
}

/* Each waits for a byte; epoll_wait() would tell of being interrupted, and read() go on. */
static int waits(void)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int ep = epoll_create1(0), n;
	char c = '-';

	if (ep < 0 || epoll_ctl(ep, EPOLL_CTL_ADD, 0, &ev))
		return 2;
	write(1, "waiting\n", 8);
	n = epoll_wait(ep, &ev, 1, -1);
	say("epoll_wait %d %d\n", n, n < 0 ? errno : 0);
	n = read(0, &c, 1);
	say("read %d %c\n", n, c);
	fflush(stdout);
	n = read(0, &c, 1);
	say("read %d %c TF %d\n", n, c, !!(read_flags() & TF));
	calls();
	return 42;
}

static int status(void) { return 42; }
static int nothing(void) { return 0; }

static const struct {
	const char *name;
	int (*fn)(void);
} works[] = {
	{ "true", nothing }, { "status", status }, { "calls", calls }, { "work", work },
	{ "long", longer }, { "signals", signals },
	{ "jumps", jumps }, { "returns", returns }, { "pushf", pushf }, { "rep", rep },
	{ "movss", movss },
	{ "selftf", selftf }, { "forks", forks }, { "threads", threads },
	{ "crew", crew }, { "family", family }, { "spawn", spawn }, { "crowd", crowd },
	{ "orphan", orphan },
	{ "migrate", migrate }, { "xonly", xonly }, { "again", again }, { "fault", fault },
	{ "spin", spin }, { "nap", nap }, { "steady", steady }, { "pair", pair },
	{ "waits", waits },
};

/* oracle_run_work() knows it by this system call, and by where that returns to. */
static void begin(void)
{
	long nr = SYS_getppid;

#ifdef __x86_64__
	asm volatile("syscall" : "+a"(nr) : : "rcx", "r11", "memory");
#else
	asm volatile("int $0x80" : "+a"(nr) : : "memory");
#endif
}

int main(int argc, char **argv)
{
	unsigned int i;
	int ret;

	quiet = argc > 2;
	begin();
	for (i = 0; argc > 1 && i < sizeof(works) / sizeof(works[0]); i++) {
		if (strcmp(works[i].name, argv[1]))
			continue;
		ret = works[i].fn();
		say("sum %lu\n", sum);
		return ret;
	}
	return 100;
}
