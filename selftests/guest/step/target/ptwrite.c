// SPDX-License-Identifier: BSD-2-Clause
/*
 * Programs with PTWRITE in them: target-ptwrite WORK [quiet]. Each says what the trace must
 * hold ("ptw IP VALUE NAME"), and of the rest, what the processor does where it is asked the
 * same by another instruction.
 */
#include <asm/prctl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ptwrite.h"

void expect(uintptr_t ip, uint64_t value, const char *name)
{
	say("ptw %lx %llx %s\n", (unsigned long)ip, (unsigned long long)value, name);
}

uint64_t words[1024] = {
	0x1122334455667788, 0x2233, 0x8877665544332211, 0xf0000000, 0x5a5a5a5a5a5a5a5a, 1, 0, ~0ULL,
};

uint64_t at(const void *p)
{
	uint64_t value = 0;

	memcpy(&value, p, WIDTH);
	return value;
}

/* ---- forms ---- */

#ifdef __x86_64__
static uint32_t low(uint64_t value)
{
	return value;
}

static void registers(void)
{
	const uint64_t v = 0x1234567887654321;
	uint64_t sp;
	uintptr_t ip;

	PTW_BY("rax", "ptwrite %%rax", v, v);
	PTW_BY("rcx", "ptwrite %%rcx", v + 1, v + 1);
	PTW_BY("rdx", "ptwrite %%rdx", v + 2, v + 2);
	PTW_BY("rbx", "ptwrite %%rbx", v + 3, v + 3);
	PTW_BY("rsi", "ptwrite %%rsi", v + 4, v + 4);
	PTW_BY("rdi", "ptwrite %%rdi", v + 5, v + 5);
	PTW_BY("r8", "ptwrite %%r8", v + 6, v + 6);
	PTW_BY("r9", "ptwrite %%r9", v + 7, v + 7);
	PTW_BY("r10", "ptwrite %%r10", v + 8, v + 8);
	PTW_BY("r11", "ptwrite %%r11", v + 9, v + 9);
	PTW_BY("r12", "ptwrite %%r12", v + 10, v + 10);
	PTW_BY("r13", "ptwrite %%r13", v + 11, v + 11);
	PTW_BY("r14", "ptwrite %%r14", v + 12, v + 12);
	PTW_BY("r15", "ptwrite %%r15", v + 13, v + 13);
	PTW_BY("rax", "ptwrite %%eax", low(v), v);
	PTW_BY("r15", "ptwrite %%r15d", low(v), v);
	PTW_BY("rbx", "ptwrite %%ebx", 0, 0UL);
	asm volatile("mov %%rsp, %1\n\t" PUT_IP "ptwrite %%rsp" : "=&r"(ip), "=&r"(sp));
	expect(ip, sp, "ptwrite rsp");
	asm volatile("push %%rbp\n\tmov %2, %%rbp\n\tlea 1f(%%rip), %0\n1:\tptwrite %%rbp\n\tpop %%rbp"
		     : "=&r"(ip), "=&r"(sp) : "r"(v));
	expect(ip, v, "ptwrite rbp");
}

static void addresses(void)
{
	static uint64_t here = 0x0102030405060708;
	const uint64_t junk = 0xdead000000000000;
	uint64_t *w = words;
	uintptr_t ip, value;

	PTW("ptwriteq (%1)", w[0], "r"(w));
	PTW("ptwritel (%1)", low(w[2]), "r"(w + 2));
	PTW("ptwriteq 16(%1)", w[2], "r"(w));
	PTW("ptwriteq -8(%1)", w[2], "r"(w + 3));
	PTW("%{disp32%} ptwriteq 8(%1)", w[1], "r"(w));
	PTW("ptwriteq -4096(%1)", w[3], "r"(w + 3 + 512));
	PTW("ptwriteq (%1,%2,8)", w[4], "r"(w), "r"(4L));
	PTW("ptwriteq 8(%1,%2,4)", w[3], "r"(w), "r"(4L));
	PTW("ptwriteq (%1,%2)", w[0], "r"(w + 3), "r"(-24L));
	PTW("ptwriteq words(,%1,8)", w[7], "r"(7L));
	PTW("ptwriteq words+32", w[4], "r"(0));
	PTW("ptwriteq words+32(%%rip)", w[4], "r"(0));
	PTW("ptwritel %a1", low(here), "i"(&here));
	PTW("addr32 ptwriteq words+8(%%eip)", w[1], "r"(0));
	PTW_BY("rbx", "addr32 ptwriteq (%%ebx)", w[2], (uintptr_t)(w + 2) + junk);
	PTW_BY("r9", "addr32 ptwriteq 8(%%r9d)", w[3], (uintptr_t)(w + 2) + junk);
	PTW_BY("r12", "ptwriteq (%%r12)", w[2], w + 2);
	PTW_BY("r12", "ptwriteq 8(%%r12)", w[3], w + 2);
	PTW_BY("r13", "ptwriteq (%%r13)", w[4], w + 4);
	PTW_BY("r12", "ptwriteq words(,%%r12,2)", w[2], 8L);
	PTW_BY("rbx", "ptwriteq %%es:(%%rbx)", w[1], w + 1);
	PTW("ptwriteq 3(%1)", *(uint64_t *)((char *)w + 3), "r"(w));
	asm volatile("push %2\n\t" PUT_IP "ptwriteq (%%rsp)\n\tpop %1"
		     : "=&r"(ip), "=&r"(value) : "r"(junk));
	expect(ip, junk, "ptwriteq (rsp)");
	asm volatile("mov %%fs:0, %1\n\t" PUT_IP "ptwriteq %%fs:0" : "=&r"(ip), "=&r"(value));
	expect(ip, value, "ptwriteq fs:0");
	syscall(SYS_arch_prctl, ARCH_SET_GS, w);
	PTW("ptwriteq %%gs:16(%1)", w[3], "r"(8L));
	syscall(SYS_arch_prctl, ARCH_SET_GS, 0);
}
#else
static void registers(void)
{
	const uint32_t v = 0x87654321;
	uint32_t sp;
	uintptr_t ip;

	PTW_BY("eax", "ptwrite %%eax", v, v);
	PTW_BY("ecx", "ptwrite %%ecx", v + 1, v + 1);
	PTW_BY("edx", "ptwrite %%edx", v + 2, v + 2);
	PTW_BY("ebx", "ptwrite %%ebx", v + 3, v + 3);
	PTW_BY("esi", "ptwrite %%esi", v + 4, v + 4);
	PTW_BY("edi", "ptwrite %%edi", v + 5, v + 5);
	asm volatile("mov %%esp, %1\n\t" PUT_IP "ptwrite %%esp" : "=&r"(ip), "=&r"(sp));
	expect(ip, sp, "ptwrite esp");
}

/* Below 64 KiB, where the superuser may map something */
static void addresses16(void)
{
	uint32_t *w = mmap((void *)0x9000, 4096, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	if (w == MAP_FAILED)
		return;
	memcpy(w, words, 64);
	PTW_BY("ebx", "addr16 ptwritel (%%bx)", w[2], 0xabcd0000 + (uintptr_t)(w + 2));
	PTW_BY("esi", "addr16 ptwritel 4(%%si)", w[3], 0xabcd0000 + (uintptr_t)(w + 2));
	PTW_BY("edi", "addr16 ptwritel -0x6ffc(%%di)", w[3], 0xabcd0008);	/* 0x900c */
	PTW("addr16 ptwritel 0x9010", w[4], "r"(0));
	munmap(w, 4096);
}

static void addresses(void)
{
	uint32_t *w = (uint32_t *)words, value;
	uintptr_t ip;

	PTW("ptwritel (%1)", w[0], "r"(w));
	PTW("ptwritel 8(%1)", w[2], "r"(w));
	PTW("ptwritel -4(%1)", w[2], "r"(w + 3));
	PTW("%{disp32%} ptwritel 4(%1)", w[1], "r"(w));
	PTW("ptwritel (%1,%2,8)", w[4], "r"(w), "r"(2));
	PTW("ptwritel words(,%1,4)", w[5], "r"(5));
	PTW("ptwritel words+12", w[3], "r"(0));
	PTW("ptwritel %%es:(%1)", w[4], "r"(w + 4));
	PTW("ptwritel %%ss:(%1)", w[4], "r"(w + 4));
	PTW("ptwritel %%cs:(%1)", w[4], "r"(w + 4));
	PTW("ptwritel 1(%1)", *(uint32_t *)((char *)w + 1), "r"(w));
	asm volatile("push %2\n\t" PUT_IP "ptwritel (%%esp)\n\tpop %1"
		     : "=&r"(ip), "=&r"(value) : "r"(0x1badcafe));
	expect(ip, 0x1badcafe, "ptwritel (esp)");
	asm volatile("mov %%gs:0, %1\n\t" PUT_IP "ptwritel %%gs:0" : "=&r"(ip), "=&r"(value));
	expect(ip, value, "ptwritel gs:0");
	addresses16();
}
#endif

/* MOV SS holds back the trap until the instruction behind it is done. */
static void behind_movss(void)
{
	uintptr_t ip;

	asm volatile("mov %%ss, %%eax\n\t"
#ifdef __x86_64__
		     "lea 1f(%%rip), %0\n\t"
#else
		     "mov $1f, %0\n\t"
#endif
		     "mov $0x55, %%ecx\n\tmov %%eax, %%ss\n1:\tptwrite %%ecx"
		     : "=&r"(ip) : : "eax", "ecx");
	expect(ip, 0x55, "behind MOV SS");
}

static int forms(void)
{
	registers();
	addresses();
	behind_movss();
	return 0;
}

static int one(void)
{
	PTW("ptwrite %1", 42, "r"(42));
	return 0;
}

/* Enough to find them between other things */
static int loop(void)
{
	unsigned int i;

	for (i = 0; i < 100; i++)
		asm volatile("ptwrite %0" : : "r"(i) : "memory");
	return 0;
}

/* ---- memory that is not there yet ---- */

char *pages(unsigned int n)
{
	return mmap(NULL, n * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static int absent(void)
{
	static const char text[] = "some bytes of a file, which no page table knows";
	int fd = syscall(SYS_memfd_create, "absent", 0);
	char *p = pages(2), *file;

	PTW(PTWRITE " (%1)", 0, "r"(p));
	memset(p + 4096 - WIDTH / 2, 0x5c, WIDTH);
	PTW(PTWRITE " -%c2(%1)", at(p + 4096 - WIDTH / 2), "r"(p + 4096), "i"(WIDTH / 2));
	madvise(p, 8192, MADV_DONTNEED);
	PTW(PTWRITE " -%c2(%1)", 0, "r"(p + 4096), "i"(WIDTH / 2));
	if (fd < 0 || write(fd, text, sizeof(text)) != sizeof(text))
		return 2;
	file = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	PTW(PTWRITE " 4(%1)", at(text + 4), "r"(file));
	return 0;
}

static const struct {
	const char *name;
	int (*fn)(void);
} works[] = {
	{ "forms", forms }, { "one", one }, { "loop", loop }, { "absent", absent },
	{ "faults", faults }, { "blocked", blocked }, { "wild", wild },
	{ "illegal", illegal }, { "xonly", xonly },
	{ "selftf", selftf }, { "stops", stops }, { "nopstops", nopstops },
};

int main(int argc, char **argv)
{
	unsigned int i;

	quiet = argc > 2;
	for (i = 0; argc > 1 && i < sizeof(works) / sizeof(works[0]); i++)
		if (!strcmp(works[i].name, argv[1]))
			return works[i].fn();
	return 100;
}
