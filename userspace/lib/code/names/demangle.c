// SPDX-License-Identifier: BSD-2-Clause
#include "code/names/demangle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>

static char *demangle_cxx(const char *symbol)
{
	return cplus_demangle_v3(symbol, DMGL_NO_OPTS);
}

static char *demangle_rust(const char *symbol)
{
	return rust_demangle(symbol, DMGL_NO_OPTS);
}

static char *demangle_d(const char *symbol)
{
	return dlang_demangle(symbol, DMGL_NO_OPTS);
}
#else
static char *demangle_cxx(const char *symbol)
{
	(void)symbol;
	return NULL;
}

static char *demangle_rust(const char *symbol)
{
	return demangle_cxx(symbol);
}

static char *demangle_d(const char *symbol)
{
	return demangle_cxx(symbol);
}
#endif

/* A copy of a function has an ending, as ".cold" of what is executed hardly ever: it stays. */
static char *demangle_copy(const char *symbol)
{
	const size_t length = strcspn(symbol, ".");
	char *whole = strndup(symbol, length), *name = whole ? demangle_cxx(whole) : NULL;
	char *both = NULL;

	if (name && asprintf(&both, "%s%s", name, symbol + length) < 0)
		both = NULL;
	free(whole);
	free(name);
	return both;
}

/* An older symbol of Rust is one of C++, too, with its hash as the last name. */
static char *try_each(const char *symbol)
{
	char *name = NULL;

	if (symbol[0] != '_')
		return NULL;
	if (symbol[1] == 'Z' || symbol[1] == 'R')
		name = demangle_rust(symbol);
	if (!name && symbol[1] == 'Z')
		name = demangle_copy(symbol);
	if (!name && symbol[1] == 'D')
		name = demangle_d(symbol);
	return name;
}

char *demangle(const char *symbol)
{
	const size_t length = strcspn(symbol, "@");
	char *bare, *name;

	if (!symbol[length])
		return try_each(symbol);
	bare = strndup(symbol, length);
	if (!bare)
		return NULL;
	name = try_each(bare);
	if (!name)
		return bare;
	free(bare);
	return name;
}

bool demangle_is_rust(const char *symbol)
{
	char *name = symbol[0] == '_' ? demangle_rust(symbol) : NULL;

	free(name);
	return name;
}
