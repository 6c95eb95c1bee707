// SPDX-License-Identifier: BSD-2-Clause
/*
 * usage: registers write|read|canonical|fetch|divide|illegal|privileged|breakpoint|file|abort|
 * handled|child|wait: ends by a signal, with registers that are known; "wait": when it can read
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* All but RSP: 0x1000 and the number of the register, as instructions encode them */
#define SET(register, value)	"mov $0x100" #value ", %%" #register "\n"
#define REGISTERS \
	SET(rax, 0) SET(rcx, 1) SET(rdx, 2) \
	SET(rbx, 3) SET(rbp, 5) SET(rsi, 6) \
	SET(rdi, 7) SET(r8, 8) SET(r9, 9) \
	SET(r10, a) SET(r11, b) SET(r12, c) \
	SET(r13, d) SET(r14, e) SET(r15, f)

#define END(what, insn) \
	do { \
		if (!strcmp(mode, what)) \
			asm volatile(REGISTERS insn ::: "memory"); \
	} while (0)

static sigjmp_buf back;

static void on_fault(int sig)
{
	siglongjmp(back, sig);
}

static int handled(void)
{
	signal(SIGSEGV, on_fault);
	if (!sigsetjmp(back, 1))
		*(volatile int *)8 = 1;
	return 0;
}

/* A mapping that the file behind it does not reach */
static void *beyond_file(void)
{
	FILE *f = tmpfile();

	return mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(f), 0);
}

static void end(const char *mode)
{
	if (!strcmp(mode, "abort"))
		abort();
	END("write", "movl %%ebx, -0x800(%%rax,%%r12,2)");
	END("read", "addb 3(%%r9), %%al");
	END("canonical", "shl $40, %%r13\n add $8, %%r13\n mov (%%r13,%%r13,8), %%rax");
	END("fetch", "jmp *%%r8");
	END("divide", "xor %%ecx, %%ecx\n div %%ecx");
	END("illegal", "ud2");
	END("privileged", "hlt");
	END("breakpoint", "int3");
	if (!strcmp(mode, "file"))
		asm volatile("mov %0, %%rbx\n mov 0x10(%%rbx), %%rcx" :: "r"(beyond_file()));
}

int main(int argc, char **argv)
{
	char byte;

	if (argc < 2)
		return 2;
	if (!strcmp(argv[1], "handled"))
		return handled();
	if (!strcmp(argv[1], "wait"))
		end(read(0, &byte, 1) < 0 ? "" : "write");
	if (!strcmp(argv[1], "child")) {
		if (!fork())
			end("read");
		wait(NULL);
		return 0;
	}
	end(argv[1]);
	return 3;
}
