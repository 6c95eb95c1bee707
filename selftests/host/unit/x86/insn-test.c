// SPDX-License-Identifier: BSD-2-Clause
/*
 * The instruction classifier against libcapstone over every instruction of the
 * text of real binaries, and against rows that compilers don't write.
 *
 *	insn-test ELF-FILE...
 */
#include <capstone/capstone.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kmod/x86/insn.h"

static unsigned int failed, tests;

static void result(int ok, const char *name)
{
	printf("%s - %s\n", ok ? "ok" : "not ok", name);
	failed += !ok;
	tests++;
}

struct row {
	const char *name;
	u8 bits;
	u8 n;
	u8 code[SOFTPT_INSN_MAX];
	u8 kind, len, size;
};

#define ROW(name, mode, bytes, ...) \
	{ name, mode, sizeof(bytes) - 1, bytes, __VA_ARGS__ }
#define IS(kind) SOFTPT_INSN_##kind

static const struct row rows[] = {
	ROW("je short", 64, "\x74\x10", IS(JCC), 2, 0),
	ROW("je near", 64, "\x0f\x84\1\2\3\4", IS(JCC), 6, 0),
	ROW("je near, 66h is ignored", 64, "\x66\x0f\x84\1\2\3\4", IS(JCC), 7, 0),
	ROW("je near, 16-bit displacement", 32, "\x66\x0f\x84\1\2", IS(JCC), 5, 0),
	ROW("bnd jne", 64, "\xf2\x75\x10", IS(JCC), 3, 0),
	ROW("loop with 67h", 64, "\x67\xe2\xfe", IS(JCC), 3, 0),
	ROW("jrcxz", 64, "\xe3\x00", IS(JCC), 2, 0),
	ROW("jmp short", 32, "\xeb\xfe", IS(JMP), 2, 0),
	ROW("jmp near", 64, "\xe9\1\2\3\4", IS(JMP), 5, 0),
	ROW("jmp near, 16-bit displacement", 32, "\x66\xe9\1\2", IS(JMP), 4, 0),
	ROW("call", 64, "\xe8\1\2\3\4", IS(CALL), 5, 0),
	ROW("call with the prefixes of TLS", 64, "\x66\x66\x48\xe8\1\2\3\4", IS(CALL), 8, 0),
	ROW("call *%rax", 64, "\xff\xd0", IS(ICALL), 2, 0),
	ROW("call *%r8 with REX", 64, "\x41\xff\xd0", IS(ICALL), 3, 0),
	ROW("call *disp32(%rip)", 64, "\xff\x15\1\2\3\4", IS(ICALL), 6, 0),
	ROW("call *(%rsp)", 64, "\xff\x14\x24", IS(ICALL), 3, 0),
	ROW("call *disp32(,%rax,8)", 64, "\xff\x14\xc5\1\2\3\4", IS(ICALL), 7, 0),
	ROW("call *disp8(%rax,%rbx)", 64, "\xff\x54\x18\x10", IS(ICALL), 4, 0),
	ROW("call *disp32(%rax,%rbx)", 64, "\xff\x94\x18\1\2\3\4", IS(ICALL), 7, 0),
	ROW("call *disp16, 16-bit addressing", 32, "\x67\xff\x16\1\2", IS(ICALL), 5, 0),
	ROW("call *disp16(%bx), 16-bit addressing", 32, "\x67\xff\x97\1\2", IS(ICALL), 5, 0),
	ROW("call *disp8(%si), 16-bit addressing", 32, "\x67\xff\x54\1", IS(ICALL), 4, 0),
	ROW("67h keeps 32-bit addressing", 64, "\x67\xff\x14\x24", IS(ICALL), 4, 0),
	ROW("notrack jmp *%rax", 64, "\x3e\xff\xe0", IS(IJMP), 3, 0),
	ROW("jmp *(%rax)", 64, "\xff\x20", IS(IJMP), 2, 0),
	ROW("lcall *(%rax)", 64, "\xff\x18", IS(FAR), 0, 0),
	ROW("ljmp *(%rax)", 64, "\xff\x28", IS(FAR), 0, 0),
	ROW("push (%rax)", 64, "\xff\x30", IS(OTHER), 0, 0),
	ROW("inc %eax as FFh", 64, "\xff\xc0", IS(OTHER), 0, 0),
	ROW("lcall ptr16:32", 32, "\x9a\1\2\3\4\5\6", IS(FAR), 0, 0),
	ROW("9Ah is nothing in 64-bit mode", 64, "\x9a\1\2\3\4\5\6", IS(OTHER), 0, 0),
	ROW("ljmp ptr16:32", 32, "\xea\1\2\3\4\5\6", IS(FAR), 0, 0),
	ROW("EAh is nothing in 64-bit mode", 64, "\xea\1\2\3\4\5\6", IS(OTHER), 0, 0),
	ROW("ret", 64, "\xc3", IS(RET), 0, 0),
	ROW("rep ret", 64, "\xf3\xc3", IS(RET), 0, 0),
	ROW("ret imm16", 64, "\xc2\1\2", IS(RET), 0, 0),
	ROW("lret", 64, "\x48\xcb", IS(FAR), 0, 0),
	ROW("lret imm16", 32, "\xca\1\2", IS(FAR), 0, 0),
	ROW("iretq", 64, "\x48\xcf", IS(IRET), 0, 0),
	ROW("uiret", 64, "\xf3\x0f\x01\xec", IS(IRET), 0, 0),
	ROW("0F 01 EC without F3h", 64, "\x0f\x01\xec", IS(OTHER), 0, 0),
	ROW("syscall", 64, "\x0f\x05", IS(SYSCALL), 0, 0),
	ROW("sysenter", 32, "\x0f\x34", IS(SYSCALL), 0, 0),
	ROW("int $0x80", 32, "\xcd\x80", IS(SYSCALL), 0, 0),
	ROW("int $0x03", 32, "\xcd\x03", IS(TRAP), 0, 0),
	ROW("int without its vector", 32, "\xcd", IS(SHORT), 0, 0),
	ROW("int3", 64, "\xcc", IS(TRAP), 0, 0),
	ROW("int1", 64, "\xf1", IS(TRAP), 0, 0),
	ROW("into", 32, "\xce", IS(TRAP), 0, 0),
	ROW("CEh is nothing in 64-bit mode", 64, "\xce", IS(OTHER), 0, 0),
	ROW("pushfq", 64, "\x9c", IS(PUSHF), 0, 8),
	ROW("pushfw", 64, "\x66\x9c", IS(PUSHF), 0, 2),
	ROW("pushfl", 32, "\x9c", IS(PUSHF), 0, 4),
	ROW("pushfw, 16-bit code", 16, "\x9c", IS(PUSHF), 0, 2),
	ROW("pushfl, 16-bit code", 16, "\x66\x9c", IS(PUSHF), 0, 4),
	ROW("popfl, 16-bit code", 16, "\x66\x9d", IS(POPF), 0, 0),
	ROW("mov disp16, %ss, 16-bit code", 16, "\x8e\x16\1\2", IS(MOVSS), 4, 0),
	ROW("mov disp32(%esp), %ss, 16-bit code", 16, "\x67\x8e\x94\x24\1\2\3\4", IS(MOVSS), 8, 0),
	ROW("call near, 16-bit code", 16, "\xe8\1\2", IS(CALL), 3, 0),
	ROW("call near with 66h, 16-bit code", 16, "\x66\xe8\1\2\3\4", IS(CALL), 6, 0),
	ROW("popfq", 64, "\x9d", IS(POPF), 0, 0),
	ROW("mov %eax, %ss", 64, "\x8e\xd0", IS(MOVSS), 2, 0),
	ROW("mov disp8(%rsp), %ss", 64, "\x8e\x54\x24\x08", IS(MOVSS), 4, 0),
	ROW("mov %eax, %ds", 64, "\x8e\xd8", IS(OTHER), 0, 0),
	ROW("pop %ss", 32, "\x17", IS(MOVSS), 1, 0),
	ROW("17h is nothing in 64-bit mode", 64, "\x17", IS(OTHER), 0, 0),
	ROW("cpuid", 64, "\x0f\xa2\xc3", IS(CPUID), 2, 0),
	ROW("cpuid with a prefix", 32, "\x66\x0f\xa2", IS(CPUID), 3, 0),
	ROW("xbegin", 64, "\xc7\xf8\1\2\3\4", IS(XBEGIN), 6, 0),
	ROW("xbegin, 16-bit displacement", 32, "\x66\xc7\xf8\1\2", IS(XBEGIN), 5, 0),
	ROW("mov $imm32, %eax as C7h", 64, "\xc7\xc0\1\2\3\4", IS(OTHER), 0, 0),
	ROW("inc %eax", 32, "\x40\xc3", IS(OTHER), 0, 0),
	ROW("REX before a prefix counts for nothing", 64, "\x48\x66\xe9\1\2\3\4", IS(JMP), 7, 0),
	ROW("ptwrite %eax", 64, "\xf3\x0f\xae\xe0", IS(PTWRITE), 4, 4),
	ROW("ptwrite %r9", 64, "\xf3\x49\x0f\xae\xe1", IS(PTWRITE), 5, 8),
	ROW("ptwrite disp32(%rip)", 64, "\xf3\x0f\xae\x25\1\2\3\4", IS(PTWRITE), 8, 4),
	ROW("ptwrite %eax", 32, "\xf3\x0f\xae\xe0", IS(PTWRITE), 4, 4),
	ROW("0F AE /4 without F3h: xsave", 64, "\x0f\xae\x20", IS(OTHER), 0, 0),
	ROW("66h before ptwrite", 64, "\x66\xf3\x0f\xae\xe0", IS(OTHER), 0, 0),
	ROW("66h behind F3h", 64, "\xf3\x66\x0f\xae\xe0", IS(OTHER), 0, 0),
	ROW("lock ptwrite", 64, "\xf0\xf3\x0f\xae\xe0", IS(OTHER), 0, 0),
	ROW("F2h behind F3h", 64, "\xf3\xf2\x0f\xae\xe0", IS(OTHER), 0, 0),
	ROW("F2h before F3h", 64, "\xf2\xf3\x0f\xae\xe0", IS(OTHER), 0, 0),
	ROW("F3 0F AE /5: incssp", 64, "\xf3\x0f\xae\xe8", IS(OTHER), 0, 0),
	ROW("ptwrite without its displacement", 64, "\xf3\x0f\xae\x25\1", IS(SHORT), 0, 0),
	ROW("rep movsb", 64, "\xf3\xa4", IS(OTHER), 0, 0),
	ROW("nop", 64, "\x90", IS(OTHER), 0, 0),
	ROW("VEX that looks like a branch", 64, "\xc5\xf8\x77\xe8", IS(OTHER), 0, 0),
	ROW("EVEX that looks like a branch", 64, "\x62\xe8\xe8\xe8", IS(OTHER), 0, 0),
	ROW("no byte", 64, "", IS(SHORT), 0, 0),
	ROW("prefixes only", 64, "\x66\x66\x48", IS(SHORT), 0, 0),
	ROW("half of an opcode", 64, "\x0f", IS(SHORT), 0, 0),
	ROW("FFh without its ModRM byte", 64, "\xff", IS(SHORT), 0, 0),
	ROW("call *mem without its SIB byte", 64, "\xff\x14", IS(SHORT), 0, 0),
	ROW("call without its displacement", 64, "\xe8\1\2\3", IS(SHORT), 0, 0),
	ROW("je without its displacement", 64, "\x74", IS(SHORT), 0, 0),
};

static void test_rows(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];
		struct softpt_insn insn = r->bits == 16 ?
			softpt_insn_classify_16(r->code, r->n) :
			softpt_insn_classify(r->code, r->n, r->bits == 64);
		int ok = insn.kind == r->kind && insn.len == r->len && insn.size == r->size;

		result(ok, r->name);
		if (!ok)
			printf("# kind %u len %u size %u\n", insn.kind, insn.len, insn.size);
	}
}

/* What capstone's instruction is to us */
static u8 expected(csh handle, const cs_insn *in)
{
	const cs_x86 *x = &in->detail->x86;
	bool direct = x->op_count && x->operands[0].type == X86_OP_IMM;

	switch (in->id) {
	case X86_INS_JMP:
		return direct ? SOFTPT_INSN_JMP : SOFTPT_INSN_IJMP;
	case X86_INS_CALL:
		return direct ? SOFTPT_INSN_CALL : SOFTPT_INSN_ICALL;
	case X86_INS_RET:
		return SOFTPT_INSN_RET;
	case X86_INS_RETF: case X86_INS_RETFQ: case X86_INS_LJMP: case X86_INS_LCALL:
		return SOFTPT_INSN_FAR;
	case X86_INS_IRET: case X86_INS_IRETD: case X86_INS_IRETQ:
		return SOFTPT_INSN_IRET;
	case X86_INS_SYSCALL: case X86_INS_SYSENTER:
		return SOFTPT_INSN_SYSCALL;
	case X86_INS_INT:
		return (x->operands[0].imm & 0xff) == 0x80 ? SOFTPT_INSN_SYSCALL : SOFTPT_INSN_TRAP;
	case X86_INS_INT3: case X86_INS_INT1: case X86_INS_INTO:
		return SOFTPT_INSN_TRAP;
	case X86_INS_PUSHF: case X86_INS_PUSHFD: case X86_INS_PUSHFQ:
		return SOFTPT_INSN_PUSHF;
	case X86_INS_POPF: case X86_INS_POPFD: case X86_INS_POPFQ:
		return SOFTPT_INSN_POPF;
	case X86_INS_LOOP: case X86_INS_LOOPE: case X86_INS_LOOPNE:
	case X86_INS_JCXZ: case X86_INS_JECXZ: case X86_INS_JRCXZ:
		return SOFTPT_INSN_JCC;
	case X86_INS_CPUID:
		return SOFTPT_INSN_CPUID;
	case X86_INS_XBEGIN:
		return SOFTPT_INSN_XBEGIN;
	case X86_INS_MOV: case X86_INS_POP:
		return x->op_count && x->operands[0].type == X86_OP_REG &&
		       x->operands[0].reg == X86_REG_SS ? SOFTPT_INSN_MOVSS : SOFTPT_INSN_OTHER;
	}
	return cs_insn_group(handle, in, CS_GRP_JUMP) ? SOFTPT_INSN_JCC : SOFTPT_INSN_OTHER;
}

static bool has_len(u8 kind)
{
	return (kind >= SOFTPT_INSN_JCC && kind <= SOFTPT_INSN_ICALL) ||
	       kind == SOFTPT_INSN_MOVSS || kind == SOFTPT_INSN_CPUID ||
	       kind == SOFTPT_INSN_XBEGIN;
}

static int differs(csh handle, const cs_insn *in, bool long_mode)
{
	struct softpt_insn insn = softpt_insn_classify(in->bytes, in->size, long_mode);
	u8 want = expected(handle, in);

	if (insn.kind == want && (!has_len(want) || insn.len == in->size))
		return 0;
	printf("# %#llx: %s %s: kind %u len %u, capstone says %u %u\n",
	       (unsigned long long)in->address, in->mnemonic, in->op_str, insn.kind,
	       insn.len, want, in->size);
	return 1;
}

static void compare(const char *file, const u8 *code, size_t size, uint64_t address,
		    bool long_mode)
{
	unsigned long done = 0, branches = 0, bad = 0;
	char name[256];
	cs_insn *in;
	csh handle;

	if (cs_open(CS_ARCH_X86, long_mode ? CS_MODE_64 : CS_MODE_32, &handle))
		exit(2);
	cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	in = cs_malloc(handle);
	while (size) {
		if (!cs_disasm_iter(handle, &code, &size, &address, in)) {
			code++;		/* data, or newer than capstone */
			size--;
			address++;
			continue;
		}
		done++;
		branches += expected(handle, in) != SOFTPT_INSN_OTHER;
		bad += differs(handle, in, long_mode);
	}
	cs_free(in, 1);
	cs_close(&handle);
	snprintf(name, sizeof(name), "%s: %lu instructions, %lu of interest, %lu differ", file,
		 done, branches, bad);
	result(!bad && branches, name);
}

static u8 *slurp(const char *file, size_t *size)
{
	FILE *f = fopen(file, "rb");
	u8 *data;
	long n;

	n = f && !fseek(f, 0, SEEK_END) ? ftell(f) : 0;
	data = n > 0 ? malloc(n) : NULL;
	if (data) {
		rewind(f);
		*size = fread(data, 1, n, f);
	}
	if (f)
		fclose(f);
	return data;
}

/* Every executable section of a file of either class */
#define SECTIONS(bits, file, data, long_mode) do { \
	const Elf##bits##_Ehdr *e = (const void *)(data); \
	const Elf##bits##_Shdr *s = (const void *)((data) + e->e_shoff); \
	for (int i = 0; i < e->e_shnum; i++, s++) \
		if (s->sh_flags & SHF_EXECINSTR && s->sh_type == SHT_PROGBITS) \
			compare(file, (data) + s->sh_offset, s->sh_size, s->sh_addr, long_mode); \
} while (0)

static void test_file(const char *file)
{
	size_t size = 0;
	u8 *data = slurp(file, &size);

	if (!data || size < sizeof(Elf64_Ehdr) || memcmp(data, ELFMAG, SELFMAG))
		result(0, file);
	else if (data[EI_CLASS] == ELFCLASS64)
		SECTIONS(64, file, data, true);
	else
		SECTIONS(32, file, data, false);
	free(data);
}

int main(int argc, char **argv)
{
	int i;

	test_rows();
	for (i = 1; i < argc; i++)
		test_file(argv[i]);
	printf("1..%u\n", tests);
	return failed != 0;
}
