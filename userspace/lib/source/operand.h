/* SPDX-License-Identifier: BSD-2-Clause */
/* What an instruction of a stepped thread reads */
#ifndef SOFTPT_SOURCE_OPERAND_H
#define SOFTPT_SOURCE_OPERAND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>

#include "../../../kmod/x86/operand.h"
#include "source/stepper.h"

enum stepper_read {
	STEPPER_READ,
	STEPPER_FAULT,		/* at @fault */
	STEPPER_UNKNOWN,	/* in a segment that can't be told */
};

/**
 * stepper_operand() - the value of an operand
 * @s: the thread
 * @op: the operand
 * @regs: before or after an instruction that changes none of them
 * @next: the address behind it
 * @long_mode: the instruction is executed in 64-bit mode
 * @value: set with STEPPER_READ
 * @fault: set with STEPPER_FAULT
 */
enum stepper_read stepper_operand(const struct stepper *s, const struct softpt_operand *op,
				  const struct user_regs_struct *regs, uint64_t next,
				  bool long_mode, uint64_t *value, uint64_t *fault);

#endif /* SOFTPT_SOURCE_OPERAND_H */
