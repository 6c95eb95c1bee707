// SPDX-License-Identifier: BSD-2-Clause
/*
 * What looks like the instruction may be part of another. Decoding from any byte before it soon
 * falls into step with the instructions: where most of such walks come to it, it is one.
 */
#include "code/syscalls.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gelf.h>

#include "../../../kmod/x86/decode.h"

#define BEFORE	320		/* bytes: where walks begin */
#define WALKS	64		/* from so many bytes, one after the other */
#define SIZE_MAX_MB	512u		/* of a segment */

/*
 * What the walks have come to. The number that more than half of those know which know any is
 * @nr in the end, if there is one: each of them cancels one of another.
 */
struct votes {
	unsigned int walks;
	unsigned int here;
	unsigned int known;
	unsigned int lead;
	uint32_t nr;
};

/* What EAX holds in the end: @nr; or what register @reg holds now, if that is not NO_REGISTER */
struct origin {
	uint32_t nr;
	unsigned int reg;
};

/* Where a walk that begins at a byte ends */
struct fate {
	bool here;
	struct origin eax;
};

#define NO_REGISTER	16

static struct origin constant(uint32_t nr)
{
	return (struct origin){ .nr = nr, .reg = NO_REGISTER };
}

static uint32_t immediate(const struct softpt_x86 *x, const uint8_t *code)
{
	return (uint32_t)softpt_x86_signed(code + x->imm, 4);
}

/*
 * Before an instruction, of what is known behind it. Only instructions that make constants are
 * looked at: one that is gone may still be here.
 */
static struct origin before(struct origin o, const struct softpt_x86 *x, const uint8_t *code)
{
	const unsigned int modrm = code[x->modrm], high = x->rex & 1 ? 8 : 0;
	const unsigned int rm = (modrm & 7) + high, reg = (modrm >> 3 & 7) + (x->rex & 4 ? 8 : 0);
	const bool registers = x->modrm && modrm >= 0xc0;

	if (o.reg == NO_REGISTER || x->map)
		return o;
	if ((x->opcode & 0xf8) == 0xb8 && x->imm_len == 4)	/* MOV r32, imm32 */
		return (x->opcode & 7) + high == o.reg ? constant(immediate(x, code)) : o;
	if (x->opcode == 0x8b && x->modrm && reg == o.reg) {	/* MOV r, r/m */
		o.reg = rm;
		return registers ? o : constant(SYSCALLS_UNKNOWN);
	}
	if (!registers || rm != o.reg)
		return o;
	if (x->opcode == 0xc7 && x->imm_len == 4)		/* MOV r/m, imm32 */
		return constant(immediate(x, code));
	if (x->opcode == 0x89)					/* MOV r/m, r */
		o.reg = reg;
	else if ((x->opcode == 0x31 || x->opcode == 0x33) && rm == reg)	/* XOR r, r */
		return constant(0);
	return o;
}

/* A constant of before the walk is not known. */
static void vote(struct votes *v, struct origin eax)
{
	const uint32_t nr = eax.nr;

	v->here++;
	if (eax.reg != NO_REGISTER || nr == SYSCALLS_UNKNOWN)
		return;
	v->known++;
	if (!v->lead)
		v->nr = nr;
	if (v->nr == nr)
		v->lead++;
	else
		v->lead--;
}

/* Of the bytes before @at, @n of them: the last first, for each walk goes on as a later one does */
static void find_fates(struct fate *fate, const uint8_t *at, unsigned int n)
{
	const uint8_t *from = at - n;
	struct softpt_x86 x;
	unsigned int i, next;

	fate[n] = (struct fate){ .here = true };
	for (i = n; i--;) {
		softpt_x86_decode(from + i, n + 2 - i, &x);
		next = i + x.len;
		fate[i].here = next <= n && fate[next].here;
		if (fate[i].here)
			fate[i].eax = before(fate[next].eax, &x, from + i);
	}
}

/* Return: whether it is one; @nr: its number */
static bool is_call(const uint8_t *code, const uint8_t *at, uint32_t *nr)
{
	const unsigned int n = at - code < BEFORE ? (unsigned int)(at - code) : BEFORE;
	struct fate fate[BEFORE + 1];
	struct votes v = { 0 };

	find_fates(fate, at, n);
	for (; v.walks < n && v.walks < WALKS; v.walks++)
		if (fate[v.walks].here)
			vote(&v, fate[v.walks].eax);
	*nr = v.lead && v.here <= 2 * v.known ? v.nr : SYSCALLS_UNKNOWN;
	return v.here * 4 >= v.walks * 3;
}

uint32_t syscalls_number(const uint8_t *code, size_t n)
{
	uint32_t nr = SYSCALLS_UNKNOWN;

	if (n >= 2)
		is_call(code, code + n - 2, &nr);
	return nr;
}

static int find_in(const uint8_t *code, size_t len, uint64_t offset, syscalls_fn each, void *ctx,
		   unsigned int *looks)
{
	static const uint8_t syscall[] = { 0x0f, 0x05 };
	const uint8_t *at = code, *end = code + len;
	uint32_t nr;

	while ((at = memmem(at, end - at, syscall, sizeof(syscall)))) {
		if (!*looks)
			return -E2BIG;
		(*looks)--;
		if (is_call(code, at, &nr))
			each(ctx, offset + (at - code), nr);
		at += sizeof(syscall);
	}
	return 0;
}

static int read_segment(int fd, const GElf_Phdr *p, uint8_t *code, size_t *len)
{
	ssize_t n = 0;

	for (*len = 0; *len < p->p_filesz; *len += n) {
		n = pread(fd, code + *len, p->p_filesz - *len, (off_t)(p->p_offset + *len));
		if (n < 0)
			return -ENOEXEC;
		if (!n)
			break;
	}
	return 0;
}

static int find_segment(int fd, const GElf_Phdr *p, syscalls_fn each, void *ctx,
			unsigned int *looks)
{
	uint8_t *code;
	size_t len;
	int err;

	if (p->p_filesz >> 20 >= SIZE_MAX_MB)
		return -E2BIG;
	code = malloc(p->p_filesz + 1);
	if (!code)
		return -ENOMEM;
	err = read_segment(fd, p, code, &len);
	if (!err)
		err = find_in(code, len, p->p_offset, each, ctx, looks);
	free(code);
	return err;
}

static int find(int fd, Elf *elf, syscalls_fn each, void *ctx, unsigned int *looks)
{
	GElf_Ehdr header;
	GElf_Phdr p;
	size_t i, n;
	int err = 0;

	if (!gelf_getehdr(elf, &header) || header.e_machine != EM_X86_64 ||
	    elf_getphdrnum(elf, &n))
		return -ENOEXEC;
	for (i = 0; i < n && !err; i++)
		if (gelf_getphdr(elf, (int)i, &p) && p.p_type == PT_LOAD && p.p_flags & PF_X)
			err = find_segment(fd, &p, each, ctx, looks);
	return err;
}

int syscalls_each(int fd, syscalls_fn each, void *ctx, unsigned int *looks)
{
	Elf *elf;
	int err;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);	/* not mapped: who cuts it off would end us */
	err = elf ? find(fd, elf, each, ctx, looks) : -ENOEXEC;
	elf_end(elf);
	return err;
}
