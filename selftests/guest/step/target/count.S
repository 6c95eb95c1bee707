/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What softpt stat counts, each number known beforehand: no library. With an argument it
 * forks: the child does the same, and the parent afterwards.
 *
 *	what		instructions	branches	taken	not	calls
 *	1000 rounds	1 + 2 * 1000	1000		999	1	0
 *	200 rounds	1 + 5 * 200	3 * 200		199+200	1+200	0
 *	100 calls	1 + 5 * 100	4 * 100		99+300	1	0
 *	REP, 64 times	3 + 1		0		0	0	0
 *	20 getpid	1 + 4 * 20	20		19	1	20
 *	32 pages	2 + 4 * 32	32		31	1	0
 *	exit		3		0		0	0	1
 *	all		3721		2052		1847	205	21
 *
 *	alone		2		1		1	0	0
 *	parent		12		2		0	2	2
 *	child		2		1		1	0	0
 */
#include <asm/unistd.h>

	.globl _start
_start:
	cmpl	$1, (%rsp)
	je	work
	mov	$__NR_fork, %eax
	syscall
	test	%eax, %eax		/* where a child begins */
	jz	work
	mov	$__NR_wait4, %eax
	mov	$-1, %edi
	xor	%esi, %esi
	xor	%edx, %edx
	xor	%r10d, %r10d
	syscall

work:
	mov	$1000, %ebx
1:	dec	%ebx
	jnz	1b

	mov	$200, %ebx
2:	test	%ebx, %ebx
	jz	9f			/* never */
	jmp	3f
	nop				/* never */
3:	dec	%ebx
	jnz	2b

	mov	$100, %ebx
4:	call	callee
	dec	%ebx
	jnz	4b

	lea	buffer(%rip), %rdi
	mov	$64, %ecx
	xor	%eax, %eax
	rep stosb

	mov	$20, %ebx
5:	mov	$__NR_getpid, %eax
	syscall
	dec	%ebx
	jnz	5b

	lea	pages(%rip), %rdi
	mov	$32, %ebx
6:	movb	$1, (%rdi)
	add	$4096, %rdi
	dec	%ebx
	jnz	6b

9:	mov	$__NR_exit, %eax
	mov	$7, %edi
	syscall

callee:
	jmp	7f
7:	ret

	.data
buffer:
	.fill	64
	.bss
	.balign	4096
	.space	4096
pages:
	.space	32 * 4096

	.section .note.GNU-stack, "", @progbits
