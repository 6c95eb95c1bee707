/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Between the translation and the runtime. GS is the thread's words throughout.
 *
 * Labels that begin with at_ are instructions where a signal handler finds the thread (signal.c).
 */
#include "layout.h"
#include "thread.h"

	.text

/* The same where the index is not the whole target, which words.target has */
	.globl xl_miss_wide
xl_miss_wide:
	mov	%gs:W_RCX, %rcx
	movl	$0, %gs:W_LINK
	jmp	xl_enter

/* A hole of the table: RCX is the target, words.rcx the program's RCX. */
	.globl xl_miss
xl_miss:
	mov	%rcx, %gs:W_TARGET
	mov	%gs:W_RCX, %rcx
	movl	$0, %gs:W_LINK

/* words.link says what the dispatcher is to do. */
	.globl xl_enter
xl_enter:
	mov	%rsp, %gs:W_RSP
	mov	%gs:W_STACK, %rsp
	pushfq
	push	%r15
	push	%r14
	push	%r13
	push	%r12
	push	%r11
	push	%r10
	push	%r9
	push	%r8
	push	%rdi
	push	%rsi
	push	%rbp
	push	%rbx
	push	%rdx
	push	%rcx
	push	%rax
	pushq	$2			/* neither AC nor DF, which the program may have set */
	popfq
	mov	%rsp, %rdi
	call	dispatch

/* RAX is where to go. From at_pending on a signal handler changes words.jump. */
xl_leave:
	mov	%rax, %gs:W_JUMP
	cmpl	$0, %gs:W_PENDING
	jz	at_pending
	movq	$at_trap, %gs:W_JUMP
	.globl at_pending
at_pending:
	pop	%rax
	pop	%rcx
	pop	%rdx
	pop	%rbx
	pop	%rbp
	pop	%rsi
	pop	%rdi
	pop	%r8
	pop	%r9
	pop	%r10
	pop	%r11
	pop	%r12
	pop	%r13
	pop	%r14
	pop	%r15
	popfq
	mov	%gs:W_RSP, %rsp
	jmp	*%gs:W_JUMP

/* All registers are the program's: the signal that is held is delivered, at thread.pc. */
	.globl at_trap
at_trap:
	int3

/* The handler of all signals */
	.globl xl_signal
xl_signal:
	jmp	on_signal

/* guest_call(nr, a, b, c, d, e, f): a system call of the program's; XL_ABORT if a signal came */
	.globl guest_call
guest_call:
	mov	%rdi, %rax
	mov	%rsi, %rdi
	mov	%rdx, %rsi
	mov	%rcx, %rdx
	mov	%r8, %r10
	mov	%r9, %r8
	mov	8(%rsp), %r9
	.globl at_call_check, at_call, at_call_abort
at_call_check:
	cmpl	$0, %gs:W_PENDING
	jnz	at_call_abort
at_call:
	syscall
	ret
at_call_abort:
	mov	$XL_ABORT, %rax
	ret

/*
 * clone_thread(flags, stack, parent_tid, child_tid, tls, thread): as clone(). The new thread has
 * a struct context on @stack, and its struct thread.
 */
	.globl clone_thread
clone_thread:
	mov	%rcx, %r10
	mov	$56, %eax
	syscall
	test	%rax, %rax
	jz	1f
	ret
1:	mov	(%r9), %rsi		/* thread.words */
	mov	$0x1001, %edi		/* ARCH_SET_GS */
	mov	$158, %eax
	syscall
	mov	%r9, %rdi
	call	thread_begin
	jmp	xl_leave

/* guest_copy(dst, src, n): either is the program's memory. Return: bytes that a fault left */
	.globl guest_copy, at_copy, at_copy_fault
guest_copy:
	mov	%rdx, %rcx
at_copy:
	rep movsb
at_copy_fault:
	mov	%rcx, %rax
	ret

/* thread_gone(words.tid, status): the slot is free, and this stack with it. */
	.globl thread_gone
thread_gone:
	movl	$0, (%rdi)
	mov	%esi, %edi
	mov	$60, %eax
	syscall

/* frame_restore(frame): rt_sigreturn() of a struct ucontext */
	.globl frame_restore, at_restore
frame_restore:
	mov	%rdi, %rsp
at_restore:
	mov	$15, %eax
	syscall

/* program_start(to, sp): all registers are 0, as the kernel has it. */
	.globl program_start
program_start:
	mov	%rsi, %rsp
	mov	%rdi, %gs:W_JUMP
	xor	%eax, %eax
	xor	%ebx, %ebx
	xor	%ecx, %ecx
	xor	%edx, %edx
	xor	%esi, %esi
	xor	%edi, %edi
	xor	%ebp, %ebp
	xor	%r8d, %r8d
	xor	%r9d, %r9d
	xor	%r10d, %r10d
	xor	%r11d, %r11d
	xor	%r12d, %r12d
	xor	%r13d, %r13d
	xor	%r14d, %r14d
	xor	%r15d, %r15d
	jmp	*%gs:W_JUMP

/* Where a recorder takes a thread over (attach.h): RDI is the struct thread, RSP at its registers */
at_enter:
	mov	%gs:W_SELF, %rdi
	call	attach_enter
	jmp	xl_leave

at_give_back:
	mov	%gs:W_SELF, %rdi
	call	attach_give_back
	jmp	xl_leave

at_done:
	int3

/* attach_failed(why) */
	.globl attach_failed
attach_failed:
	mov	%rdi, %rax
at_failed:
	int3

/* struct softpt_xl_attach */
	.balign	8
	.quad	0x686361747461736f
	.quad	attach_begin
	.quad	attach_take
	.quad	attach_end
	.quad	at_enter
	.quad	at_give_back
	.quad	at_done + 1
	.quad	at_failed + 1
	.quad	at_call_check
	.quad	at_call + 2
	.quad	XL_COLD, XL_CACHE_END - XL_COLD
	.quad	XL_TABLE, XL_TABLE_WIDE
	.quad	attach_release
	.globl _start
_start:
	mov	%rsp, %rdi
	and	$-16, %rsp
	call	runtime_main

	.section .note.GNU-stack, "", @progbits
