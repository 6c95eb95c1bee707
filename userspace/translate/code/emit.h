/* SPDX-License-Identifier: BSD-2-Clause */
/* Machine code that translations are made of. None of it changes a flag. */
#ifndef SOFTPT_XL_CODE_H
#define SOFTPT_XL_CODE_H

#include "block.h"
#include "../types.h"

/* words.rcx = RCX, and back */
void put_spill(void);
void put_unspill(void);
/* jmp @to */
void put_jump(u32 to);
/* A record; RCX is spilled throughout */
void put_record_spilled(u32 record);
/* The same, with RCX the program's */
void put_record(u32 record);
/* push $@addr */
void put_push(u32 addr);
/* rsp += @n */
void put_pop(u32 n);
/* rcx = [rsp]; pop rcx */
void put_load_return(void);
void put_pop_rcx(void);
/* rcx = what the indirect branch at @code, that is at @addr, goes to */
void put_load_target(const u8 *code, const struct softpt_x86 *insn, u32 addr);
/* words.scratch = the operand of the PTWRITE at @code, that is at @addr; RCX is lost */
void put_load_value(const u8 *code, const struct softpt_x86 *insn, u32 addr);
/* An instruction of the program's, from @addr. Return: false: its operand is out of reach */
bool put_copy(const u8 *code, const struct softpt_x86 *insn, u32 addr);
/* The same, with the address of its operand in a register: that is a run of its own. */
void put_far_copy(const u8 *code, const struct softpt_x86 *insn, u32 addr);
/* jcc, its opposite for @invert, to what put_here() says later. Return: where that is to be told */
u8 *put_jcc(u8 condition);
/* if rcx != @value go to what put_here() says later. Flags are kept; RCX is lost. */
u8 *put_unless(u32 value);
void put_here(u8 *from);
/* ++*(u32 *)@counter; RCX is spilled meanwhile */
void put_count(const u32 *counter);
/* Instructions of 5 and 7 bytes that do nothing */
void put_nop5(void);
void put_nop7(void);

#endif /* SOFTPT_XL_CODE_H */
