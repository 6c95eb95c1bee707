// SPDX-License-Identifier: BSD-2-Clause
/*
 * event=1 of the PMU softpt_pt: the exceptions that a program causes are told by CFE and EVD, each
 * with the FUP of its way into the kernel, and nothing else is.
 */
#include "pmu.h"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "userspace/include/softpt/softpt.h"

#define CFE_INTR	1
#define EVD_PFA		0
#define MODE_IF		4
#define SLOW_MTC	(MTC | 6ull << 14)	/* the area holds all, however slow the kernel */

#define VECTOR_BP	3
#define VECTOR_PF	14

/* An instruction, and where its handler has the program go on */
#define FAULT(name, insn) \
	".globl at_" name ", after_" name "\nat_" name ": " insn "\nafter_" name ": "

#define FAULTS(X) \
	X(de, 0) X(ud, 6) X(bp, VECTOR_BP) X(gp, 13) X(gp_address, 13) X(mf, 16) X(ac, 17) \
	X(xf, 19) X(denied, VECTOR_PF)

#define DECLARE(name, vector) extern char at_##name[], after_##name[];
FAULTS(DECLARE)

static const struct fault {
	const char *name;
	const char *at;
	const char *after;
	unsigned int vector;
} faults[] = {
#define ROW(name, vector) { #name, at_##name, after_##name, vector },
	FAULTS(ROW)
};

#define NR_FAULTS	(sizeof(faults) / sizeof(faults[0]))

/* Shared with the process that is traced */
static struct {
	bool caused[NR_FAULTS];		/* QEMU's own processor has no #AC and no #XF */
} *shared;

static void handle(int sig, siginfo_t *info, void *context)
{
	greg_t *ip = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	unsigned int i;

	(void)info;
	for (i = 0; i < NR_FAULTS; i++) {
		if (*ip == (greg_t)faults[i].at ||
		    (sig == SIGTRAP && *ip == (greg_t)faults[i].after)) {
			*ip = (greg_t)faults[i].after;
			shared->caused[i] = true;
			return;
		}
	}
}

static void cause_all(const char *denied)
{
	asm volatile("xorl %%ecx, %%ecx\n" FAULT("de", "divl %%ecx")
		     FAULT("ud", "ud2")
		     FAULT("bp", "int3") "nop\n"
		     FAULT("gp", "hlt")
		     "movabsq $0x1234567800000000, %%rcx\n"
		     FAULT("gp_address", "movb (%%rcx), %%al")
		     FAULT("denied", "movb (%0), %%al")
		     : : "r"(denied) : "rax", "rcx", "rdx", "cc");
	asm volatile("subq $128, %%rsp\n"
		     "fninit\nmovw $0x37b, (%%rsp)\nfldcw (%%rsp)\nfld1\nfldz\nfdivrp\n"
		     FAULT("mf", "fwait") "fninit\n"
		     "pushfq\norl $0x40000, (%%rsp)\npopfq\n"
		     FAULT("ac", "movl 1(%%rsp), %%eax")
		     "pushfq\nandl $~0x40000, (%%rsp)\npopfq\n"
		     "movl $0x1d80, (%%rsp)\nldmxcsr (%%rsp)\nxorps %%xmm0, %%xmm0\n"
		     "movl $0x3f800000, %%eax\nmovd %%eax, %%xmm1\n"
		     FAULT("xf", "divss %%xmm0, %%xmm1")
		     "movl $0x1f80, (%%rsp)\nldmxcsr (%%rsp)\naddq $128, %%rsp\n"
		     : : : "rax", "xmm0", "xmm1", "cc", "memory");
}

/* Pages that all processes here know */
static char *fresh, *denied;

/* Begins when it is told to. Return: the process */
static pid_t faulty(int *gate)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGUSR1 };
	const struct sigaction action = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO };
	unsigned int i;
	int fds[2];
	pid_t pid;
	char c;

	if (pipe(fds))
		kit_bail("no pipe");
	pid = fork();
	if (!pid) {
		for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
			sigaction(signals[i], &action, NULL);
		if (read(fds[0], &c, 1) != 1)
			_exit(1);
		*fresh = 1;
		cause_all(denied);
		raise(SIGUSR1);
		_exit(9);
	}
	close(fds[0]);
	*gate = fds[1];
	return pid;
}

/* What a trace says of exceptions */
struct seen {
	unsigned int cfe, evd;
	unsigned int alone;		/* CFEs whose FUP and TIP.PGD are not right behind them */
	unsigned int no_address;	/* page faults without their EVD */
	unsigned int no_if;		/* MODE.Exec packets: interrupts are disabled */
	unsigned int fresh;		/* page faults there */
	unsigned int at[NR_FAULTS];	/* exceptions of each instruction */
	unsigned int wrong;		/* of another vector or address than that */
	bool whole;
};

/* The next packet; @ip is the last IP */
static bool next(struct softpt_stream *s, struct softpt_packet *p, uint64_t *ip)
{
	if (softpt_stream_next(s, p) <= 0)
		return false;
	if (p->type == SOFTPT_PKT_PSB)
		*ip = 0;
	softpt_ip_update(ip, p);
	return true;
}

static void place(struct seen *seen, uint64_t ip, unsigned int vector, uint64_t address)
{
	unsigned int i;

	for (i = 0; i < NR_FAULTS; i++) {
		if (ip != (uintptr_t)faults[i].at)
			continue;
		seen->at[i]++;
		seen->wrong += vector != faults[i].vector ||
			       (vector == VECTOR_PF && address != (uintptr_t)denied);
		return;
	}
	seen->fresh += vector == VECTOR_PF && address == (uintptr_t)fresh;
	seen->wrong += vector != VECTOR_PF;
}

/* The CFE has been read. A page fault has its address; 0: none was told */
static void take(struct seen *seen, struct softpt_stream *s, struct softpt_packet *p,
		 uint64_t *ip, uint64_t address)
{
	unsigned int vector = p->payload;
	bool bound = p->flags & SOFTPT_PKT_IP;

	seen->cfe++;
	seen->alone += p->payload2 != CFE_INTR || bound != (vector == VECTOR_BP);
	if (!next(s, p, ip) || p->type != SOFTPT_PKT_FUP) {
		seen->alone++;
		return;
	}
	place(seen, *ip, vector, address);
	seen->alone += !bound && (!next(s, p, ip) || p->type != SOFTPT_PKT_TIP_PGD);
}

static struct seen look(const struct event *e)
{
	uint64_t address = 0, ip = 0;
	struct seen seen = { 0 };
	struct softpt_stream s;
	struct softpt_packet p;

	softpt_stream_init(&s, e->aux, aux_head(e));
	while (next(&s, &p, &ip)) {
		seen.no_if += p.type == SOFTPT_PKT_MODE_EXEC && !(p.payload & MODE_IF);
		if (p.type == SOFTPT_PKT_CFE) {
			seen.no_address += !address == (p.payload == VECTOR_PF);
			take(&seen, &s, &p, &ip, address);
		}
		address = 0;
		if (p.type == SOFTPT_PKT_EVD && p.payload2 == EVD_PFA) {
			address = p.payload;
			seen.evd++;
		}
	}
	seen.whole = s.pos == s.end;
	return seen;
}

static struct seen trace(uint64_t config)
{
	struct perf_event_attr attr = attr_of(config, 0);
	struct event e;
	struct seen seen;
	int gate;
	pid_t pid = faulty(&gate);
	int status;

	e = map_with(&attr, pid, -1, 64);
	kit_is(enable(&e), 0, "a process is traced, config %#llx", (unsigned long long)config);
	tell(gate, 1);
	waitpid(pid, &status, 0);
	kit_ok(WIFEXITED(status) && WEXITSTATUS(status) == 9, "and goes on to its end (%#x)",
	       status);
	close(gate);
	seen = look(&e);
	kit_ok(seen.whole && !seen.no_if,
	       "its packets are whole, and say that interrupts are enabled");
	unmap(&e);
	return seen;
}

static void told(void)
{
	struct seen seen = trace(USUAL | SLOW_MTC | EVENT);
	unsigned int i;

	kit_ok(seen.evd && !seen.no_address, "%u page faults have their address", seen.evd);
	kit_ok(seen.cfe && !seen.alone, "%u exceptions have the packets of their kind", seen.cfe);
	kit_is(seen.fresh, 1, "the first access to a page is one page fault");
	for (i = 0; i < NR_FAULTS; i++)
		kit_ok(seen.at[i] == shared->caused[i], "%s: vector %u%s", faults[i].name,
		       faults[i].vector, shared->caused[i] ? "" : ", which is none here");
	kit_ok(!seen.wrong, "none is of another vector or address");
}

static void untold(void)
{
	struct seen seen = trace(USUAL | SLOW_MTC);

	kit_ok(!seen.cfe && !seen.evd, "event=0: no CFE, no EVD");
}

int main(void)
{
	type = find_type();
	fresh = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	denied = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (fresh == MAP_FAILED || denied == MAP_FAILED || shared == MAP_FAILED)
		kit_bail("no memory");
	told();
	untold();
	return kit_done();
}
