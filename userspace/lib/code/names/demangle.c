// SPDX-License-Identifier: BSD-2-Clause
#include "code/names/demangle.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>

#define LENGTH_MAX	(16 * 1024)	/* a longer name is none */

/* What a demangler has said so far */
struct said {
	char *text;
	size_t n;
	jmp_buf enough;
};

/*
 * A few hundred bytes can stand for a name of gigabytes, each part of it twice the one before, and
 * a demangler can't be told to stop. Those of C++ and Rust have nothing to free where they say a
 * part.
 */
static void take(const char *text, size_t n, void *ctx)
{
	struct said *said = ctx;

	if (n >= LENGTH_MAX - said->n)
		longjmp(said->enough, 1);
	memcpy(said->text + said->n, text, n);
	said->n += n;
}

typedef int (*demangle_fn)(const char *symbol, int options, demangle_callbackref put, void *ctx);

static char *demangle_by(demangle_fn fn, const char *symbol)
{
	struct said said = { .text = malloc(LENGTH_MAX) };
	char *name = NULL;

	if (!said.text)
		return NULL;
	if (!setjmp(said.enough) && fn(symbol, DMGL_NO_OPTS, take, &said) && said.n)
		name = strndup(said.text, said.n);
	free(said.text);
	return name;
}

static char *demangle_cxx(const char *symbol)
{
	return demangle_by(cplus_demangle_v3_callback, symbol);
}

static char *demangle_rust(const char *symbol)
{
	return demangle_by(rust_demangle_callback, symbol);
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
