/* SPDX-License-Identifier: BSD-2-Clause */
/* What the stepped works of one task and of several share */
#ifndef SOFTPT_TARGET_H
#define SOFTPT_TARGET_H

#include "say.h"

#define TF	0x100

extern volatile unsigned long sum;	/* what the works have computed, told at the end */

unsigned long switchy(unsigned long x);
int calls(void);
unsigned long read_flags(void);
/* Rounds of a sum, until standard input has something; counts those that went @wrong */
void *rounds(void *wrong);
unsigned long round_of(unsigned long x);

/* ---- works of tasks.c ---- */

int forks(void);
int threads(void);
int crew(void);
int family(void);
int spawn(void);
int crowd(void);
int orphan(void);
int again(void);
int pair(void);

#endif
