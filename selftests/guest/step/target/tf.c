// SPDX-License-Identifier: BSD-2-Clause
/*
 * A program that looks for TF wherever the flags are to be seen: R11 after system calls of any
 * number, and what PUSHF pushes in 16-, 32- and 64-bit code, in segments of its LDT too. It says
 * what it sees, sets TF itself there, and loads what it has pushed when it is told to.
 */
#include <asm/ldt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TF	0x100u
#define STACK	0x3000	/* in the low memory: where stacks end */

static uint8_t *low;	/* below 2 GiB: code at its beginning, then a stack */
static uint64_t rsp;
static volatile sig_atomic_t traps;

static void on_trap(int sig)
{
	(void)sig;
	traps++;
}

static unsigned long r11_of(long nr)
{
	unsigned long r11, ret = nr;

	asm volatile("xor %%r11d, %%r11d\n\tsyscall\n\tmov %%r11, %1"
		     : "+a"(ret), "=r"(r11) : "D"(-1), "S"(0), "d"(0) : "rcx", "r11", "memory");
	return r11;
}

static void calls(void)
{
	static const long numbers[] = {
		-1, -2, -4096, 512, 100000, 0xffffffffl, 0x7fffffff, 0x40000000, 1l << 40,
		INT64_MIN, SYS_getppid, SYS_close,
	};

	for (unsigned int i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		printf("call %ld: TF %d\n", numbers[i], !!(r11_of(numbers[i]) & TF));
}

static unsigned int segment(unsigned int entry, bool code, bool wide)
{
	struct user_desc desc = {
		.entry_number = entry, .base_addr = (uintptr_t)low, .limit = 0xffff,
		.seg_32bit = wide, .contents = code ? MODIFY_LDT_CONTENTS_CODE : 0,
	};

	if (syscall(SYS_modify_ldt, 0x11, &desc, sizeof(desc))) {
		printf("no LDT\n");
		fflush(stdout);
		_exit(42);
	}
	return entry << 3 | 7;
}

/*
 * Into @cs, and back by what is put behind @code. Jumps, for far calls and returns of user mode go
 * wrong in QEMU 7.2, which makes them the kernel's accesses. Return: EAX
 */
static unsigned int enter(unsigned int cs, bool wide, const void *code, size_t n)
{
	struct { uint32_t offset; uint16_t cs; } __attribute__((packed)) at = { 0, cs };
	static const uint8_t jump[] = { 0x66, 0xea, 0, 0, 0, 0, 0x33, 0 };
	uint8_t *back = low + n + 2 - wide;
	unsigned int eax = 0;

	memcpy(low, code, n);
	memcpy(low + n, jump + wide, sizeof(jump) - wide);
	asm volatile("mov %%rsp, %[rsp]\n\t"
		     "mov %[stack], %%rsp\n\t"
		     "movl $1f, (%[back])\n\t"
		     "ljmpl *(%[at])\n"
		     "1:\n\t"
		     "mov %[rsp], %%rsp"
		     : "+a"(eax), [rsp] "+m"(rsp), [back] "+D"(back)
		     : [at] "b"(&at), [stack] "S"(low + STACK)
		     : "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
		       "memory", "cc");
	return eax;
}

/* pushf; pop %eax */
static const uint8_t push[] = { 0x9c, 0x58 };

/* The other size of each */
static const uint8_t push_66[] = { 0x66, 0x9c, 0x66, 0x58 };

/*
 * mov %ss, %ecx; mov %esp, %edx; mov $SS, %edi; mov %edi, %ss; mov $0x2000, %esp;
 * pushf; pop %eax; mov %ecx, %ss; mov %edx, %esp
 */
static uint8_t on_stack32[] = {
	0x8c, 0xd1, 0x89, 0xe2, 0xbf, 0, 0, 0, 0, 0x8e, 0xd7, 0xbc, 0, 0x20, 0, 0,
	0x9c, 0x58, 0x8e, 0xd1, 0x89, 0xd4,
};

/* The same with a MOV SS right before the PUSHF: one trap for both */
static uint8_t behind_movss[] = {
	0x8c, 0xd1, 0x89, 0xe2, 0xbf, 0, 0, 0, 0, 0xbc, 0, 0x20, 0, 0, 0x8e, 0xd7,
	0x9c, 0x58, 0x8e, 0xd1, 0x89, 0xd4,
};

/* pushf; orb $1, 1(%esp); popf; nop; nop; pushf; andb $0xfe, 1(%esp); popf */
static const uint8_t own32[] = {
	0x9c, 0x80, 0x4c, 0x24, 1, 1, 0x9d, 0x90, 0x90, 0x9c, 0x80, 0x64, 0x24, 1, 0xfe, 0x9d,
};

static void look(const char *name, unsigned int cs, bool wide, const void *code, size_t n)
{
	printf("%s: TF %d\n", name, !!(enter(cs, wide, code, n) & TF));
}

static void segments(void)
{
	unsigned int cs32 = segment(0, true, true), cs16 = segment(1, true, false);
	unsigned int ss32 = segment(2, false, true), ss16 = segment(3, false, false);

	for (int i = 0; i < 3; i++) {
		look("32-bit pushf", cs32, true, push, sizeof(push));
		look("32-bit pushfw", cs32, true, push_66, sizeof(push_66));
		look("16-bit pushf", cs16, false, push, sizeof(push));
		look("16-bit pushfl", cs16, false, push_66, sizeof(push_66));
	}
	memcpy(on_stack32 + 5, &ss32, 4);
	look("32-bit stack of its own", cs32, true, on_stack32, sizeof(on_stack32));
	memcpy(on_stack32 + 5, &ss16, 4);
	look("16-bit stack of its own", cs32, true, on_stack32, sizeof(on_stack32));
	memcpy(behind_movss + 5, &ss32, 4);
	look("right behind mov to SS", cs32, true, behind_movss, sizeof(behind_movss));
	memcpy(behind_movss + 5, &ss16, 4);
	look("behind mov to SS, 16-bit stack", cs32, true, behind_movss, sizeof(behind_movss));
	signal(SIGTRAP, on_trap);
	enter(cs32, true, own32, sizeof(own32));
	signal(SIGTRAP, SIG_DFL);
	printf("its own TF: %d traps\n", (int)traps);
}

static unsigned long pushed(void)
{
	unsigned long flags;

	asm volatile("pushfq; pop %0" : "=r"(flags) : : "memory");
	return flags;
}

static void load(unsigned long flags)
{
	asm volatile("push %0; popfq; nop; nop" : : "r"(flags) : "memory", "cc");
}

/* What was pushed under the tracer is loaded without it. */
static void later(void)
{
	unsigned int cs32 = segment(0, true, true), cs16 = segment(1, true, false);
	unsigned long flags[] = {
		pushed(), enter(cs32, true, push, sizeof(push)),
		enter(cs16, false, push, sizeof(push)), r11_of(-1),
	};
	char c;

	printf("pushed\n");
	fflush(stdout);
	if (read(0, &c, 1) != 1)
		_exit(1);
	for (unsigned int i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		load((pushed() & ~TF) | (flags[i] & TF));
}

int main(int argc, char **argv)
{
	low = mmap(NULL, 0x10000, PROT_READ | PROT_WRITE | PROT_EXEC,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (low == MAP_FAILED)
		return 1;
	if (argc > 1 && !strcmp(argv[1], "later")) {
		later();
	} else {
		calls();
		segments();
	}
	fflush(stdout);
	return 42;
}
