// SPDX-License-Identifier: BSD-2-Clause
/* System calls of this program, by their numbers: those that are written down, and no others */
#include <stdlib.h>
#include <sys/syscall.h>

#include "userspace/lib/code/syscalls.h"
#include "selftests/kit/kit.h"

/* 9000 and 9001 are looked for. 0x050f is SYSCALL, but not in the middle of an instruction. */
asm(".text\n"
	"plain:		mov	$9000, %eax\n"
	"		syscall\n"
	"		ret\n"
	"wide:		movq	$9001, %rax\n"
	"		mov	%rcx, %r10\n"
	"		syscall\n"
	"		ret\n"
	"moved:		mov	$9000, %r9d\n"
	"		jmp	2f\n"
	"		nopw	0x12345678(%rax, %rax)\n"
	"2:		mov	%r9d, %eax\n"
	"		syscall\n"
	"		ret\n"
	"far:		mov	$9001, %edx\n"
	"		.rept	20\n"
	"		movabs	$0x050f050f050f050f, %rcx\n"
	"		.endr\n"
	"		mov	%edx, %eax\n"
	"		syscall\n"
	"		ret\n"
	"other:		mov	$9002, %eax\n"
	"		syscall\n"
	"		ret\n"
	"last:		mov	$9000, %eax\n"
	"		mov	$9002, %eax\n"
	"		syscall\n"
	"		ret\n"
	"immediate:	mov	$9000, %eax\n"
	"		mov	$0x050f050f, %edi\n"
	"		add	$0x050f050f, %eax\n"
	"		ret\n");

static bool is_ours(uint32_t nr)
{
	return nr == 9000 || nr == 9001;
}

static bool is_exit(uint32_t nr)
{
	return nr == SYS_exit_group;
}

static bool is_any(uint32_t nr)
{
	return nr < 500;
}

static void here(void)
{
	struct named_list list = { 0 };

	kit_is(syscalls_find("/proc/self/exe", is_ours, &list), 0, "this program is read");
	kit_ok(list.nr == 4, "its system calls are found, and no others: %zu", list.nr);
	free(list.offset);
}

static void elsewhere(void)
{
	struct named_list list = { 0 }, all = { 0 };

	kit_is(syscalls_find("/lib64/ld-linux-x86-64.so.2", is_exit, &list), 0, "ld.so is read");
	kit_ok(list.nr > 0, "it exits");
	syscalls_find("/lib64/ld-linux-x86-64.so.2", is_any, &all);
	kit_ok(all.nr > list.nr + 10, "which is not all that it does");
	free(list.offset);
	free(all.offset);
	list = (struct named_list){ 0 };
	kit_ok(syscalls_find("/dev/null", is_any, &list) && syscalls_find("/", is_any, &list) &&
	       syscalls_find("/none", is_any, &list) && !list.nr, "what is no program has none");
	free(list.offset);
}

int main(void)
{
	here();
	elsewhere();
	return kit_done();
}
