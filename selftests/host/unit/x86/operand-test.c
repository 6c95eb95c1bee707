// SPDX-License-Identifier: BSD-2-Clause
/*
 * Operands of PTWRITE: every ModRM and SIB byte with every REX prefix and size of address
 * against libcapstone, which is shown a MOV with the same bytes, and rows for the rest.
 */
#include <capstone/capstone.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kmod/x86/operand.h"

static unsigned int failed, tests;

static void result(int ok, const char *name)
{
	printf("%s - %s\n", ok ? "ok" : "not ok", name);
	failed += !ok;
	tests++;
}

/* Each register has a value of its own, in all of its parts. */
static u64 value_of(unsigned int reg)
{
	return 0x1234567890abcdefULL * (2 * reg + 1);
}

static struct softpt_operand_state make_state(bool long_mode)
{
	struct softpt_operand_state state = {
		.selector = SOFTPT_FLAT_DATA, .long_mode = long_mode,
	};
	unsigned int i;

	for (i = 0; i < SOFTPT_REG_NR; i++)
		state.reg[i] = value_of(i);
	return state;
}

/* ---- against capstone ---- */

/* Capstone's registers, of each width, by number */
static const x86_reg names[4][16] = {
	{
		X86_REG_RAX, X86_REG_RCX, X86_REG_RDX, X86_REG_RBX, X86_REG_RSP, X86_REG_RBP,
		X86_REG_RSI, X86_REG_RDI, X86_REG_R8, X86_REG_R9, X86_REG_R10, X86_REG_R11,
		X86_REG_R12, X86_REG_R13, X86_REG_R14, X86_REG_R15,
	}, {
		X86_REG_EAX, X86_REG_ECX, X86_REG_EDX, X86_REG_EBX, X86_REG_ESP, X86_REG_EBP,
		X86_REG_ESI, X86_REG_EDI, X86_REG_R8D, X86_REG_R9D, X86_REG_R10D, X86_REG_R11D,
		X86_REG_R12D, X86_REG_R13D, X86_REG_R14D, X86_REG_R15D,
	}, {
		X86_REG_AX, X86_REG_CX, X86_REG_DX, X86_REG_BX, X86_REG_SP, X86_REG_BP,
		X86_REG_SI, X86_REG_DI,
	},
};

/* The value that an address has of a register of capstone's */
static u64 value_named(x86_reg reg)
{
	unsigned int width, i;

	if (reg == X86_REG_INVALID || reg == X86_REG_RIZ || reg == X86_REG_EIZ)
		return 0;
	if (reg == X86_REG_RIP || reg == X86_REG_EIP)
		return value_of(SOFTPT_REG_IP);
	for (width = 0; width < 3; width++)
		for (i = 0; i < 16; i++)
			if (names[width][i] == reg)
				return value_of(i);
	printf("# a register of capstone's that is not known: %d\n", reg);
	return ~0ULL;
}

static u64 cut(u64 value, unsigned int bytes)
{
	return bytes == 8 ? value : value & ((1ULL << 8 * bytes) - 1);
}

struct form {
	bool long_mode, addrsize;
	u8 rex, modrm, sib;
};

/* The bytes of @f with an opcode before its ModRM byte. Return: how many */
static unsigned int assemble(u8 *code, const struct form *f, const char *prefix,
			     const char *opcode)
{
	static const u8 rest[] = { 0x85, 0x72, 0x36, 0x94 };
	unsigned int n = 0;
	u8 rm = f->modrm & 7;

	if (f->addrsize)
		code[n++] = 0x67;
	while (*prefix)
		code[n++] = *prefix++;
	if (f->rex)
		code[n++] = f->rex;
	while (*opcode)
		code[n++] = *opcode++;
	code[n++] = f->modrm;
	if (f->modrm < 0xc0 && rm == 4 && !(f->addrsize && !f->long_mode))
		code[n++] = f->sib;
	memcpy(code + n, rest, sizeof(rest));	/* a displacement, if there is one */
	return n + sizeof(rest);
}

/* What capstone says of it: the register's value, or the offset */
static bool ask(csh handle, cs_insn *in, const struct form *f, u64 *want, unsigned int *len)
{
	u8 code[SOFTPT_INSN_MAX + 4];
	const u8 *p = code;
	size_t n = assemble(code, f, "", "\x8b");
	const cs_x86_op *op;
	uint64_t address = 0;

	if (!cs_disasm_iter(handle, &p, &n, &address, in))
		return false;
	op = &in->detail->x86.operands[1];
	*len = in->size + 2;	/* F3, and 0F AE for 8B */
	if (op->type == X86_OP_REG)
		*want = cut(value_named(op->reg), op->size);
	else
		*want = cut(op->mem.disp + value_named(op->mem.base) +
			    value_named(op->mem.index) * op->mem.scale,
			    in->detail->x86.addr_size);
	return true;
}

static bool same(csh handle, cs_insn *in, const struct form *f)
{
	const struct softpt_operand_state state = make_state(f->long_mode);
	u64 want = 0, got = 0;
	u8 code[SOFTPT_INSN_MAX + 4];
	struct softpt_operand op;
	struct softpt_insn insn;
	unsigned int len = 0;

	assemble(code, f, "\xf3", "\x0f\xae");
	insn = softpt_insn_classify(code, SOFTPT_INSN_MAX, f->long_mode);
	op = softpt_operand_decode(code, insn, f->long_mode);
	if (!op.memory)
		got = softpt_operand_register(&op, &state);
	else if (!softpt_operand_address(&op, &state, &got))
		return false;
	if (ask(handle, in, f, &want, &len) && insn.kind == SOFTPT_INSN_PTWRITE &&
	    insn.len == len && got == want)
		return true;
	printf("# %u bit, 67h %d, REX %#x, ModRM %#x, SIB %#x: kind %u len %u, %#llx; '%s %s': %u, %#llx\n",
	       f->long_mode ? 64 : 32, f->addrsize, f->rex, f->modrm, f->sib, insn.kind, insn.len,
	       (unsigned long long)got, in->mnemonic, in->op_str, len, (unsigned long long)want);
	return false;
}

/* Bits 3 to 5 of the ModRM byte are the opcode's: 4 is PTWRITE */
static void test_forms(bool long_mode)
{
	struct form f = { .long_mode = long_mode };
	unsigned int n = 0, bad = 0, rm, rex, sib, sibs;
	char name[128];
	cs_insn *in;
	csh handle;

	if (cs_open(CS_ARCH_X86, long_mode ? CS_MODE_64 : CS_MODE_32, &handle))
		exit(2);
	cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	in = cs_malloc(handle);
	for (rex = long_mode ? 0x3f : 0; rex < (long_mode ? 0x50 : 1); rex++) {
		f.rex = rex == 0x3f ? 0 : rex;
		for (rm = 0; rm < 64; rm++) {
			f.addrsize = rm & 32;
			f.modrm = (rm & 0x18) << 3 | 4 << 3 | (rm & 7);
			sibs = (rm & 7) == 4 ? 256 : 1;
			for (sib = 0; sib < sibs; sib++) {
				f.sib = sib;
				bad += !same(handle, in, &f);
				n++;
			}
		}
	}
	cs_free(in, 1);
	cs_close(&handle);
	snprintf(name, sizeof(name), "operands in %u-bit mode: %u forms, %u differ",
		 long_mode ? 64 : 32, n, bad);
	result(!bad && n, name);
}

/* ---- segments and sizes ---- */

#define SEG(name) SOFTPT_SEG_##name

static const struct {
	const char *name;
	u8 bits, size, segment;
	const char *code;
} rows[] = {
	{ "ptwrite %eax", 64, 4, SEG(DS), "\xf3\x0f\xae\xe0" },
	{ "ptwrite %rax", 64, 8, SEG(DS), "\xf3\x48\x0f\xae\xe0" },
	{ "REX before F3h counts for nothing", 64, 4, SEG(DS), "\x48\xf3\x0f\xae\xe0" },
	{ "in 32-bit mode there are no 8 bytes", 32, 4, SEG(DS), "\xf3\x0f\xae\x20" },
	{ "by %rsp: stack", 64, 4, SEG(SS), "\xf3\x0f\xae\x24\x24" },
	{ "by %rbp: stack", 64, 4, SEG(SS), "\xf3\x0f\xae\x65\x01" },
	{ "by %r13: data", 64, 4, SEG(DS), "\xf3\x41\x0f\xae\x65\x01" },
	{ "by %r12: data", 64, 4, SEG(DS), "\xf3\x41\x0f\xae\x24\x24" },
	{ "by %bp: stack", 32, 4, SEG(SS), "\x67\xf3\x0f\xae\x63\x01" },
	{ "by %bx: data", 32, 4, SEG(DS), "\x67\xf3\x0f\xae\x27" },
	{ "fs", 64, 4, SEG(FS), "\x64\xf3\x0f\xae\x20" },
	{ "gs behind F3h", 64, 4, SEG(GS), "\xf3\x65\x0f\xae\x24\x24" },
	{ "es is nothing in 64-bit mode", 64, 4, SEG(DS), "\x26\xf3\x0f\xae\x20" },
	{ "and takes nothing away from fs", 64, 4, SEG(FS), "\x64\x26\xf3\x0f\xae\x20" },
	{ "es", 32, 4, SEG(ES), "\x26\xf3\x0f\xae\x20" },
	{ "cs", 32, 4, SEG(CS), "\x2e\xf3\x0f\xae\x20" },
	{ "ss", 32, 4, SEG(SS), "\x36\xf3\x0f\xae\x20" },
	{ "ds", 32, 4, SEG(DS), "\x3e\xf3\x0f\xae\x65\x01" },
	{ "the last one of several", 32, 4, SEG(ES), "\x64\x26\xf3\x0f\xae\x20" },
};

static void test_rows(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		u8 code[SOFTPT_INSN_MAX] = { 0 };
		struct softpt_operand op;
		struct softpt_insn insn;
		bool ok;

		memcpy(code, rows[i].code, strlen(rows[i].code));
		insn = softpt_insn_classify(code, sizeof(code), rows[i].bits == 64);
		op = softpt_operand_decode(code, insn, rows[i].bits == 64);
		ok = insn.kind == SOFTPT_INSN_PTWRITE && insn.len == strlen(rows[i].code) &&
		     op.segment == rows[i].segment && op.size == rows[i].size;
		result(ok, rows[i].name);
		if (!ok)
			printf("# kind %u len %u, segment %u size %u\n", insn.kind, insn.len,
			       op.segment, op.size);
	}
}

/* What is added for a segment, and what cannot be told */
static void test_segments(void)
{
	static const struct {
		const char *name;
		bool long_mode, known;
		u8 segment;
		u16 selector;
		u64 address;
	} segs[] = {
		{ "the base of FS is added", true, true, SEG(FS), 0, 0x7fff00001010 },
		{ "that of GS", true, true, SEG(GS), 0, 0x7fff00001010 },
		{ "and of no other", true, true, SEG(DS), 0, 0x1010 },
		{ "in 32-bit mode, too", false, true, SEG(GS), 0x63, 0x1010 },
		{ "but not where GS is no segment", false, false, SEG(GS), 3, 0x1010 },
		{ "a segment of the program's own", false, false, SEG(DS), 0xf, 0x1010 },
		{ "the flat one", false, true, SEG(SS), SOFTPT_FLAT_DATA, 0x1010 },
		{ "that of the code", false, true, SEG(CS), 0x23, 0x1010 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(segs) / sizeof(segs[0]); i++) {
		struct softpt_operand op = {
			.memory = true, .width = 4, .base = SOFTPT_REG_NONE,
			.index = SOFTPT_REG_NONE, .segment = segs[i].segment, .disp = 0x1010,
		};
		struct softpt_operand_state state = {
			.base = 0x7fff00000000, .selector = segs[i].selector,
			.long_mode = segs[i].long_mode,
		};
		u64 address = 0;

		result(softpt_operand_address(&op, &state, &address) == segs[i].known &&
		       address == segs[i].address, segs[i].name);
	}
}

int main(void)
{
	test_forms(true);
	test_forms(false);
	test_rows();
	test_segments();
	printf("1..%u\n", tests);
	return failed != 0;
}
