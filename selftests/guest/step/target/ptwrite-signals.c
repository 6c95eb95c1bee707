// SPDX-License-Identifier: BSD-2-Clause
/* PTWRITE beside signals: what cannot be read, what is no PTWRITE, TF and debuggers */
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "ptwrite.h"
#include "xonly.h"

struct seen {
	int sig, code;
	uintptr_t addr, trap, error, cr2;
};

static struct seen seen;
static uintptr_t seen_ip;
static sigjmp_buf jump;

static void leap(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;

	seen = (struct seen){ .sig = sig, .code = info->si_code, .addr = (uintptr_t)info->si_addr };
	seen.trap = uc->uc_mcontext.gregs[REG_TRAPNO];
	seen.error = uc->uc_mcontext.gregs[REG_ERR];
#ifdef __x86_64__
	seen.cr2 = uc->uc_mcontext.gregs[REG_CR2];
#else
	seen.cr2 = uc->uc_mcontext.cr2;
#endif
	seen_ip = uc->uc_mcontext.gregs[REG_PC];
	siglongjmp(jump, 1);
}

static void handle(int sig, void (*fn)(int, siginfo_t *, void *))
{
	struct sigaction sa = { .sa_sigaction = fn, .sa_flags = SA_SIGINFO };

	sigaction(sig, &sa, NULL);
}

static struct seen load(const void *p)
{
	uintptr_t value;

	seen.sig = 0;
	if (!sigsetjmp(jump, 1))
		asm volatile("mov (%1), %0" : "=r"(value) : "r"(p));
	return seen;
}

static struct seen ptwrite(const void *p)
{
	seen.sig = 0;
	if (!sigsetjmp(jump, 1))
		asm volatile(PTWRITE " (%0)" : : "r"(p));
	return seen;
}

static void compare(const char *name, const void *p)
{
	struct seen want = load(p), got = ptwrite(p);

	say("%s: %s\n", name, !memcmp(&got, &want, sizeof(got)) && got.sig ? "same" : "other");
	if (memcmp(&got, &want, sizeof(got)))
		say("# signal %d, %d; code %d, %d; address %lx, %lx; trap %lu, %lu; error %lx, %lx; CR2 %lx, %lx\n",
		    got.sig, want.sig, got.code, want.code, (long)got.addr, (long)want.addr,
		    (long)got.trap, (long)want.trap, (long)got.error, (long)want.error,
		    (long)got.cr2, (long)want.cr2);
}

/* PTWRITE of what cannot be read is as a load of the same */
int faults(void)
{
	int fd = syscall(SYS_memfd_create, "faults", 0);
	char *p = pages(4), *file = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

	handle(SIGSEGV, leap);
	handle(SIGBUS, leap);
	mprotect(p + 4096, 4096, PROT_NONE);
	munmap(p + 3 * 4096, 4096);
	compare("null", (void *)16);
	compare("PROT_NONE", p + 4096 + 24);
	compare("into PROT_NONE", p + 4096 - 1);
	compare("out of PROT_NONE", p + 2 * 4096 - 1);
	compare("unmapped", p + 3 * 4096);
	compare("into nothing", p + 3 * 4096 - 2);
	compare("behind the end of a file", file + 8);
#ifdef __x86_64__
	compare("kernel", (void *)0xffff888000000000);
	compare("not canonical", (void *)0x8000000000000000);
	compare("behind the last of the user's", (void *)0x7ffffffff000);
	/* The stack's segment tells by another exception; QEMU 7.2 does not know. */
	if (!sigsetjmp(jump, 1))
		asm volatile("push %%rbp\n\tmov %0, %%rbp\n\tptwriteq 8(%%rbp)"
			     : : "r"(0x8000000000000000));
	say("not canonical, stack: %d %d trap %d\n", seen.sig, seen.code, (int)seen.trap);
#else
	compare("the last page", (void *)0xfffff000);
#endif
	return 0;
}

int wild(void)
{
	asm volatile(PTWRITE " (%0)" : : "r"(16L));
	return 0;
}

/* A fault that the program does not want to know of ends it. */
int blocked(void)
{
	sigset_t set;

	handle(SIGSEGV, leap);
	sigemptyset(&set);
	sigaddset(&set, SIGSEGV);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return wild();
}

#define ILLEGAL(bytes) do { \
	uintptr_t _at; \
	seen.sig = 0; \
	if (!sigsetjmp(jump, 1)) { \
		asm volatile(PUT_IP ".byte " bytes : "=&r"(_at) : : "memory"); \
	} \
	say("%s: signal %d code %d trap %d at itself %d\n", bytes, seen.sig, seen.code, \
	    (int)seen.trap, seen.addr == seen_ip); \
} while (0)

int illegal(void)
{
	handle(SIGILL, leap);
	ILLEGAL("0x66,0xf3,0x0f,0xae,0xe0");
	ILLEGAL("0xf3,0x66,0x0f,0xae,0xe0");
	ILLEGAL("0xf0,0xf3,0x0f,0xae,0xe0");
	ILLEGAL("0xf3,0xf2,0x0f,0xae,0xe0");
	ILLEGAL("0x0f,0x0b");
	return 0;
}

/* Code that can be executed and not read, where the processor has protection keys */
int xonly(void)
{
#ifdef __x86_64__
	uint8_t *page = mmap((void *)XONLY_AT, 4096, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	int i;

	if (page == MAP_FAILED)
		return 2;
	memcpy(page, xonly_code, sizeof(xonly_code));
	if (mprotect(page, 4096, PROT_EXEC))
		return 3;
	handle(SIGILL, leap);
	for (i = 0; i < 5; i++) {
		asm volatile("call *%0" : : "r"(page), "c"(words) : "memory");
		expect(XONLY_AT, at(words), "ptwrite (rcx) that cannot be read");
	}
	if (!sigsetjmp(jump, 1))
		asm volatile("jmp *%0" : : "r"(page + XONLY_UD2));
	say("signal %d code %d trap %d at %lx\n", seen.sig, seen.code, (int)seen.trap,
	    (long)seen.addr);
#endif
	return 0;
}

/* ---- TF ---- */

static uintptr_t traps[32];
static volatile unsigned int ntraps;
static bool all_traced;

static void trapped(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;

	(void)sig;
	all_traced &= info->si_code == TRAP_TRACE;
	if (ntraps < 32)
		traps[ntraps++] = uc->uc_mcontext.gregs[REG_PC];
}

/* PTWRITEs, of a register and of memory that is not there, or NOPs that are as long */
#define PTWRITES "ptwrite %%ecx\n\tptwritel (%2)\n\tptwrite %%ecx\n\t"
#define NOPS ".byte 0x0f,0x1f,0x40,0\n\t.byte 0x0f,0x1f,0x40,0\n\t.byte 0x0f,0x1f,0x40,0\n\t"

/* Each instruction with TF set by the program itself; traps[] relative to the first */
#define BY_ITSELF(insns, page) do { \
	uintptr_t _at, _sp = 0; \
	unsigned int _i; \
	ntraps = 0; \
	asm volatile(PUSHF PUSHF "orl $0x100, (%%" SP ")\n\t" POPF \
		     PUT_IP "nop\n\t" insns "nop\n\t" POPF "nop" \
		     : "=&r"(_at), "+r"(_sp) : "d"(page) : "memory", "cc", "ecx"); \
	for (_i = 0; _i < ntraps; _i++) \
		traps[_i] -= _at; \
} while (0)

/* A program that steps itself meets a PTWRITE as any other instruction. */
int selftf(void)
{
	uintptr_t want[32];
	unsigned int n;
	char *p = pages(1);

	handle(SIGTRAP, trapped);
	all_traced = true;
	BY_ITSELF(NOPS, p);
	n = ntraps;
	memcpy(want, traps, sizeof(want));
	BY_ITSELF(PTWRITES, p);
	say("traps %d, %s, %s\n", n > 5, n == ntraps && !memcmp(want, traps, n * sizeof(*want)) ?
	    "same" : "other", all_traced ? "each of one instruction" : "of something else");
	return 0;
}

/* What a debugger steps over, from its SIGSTOP on */
#define STOPS(insns) do { \
	char *_p = pages(1); \
	raise(SIGSTOP); \
	asm volatile("nop\n\t" insns "nop" : : "r"(0), "r"(0), "r"(_p) : "memory", "ecx"); \
	_exit(42); \
} while (0)

int stops(void) { STOPS(PTWRITES); }
int nopstops(void) { STOPS(NOPS); }
