// SPDX-License-Identifier: BSD-2-Clause
/* Symbols by address beside elfutils, in files of this machine */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "code/names/symtab.h"
#include "selftests/kit/kit.h"

#define QUERIES	4000

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
};

struct tally {
	unsigned int asked, plain, nowhere, wrong;
};

/* What elfutils says, or nothing: a name is of what its size covers */
static const char *elfutils_says(Dwfl_Module *module, uint64_t addr, uint64_t *start)
{
	GElf_Off offset;
	GElf_Sym sym;
	const char *name = dwfl_module_addrinfo(module, addr, &offset, &sym, NULL, NULL, NULL);

	if (!name || (sym.st_size && offset >= sym.st_size))
		return NULL;
	*start = addr - offset;
	return name;
}

static void ask(const struct symtab *t, Dwfl_Module *module, uint64_t addr, struct tally *tally)
{
	uint64_t start = 0, want_start = 0;
	const char *name, *want;

	tally->asked++;
	if (!symtab_find(t, addr, &name, &start))
		return;
	tally->plain++;
	want = elfutils_says(module, addr, &want_start);
	tally->nowhere += !name;
	if (want && name ? !strcmp(want, name) && want_start == start : !want && !name)
		return;
	kit_note("%#llx: %s, elfutils says %s", (unsigned long long)addr,
		 name ? name : "nothing", want ? want : "nothing");
	tally->wrong++;
}

/* Where symbols begin and end, and around that */
static void ask_at_symbols(const struct symtab *t, Dwfl_Module *module, struct tally *tally)
{
	const unsigned int nr = dwfl_module_getsymtab(module);
	uint64_t seed = nr;
	GElf_Addr addr;
	GElf_Sym sym;
	int i;

	for (i = 0; i < QUERIES / 4; i++) {
		if (!dwfl_module_getsym_info(module, kit_random(&seed) % nr, &sym, &addr, NULL,
					     NULL, NULL))
			continue;
		ask(t, module, addr, tally);
		ask(t, module, addr + sym.st_size / 2, tally);
		ask(t, module, addr + sym.st_size - 1, tally);
		ask(t, module, addr + sym.st_size, tally);
	}
}

static void ask_at_random(const struct symtab *t, Dwfl_Module *module, Elf *elf,
			  struct tally *tally)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	uint64_t seed = 1;
	int i;

	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_EXECINSTR) || !sh.sh_size)
			continue;
		for (i = 0; i < QUERIES / 4; i++)
			ask(t, module, sh.sh_addr + kit_random(&seed) % sh.sh_size, tally);
	}
}

static void test_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	struct tally tally = { 0 };
	Dwfl_Module *module;
	struct symtab t;
	Dwfl *dwfl;

	if (!elf) {
		kit_ok(true, "%s # SKIP it is not there", path);
		return;
	}
	dwfl = dwfl_begin(&callbacks);
	dwfl_report_begin(dwfl);
	module = dwfl_report_elf(dwfl, path, path, -1, 0, true);
	dwfl_report_end(dwfl, NULL, NULL);
	if (!module)
		kit_bail("%s: %s", path, dwfl_errmsg(-1));
	symtab_read(&t, module, elf);
	ask_at_symbols(&t, module, &tally);
	ask_at_random(&t, module, elf, &tally);
	kit_ok(tally.plain && !tally.wrong,
	       "%s: %u of %u addresses are plain, %u of them in no symbol, %u differ", path,
	       tally.plain, tally.asked, tally.nowhere, tally.wrong);
	symtab_free(&t);
	dwfl_end(dwfl);
	elf_end(elf);
	close(fd);
}

/* Files of this machine, or those that are named */
int main(int argc, char **argv)
{
	static const char *const files[] = {
		"/proc/self/exe",
		"/lib/x86_64-linux-gnu/libc.so.6",
		"/lib64/ld-linux-x86-64.so.2",
		"/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
		"/usr/lib/x86_64-linux-gnu/libdw.so.1",
		"/bin/bash",
		"/usr/bin/perl",
		"/usr/bin/gdb",
	};
	size_t i;

	elf_version(EV_CURRENT);
	for (i = 1; i < (size_t)argc; i++)
		test_file(argv[i]);
	for (i = 0; argc < 2 && i < sizeof(files) / sizeof(files[0]); i++)
		test_file(files[i]);
	return kit_done();
}
