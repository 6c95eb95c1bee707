/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The event of an instruction, by where execution went on. The step source, the ptrace recorder and
 * the importer of instruction logs share these rules.
 *
 * Pure C, also built in user space (selftests/host/unit/x86/branch-test.c).
 */
#ifndef _SOFTPT_X86_BRANCH_H
#define _SOFTPT_X86_BRANCH_H

#include <linux/softpt.h>

#include "insn.h"

struct softpt_event softpt_branch_event(struct softpt_insn insn, u64 ip, u64 next);
bool softpt_insn_ran_on(struct softpt_insn insn, u64 ip, u64 next);

#endif /* _SOFTPT_X86_BRANCH_H */
