// SPDX-License-Identifier: BSD-2-Clause
/*
 * The parts of instructions (kmod/x86/decode.c) against Zydis: every instruction of the text of
 * real binaries, and random bytes.
 *
 *	decode-test [-r COUNT] ELF-FILE...
 */
#include <Zydis/Zydis.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kmod/x86/decode.h"

static unsigned long compared, refused, differing;
static ZydisDecoder decoder;

static bool is_relative(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op)
{
	ZyanU8 i;

	for (i = 0; i < z->operand_count; i++)
		if (op[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    (op[i].mem.base == ZYDIS_REGISTER_RIP || op[i].mem.base == ZYDIS_REGISTER_EIP))
			return true;
	return false;
}

static int by_mnemonic(ZydisMnemonic m)
{
	switch (m) {
	case ZYDIS_MNEMONIC_LOOP:
	case ZYDIS_MNEMONIC_LOOPE:
	case ZYDIS_MNEMONIC_LOOPNE:
	case ZYDIS_MNEMONIC_JRCXZ:
	case ZYDIS_MNEMONIC_JECXZ:
		return SOFTPT_X86_LOOP;
	case ZYDIS_MNEMONIC_INT3:
	case ZYDIS_MNEMONIC_INT1:
	case ZYDIS_MNEMONIC_UD2:
	case ZYDIS_MNEMONIC_HLT:
		return SOFTPT_X86_TRAP;
	default:
		return SOFTPT_X86_OTHER;
	}
}

static int kind_of(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op)
{
	bool direct = op[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
	int kind = by_mnemonic(z->mnemonic);

	if (kind != SOFTPT_X86_OTHER || z->mnemonic == ZYDIS_MNEMONIC_XABORT)
		return kind;	/* outside of a transaction, and none begins, it does nothing */
	switch (z->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		return SOFTPT_X86_JCC;
	case ZYDIS_CATEGORY_UNCOND_BR:
		return direct ? SOFTPT_X86_JMP : SOFTPT_X86_IJMP;
	case ZYDIS_CATEGORY_CALL:
		return direct ? SOFTPT_X86_CALL : SOFTPT_X86_ICALL;
	case ZYDIS_CATEGORY_RET:
		return SOFTPT_X86_RET;
	case ZYDIS_CATEGORY_SYSCALL:
		return SOFTPT_X86_SYSCALL;
	default:
		return SOFTPT_X86_OTHER;
	}
}

/* Far, INT n, GS, XBEGIN and the like; a 66h prefix of a near branch, of which vendors differ */
static bool may_refuse(const ZydisDecodedInstruction *z, const uint8_t *code)
{
	ZyanU8 i;

	for (i = 0; i < z->raw.prefix_count; i++)
		if (code[i] == 0x65 || (code[i] == 0x66 && z->meta.branch_type))
			return true;
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_INT:
	case ZYDIS_MNEMONIC_IRET:
	case ZYDIS_MNEMONIC_IRETD:
	case ZYDIS_MNEMONIC_IRETQ:
	case ZYDIS_MNEMONIC_SYSENTER:
	case ZYDIS_MNEMONIC_SYSEXIT:
	case ZYDIS_MNEMONIC_SYSRET:
	case ZYDIS_MNEMONIC_SWAPGS:
	case ZYDIS_MNEMONIC_UIRET:
	case ZYDIS_MNEMONIC_XBEGIN:
	case ZYDIS_MNEMONIC_XEND:
	case ZYDIS_MNEMONIC_RDGSBASE:
	case ZYDIS_MNEMONIC_WRGSBASE:
	case ZYDIS_MNEMONIC_GETSEC:
	case ZYDIS_MNEMONIC_RSM:
		return true;
	default:
		break;
	}
	return z->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR ||
	       z->encoding == ZYDIS_INSTRUCTION_ENCODING_XOP ||
	       z->encoding == ZYDIS_INSTRUCTION_ENCODING_MVEX ||
	       z->meta.isa_set == ZYDIS_ISA_SET_KNCV || z->meta.isa_set == ZYDIS_ISA_SET_KNCE ||
	       strncmp(ZydisISAExtGetString(z->meta.isa_ext), "KN", 2) == 0 ||
	       z->meta.isa_ext == ZYDIS_ISA_EXT_PADLOCK;
}

static void complain(const uint8_t *code, const ZydisDecodedInstruction *z, int kind, bool relative,
		     const struct softpt_x86 *mine)
{
	unsigned int i;

	if (differing++ > 20)
		return;
	printf("# %s:", ZydisMnemonicGetString(z->mnemonic));
	for (i = 0; i < 15; i++)
		printf(" %02x", code[i]);
	printf(": Zydis says %u bytes, kind %d, relative %d; we %u, %u, %d\n", z->length, kind,
	       relative, mine->len, mine->kind, mine->rip_relative);
}

/* Return: bytes of the instruction, as Zydis has it; 1 where it is none */
static size_t compare(const uint8_t *code, size_t n)
{
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction z;
	struct softpt_x86 mine;
	bool relative;
	int kind;

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, n, &z, op)))
		return 1;
	softpt_x86_decode(code, n, &mine);
	compared++;
	kind = kind_of(&z, op);
	relative = is_relative(&z, op);
	if (mine.kind == SOFTPT_X86_REFUSED) {
		refused++;
		if (!may_refuse(&z, code))
			complain(code, &z, kind, relative, &mine);
	} else if (mine.len != z.length || mine.kind != kind || mine.rip_relative != relative) {
		complain(code, &z, kind, relative, &mine);
	}
	return z.length;
}

/* ---- lengths, of refused instructions, too ---- */

/* What no processor has that runs Linux today */
static bool is_foreign(const ZydisDecodedInstruction *z)
{
	return z->encoding == ZYDIS_INSTRUCTION_ENCODING_XOP ||
	       z->encoding == ZYDIS_INSTRUCTION_ENCODING_MVEX ||
	       z->meta.isa_set == ZYDIS_ISA_SET_KNCV || z->meta.isa_set == ZYDIS_ISA_SET_KNCE ||
	       strncmp(ZydisISAExtGetString(z->meta.isa_ext), "KN", 2) == 0 ||
	       z->meta.isa_ext == ZYDIS_ISA_EXT_PADLOCK;
}

static void compare_length(const ZydisDecoder *of, unsigned int bits, const uint8_t *code)
{
	ZydisDecodedInstruction z;
	struct softpt_x86 mine;
	unsigned int i;

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(of, NULL, code, 15, &z)))
		return;
	softpt_x86_decode_in(code, 15, bits, &mine);
	compared++;
	if (mine.len == z.length || is_foreign(&z) || differing++ > 20)
		return;
	printf("# %u bits, %s:", bits, ZydisMnemonicGetString(z.mnemonic));
	for (i = 0; i < 15; i++)
		printf(" %02x", code[i]);
	printf(": Zydis says %u bytes, we %u\n", z.length, mine.len);
}

static void lengths(unsigned int bits, ZydisMachineMode mode, ZydisStackWidth width,
		    unsigned long count)
{
	uint8_t code[15];
	ZydisDecoder of;
	unsigned int k;

	ZydisDecoderInit(&of, mode, width);
	srandom(bits);
	while (count--) {
		for (k = 0; k < sizeof(code); k++)
			code[k] = random() >> 8;
		compare_length(&of, bits, code);
	}
}

static void section(const uint8_t *code, size_t n)
{
	uint8_t last[15] = { 0 };
	size_t at = 0, left;

	while (at < n) {
		left = n - at < 15 ? n - at : 15;
		memcpy(last, code + at, left);
		at += compare(last, left);
	}
}

static void elf_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const Elf64_Ehdr *e;
	const Elf64_Shdr *s;
	struct stat st;
	uint8_t *map;
	int i;

	if (fd < 0 || fstat(fd, &st) || st.st_size < (off_t)sizeof(*e))
		return;
	map = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return;
	e = (const void *)map;
	if (!memcmp(map, ELFMAG, SELFMAG) && e->e_machine == EM_X86_64 &&
	    e->e_ident[EI_CLASS] == ELFCLASS64 &&
	    e->e_shoff + e->e_shnum * sizeof(*s) <= (size_t)st.st_size) {
		s = (const void *)(map + e->e_shoff);
		for (i = 0; i < e->e_shnum; i++)
			if (s[i].sh_type == SHT_PROGBITS && s[i].sh_flags & SHF_EXECINSTR &&
			    s[i].sh_offset + s[i].sh_size <= (size_t)st.st_size)
				section(map + s[i].sh_offset, s[i].sh_size);
	}
	munmap(map, st.st_size);
}

/* Each map of opcodes comes often. */
static void random_bytes(unsigned long count)
{
	static const uint8_t begin[] = {
		0x0f, 0xc4, 0xc5, 0x62, 0x66, 0xf2, 0xf3, 0x48, 0x8f, 0x67,
	};
	uint8_t code[15];
	unsigned int k;

	srandom(1);
	while (count--) {
		for (k = 0; k < sizeof(code); k++)
			code[k] = random() >> 8;
		if (count & 1)
			code[0] = begin[random() % sizeof(begin)];
		compare(code, sizeof(code));
	}
}

/* Fewer bytes than there are never give another answer than "not enough". */
static bool cut_short(void)
{
	static const uint8_t code[] = { 0x66, 0x41, 0x81, 0x84, 0x85, 1, 2, 3, 4, 5, 6 };
	struct softpt_x86 insn;
	unsigned int n;

	for (n = 0; n < sizeof(code); n++) {
		softpt_x86_decode(code, n, &insn);
		if (insn.kind != SOFTPT_X86_SHORT)
			return false;
	}
	softpt_x86_decode(code, n, &insn);
	return insn.kind == SOFTPT_X86_OTHER && insn.len == sizeof(code);
}

int main(int argc, char **argv)
{
	unsigned long count = 3000000;
	int i = 1;

	if (argc > 2 && !strcmp(argv[1], "-r")) {
		count = strtoul(argv[2], NULL, 0);
		i = 3;
	}
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (; i < argc; i++)
		elf_file(argv[i]);
	printf("%sok 1 - instructions of binaries: %lu compared, %lu refused\n",
	       differing || !compared ? "not " : "", compared, refused);
	compared = 0;
	refused = 0;
	random_bytes(count);
	printf("%sok 2 - random bytes: %lu instructions compared, %lu refused\n",
	       differing || !compared ? "not " : "", compared, refused);
	printf("%sok 3 - instructions that are cut short\n", cut_short() ? "" : "not ");
	compared = 0;
	lengths(64, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64, count);
	lengths(32, ZYDIS_MACHINE_MODE_LEGACY_32, ZYDIS_STACK_WIDTH_32, count);
	lengths(16, ZYDIS_MACHINE_MODE_LEGACY_16, ZYDIS_STACK_WIDTH_16, count);
	printf("%sok 4 - lengths in each mode: %lu compared\n",
	       differing || !compared ? "not " : "", compared);
	printf("1..4\n");
	return differing || !cut_short();
}
