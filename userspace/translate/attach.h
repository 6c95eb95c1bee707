/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process that runs already is taken over, and given back. The recorder has stopped all of its
 * threads, and lets one of them call these (struct softpt_xl_attach).
 */
#ifndef SOFTPT_XL_ATTACH_H
#define SOFTPT_XL_ATTACH_H

#include "thread.h"

/* @fd: of the file that the recorder shares. Nothing is to be seen of it afterwards. */
void attach_begin(int fd);
/*
 * A thread is to be taken over, with its registers at its stack's top.
 *
 * @tid: the thread; above that the system call that restart_syscall() goes on with, or 0
 * @rseq: its area of restartable sequences, or 0
 * @kind: size of that, and its signature << 32
 *
 * Return: its words, NULL: there is no memory
 */
struct softpt_xl_words *attach_take(u64 tid, u64 pc, u64 mask, u64 rsp, u64 rseq, u64 kind);
/* In the thread itself, with everything blocked. Return: where it goes */
u64 attach_enter(struct thread *t);
/* The thread is at thread.pc. Return: where it goes */
u64 attach_give_back(struct thread *t);
/* The caller is the thread, which executes the program itself: it goes on so. */
void attach_release(void);
/*
 * No thread is in translation, or will be: code and signal handlers are the program's again.
 *
 * Return: whether that could be done
 */
u64 attach_end(void);

#endif /* SOFTPT_XL_ATTACH_H */
