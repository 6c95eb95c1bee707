// SPDX-License-Identifier: BSD-2-Clause
/* System calls of this program, by their numbers: those that are written down, and no others */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

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
	"unknown:	mov	(%rdi), %eax\n"
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

static bool is_none(uint32_t nr)
{
	(void)nr;
	return false;
}

static bool is_exit(uint32_t nr)
{
	return nr == SYS_exit_group;
}

static bool is_any(uint32_t nr)
{
	return nr < 500;
}

/* Return: how many there are, or -errno */
static long count(const char *path, bool (*wanted)(uint32_t nr), unsigned int looks)
{
	struct named_list list = { 0 };
	int fd = open(path, O_RDONLY);
	long ret = syscalls_find(fd, wanted, &list, &looks);

	if (!ret)
		ret = (long)list.nr;
	free(list.offset);
	if (fd >= 0)
		close(fd);
	return ret;
}

int main(void)
{
	static const char ldso[] = "/lib64/ld-linux-x86-64.so.2";
	const long all = count("/proc/self/exe", is_ours, 1000);
	const long unknown = count("/proc/self/exe", is_none, 1000);
	const long exits = count(ldso, is_exit, 1000), any = count(ldso, is_any, 1000);

	kit_ok(unknown > 0, "calls whose number is not known: %ld", unknown);
	kit_ok(all - unknown == 4, "those with our numbers, and no others: %ld", all - unknown);
	kit_ok(exits > 0 && any > exits + 10, "of ld.so %ld may exit, of %ld", exits, any);
	kit_ok(count(ldso, is_any, 5) == -E2BIG, "there are too many to look at");
	kit_ok(count("/dev/null", is_any, 5) == -ENOEXEC && count("/", is_any, 5) == -ENOEXEC &&
	       count("/none", is_any, 5) == -ENOEXEC, "what is no program has none");
	return kit_done();
}
