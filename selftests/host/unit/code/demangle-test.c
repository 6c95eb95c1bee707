// SPDX-License-Identifier: BSD-2-Clause
/* Symbols as people write them */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code/names/demangle.h"
#include "selftests/kit/kit.h"

/* @name: NULL: the symbol is it */
static const struct row {
	const char *symbol, *name;
} plain[] = {
	{ "main", NULL },
	{ "", NULL },
	{ "_", NULL },
	{ "_Z", NULL },
	{ "_start", NULL },
	{ "_DYNAMIC", NULL },
	{ "_RETURN", NULL },
	{ "_Zone", NULL },
	{ "memcpy@@GLIBC_2.14", "memcpy" },
	{ "memcpy@GLIBC_2.2.5", "memcpy" },
	{ "@", "" },
};

#ifdef HAVE_LIBIBERTY
static const struct row encoded[] = {
	{ "_ZN3net6Server6handleEi", "net::Server::handle" },
	{ "_ZNK3net5QueueIiE3sumEv", "net::Queue<int>::sum" },
	{ "_ZN3netltERKNS_6ServerES2_", "net::operator<" },
	{ "_ZSt4cout@GLIBCXX_3.4", "std::cout" },
	{ "_Z3runi.cold", "run.cold" },
	{ "_Z3runv.part.0", "run.part.0" },
	/* The symbols of Rust, the older form and RFC 2603 */
	{ "_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE",
	  "core::fmt::Formatter::write_str" },
	{ "_ZN38_$LT$r..Square$u20$as$u20$r..Shape$GT$4area17hdced5b21ff80bfbfE",
	  "<r::Square as r::Shape>::area" },
	{ "_RNvC6_123foo3bar", "123foo::bar" },
	{ "_RINvNtC4core3mem4swapjEC3app", "core::mem::swap::<usize>" },
	{ "_D3app6worker3runFiZi", NULL },
};

static const struct {
	const char *symbol;
	bool rust;
} origins[] = {
	{ "_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE", true },
	{ "_RNvC6_123foo3bar", true },
	{ "_ZN3net6Server6handleEi", false },
	{ "main", false },
	{ "", false },
};

static void test_origins(void)
{
	size_t i;

	for (i = 0; i < sizeof(origins) / sizeof(origins[0]); i++)
		kit_ok(demangle_is_rust(origins[i].symbol) == origins[i].rust, "%s is of Rust: %d",
		       origins[i].symbol, origins[i].rust);
}

/* What nests without end is no name. */
static void test_deep(void)
{
	const size_t deep = 1 << 20;
	char *symbol = malloc(deep + 1);

	memset(symbol, 'P', deep);
	memcpy(symbol, "_Z1f", 4);
	symbol[deep] = '\0';
	free(demangle(symbol));
	memcpy(symbol, "_RIC", 4);
	memset(symbol + 4, 'R', deep - 4);
	free(demangle(symbol));
	kit_ok(true, "names of %zu bytes", deep);
	free(symbol);
}

/* Each argument has the one before twice: 2^90 of them are no name, either. */
static void test_bomb(void)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char symbol[4096] = "_Z1fIJ1AIiiE";
	char before[3] = "";
	size_t n = strlen(symbol);
	char *name;
	int i;

	for (i = 0; i < 90; i++) {
		before[0] = digits[i < 36 ? i : i / 36];
		before[1] = i < 36 ? '\0' : digits[i % 36];
		n += snprintf(symbol + n, sizeof(symbol) - n, "S_IS%s_S%s_E", before, before);
	}
	strcpy(symbol + n, "EEvv");
	name = demangle(symbol);
	kit_ok(!name, "a name of %zu bytes that doubles: %.20s", strlen(symbol), name ? name : "none");
	free(name);
}
#endif

static void test_rows(const struct row *row, size_t n)
{
	for (; n--; row++) {
		char *name = demangle(row->symbol);

		kit_ok(row->name ? name && !strcmp(name, row->name) : !name, "'%s' is '%s'",
		       row->symbol, name ? name : row->symbol);
		free(name);
	}
}

int main(void)
{
	test_rows(plain, sizeof(plain) / sizeof(plain[0]));
#ifdef HAVE_LIBIBERTY
	test_rows(encoded, sizeof(encoded) / sizeof(encoded[0]));
	test_origins();
	test_deep();
	test_bomb();
#else
	kit_ok(true, "encoded names # SKIP libiberty is missing: apt-get install libiberty-dev");
#endif
	return kit_done();
}
