// SPDX-License-Identifier: BSD-2-Clause
/* System calls of this program, by their numbers: those that are written down, and no others */
#include <errno.h>
#include <fcntl.h>
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

/* How many there are: with a number of [@from, @to], in all, and of no known number */
struct counts {
	uint32_t from, to;
	long ours;
	long all;
	long unknown;
};

static void count(void *ctx, uint64_t offset, uint32_t nr)
{
	struct counts *c = ctx;

	(void)offset;
	c->all++;
	c->ours += nr >= c->from && nr <= c->to;
	c->unknown += nr == SYSCALLS_UNKNOWN;
}

/* Return: as syscalls_each() */
static int count_all(const char *path, struct counts *c, unsigned int looks)
{
	int fd = open(path, O_RDONLY), ret = syscalls_each(fd, count, c, &looks);

	if (fd >= 0)
		close(fd);
	return ret;
}

int main(void)
{
	static const char ldso[] = "/lib64/ld-linux-x86-64.so.2";
	struct counts here = { .from = 9000, .to = 9001 }, none = { 0 };
	struct counts exits = { .from = SYS_exit_group, .to = SYS_exit_group };

	kit_is(count_all("/proc/self/exe", &here, 1000), 0, "this program is read");
	kit_ok(here.ours == 4, "calls with our numbers: %ld", here.ours);
	kit_ok(here.all - here.unknown == 6, "with known numbers: %ld", here.all - here.unknown);
	kit_ok(here.unknown > 0, "calls whose number is not known: %ld", here.unknown);
	kit_is(count_all(ldso, &exits, 1000), 0, "ld.so is read");
	kit_ok(exits.ours > 0 && exits.all > exits.ours + 10, "%ld of its calls exit, of %ld",
	       exits.ours, exits.all);
	kit_ok(count_all(ldso, &none, 5) == -E2BIG, "there are too many to look at");
	none.all = 0;
	kit_ok(count_all("/dev/null", &none, 5) == -ENOEXEC &&
	       count_all("/", &none, 5) == -ENOEXEC &&
	       count_all("/none", &none, 5) == -ENOEXEC && !none.all,
	       "what is no program has none");
	return kit_done();
}
