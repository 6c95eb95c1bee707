/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What softpt record --freeze finds: instructions of which each causes an event, at addresses known
 * beforehand (linked to 0x401000): no library. It begins with
 *
 *	0x401100 + 16 K		the K-th of 16 stores, each to a page of its own (from 0)
 *	0x401200 + 16 K		the K-th of 16 system calls (getppid), then exit(7)
 *
 * With an argument it makes a thread and does the same in both; the thread's are 0x1000 higher
 * (from 0x402000 on). With two it stores to no page at all and dies of that, at 0x401040. With
 * three it moves to CPU 1 and back to 0 between any two of the stores, the K-th of which is at
 *
 *	0x403100 + 64 K
 */
#include <asm/unistd.h>

#define FLAGS	0x10f00		/* CLONE_VM, _FS, _FILES, _SIGHAND, _THREAD */

	.macro	work
	.rept	16
	.balign	16
	movb	$1, (%rdi)
	add	%rsi, %rdi
	.endr
	.balign	16
	.rept	16
	.balign	16
	syscall
	mov	$__NR_getppid, %eax
	.endr
	.balign	16
	mov	$__NR_exit, %eax
	mov	$7, %edi
	syscall
	.endm

	.globl	_start
_start:
	mov	$4096, %esi
	cmpl	$2, (%rsp)
	jl	alone
	cmpl	$3, (%rsp)
	je	die
	jg	moves

	mov	$__NR_clone, %eax
	mov	$FLAGS, %edi
	lea	stack(%rip), %rsi
	syscall
	mov	$4096, %esi
	test	%eax, %eax
	jz	thread
	jmp	alone

	.org	_start + 0x40
die:
	movb	$1, 0
	jmp	die

	.org	_start + 0xe0
alone:
	lea	pages(%rip), %rdi
	mov	$__NR_getppid, %eax
	.org	_start + 0x100, 0x90
	work

	.org	_start + 0x10e0
thread:
	lea	others(%rip), %rdi
	mov	$__NR_getppid, %eax
	.org	_start + 0x1100, 0x90
	work

	.org	_start + 0x20e0
moves:
	lea	pages(%rip), %rbx
	mov	$2, %ebp		/* a mask: CPU 1 comes next */
	.org	_start + 0x2100, 0x90
	.rept	16
	.balign	64
	movb	$1, (%rbx)
	add	$4096, %rbx
	mov	%rbp, (%rsp)		/* over argc: below it may be a page that is not there yet */
	xor	$3, %ebp
	mov	$__NR_sched_setaffinity, %eax
	xor	%edi, %edi
	mov	$8, %esi
	mov	%rsp, %rdx
	syscall
	.endr
	mov	$__NR_exit, %eax
	mov	$7, %edi
	syscall

	.bss
	.balign	4096
pages:	.space	16 * 4096
others:	.space	16 * 4096
	.space	4096
stack:

	.section .note.GNU-stack, "", @progbits
