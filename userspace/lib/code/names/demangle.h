/* SPDX-License-Identifier: BSD-2-Clause */
/* Symbols of C++ and Rust as people write them */
#ifndef SOFTPT_CODE_NAMES_DEMANGLE_H
#define SOFTPT_CODE_NAMES_DEMANGLE_H

#include <stdbool.h>

/*
 * A symbol without the version behind '@', and without what a compiler has encoded in it: name
 * spaces, classes and arguments of templates stay; those of functions and hashes go.
 * Return: a text to free, or NULL: the symbol is such a name, or memory is out
 */
char *demangle(const char *symbol);

/* Whether a symbol has a hash in it that another build may change */
bool demangle_is_rust(const char *symbol);

#endif /* SOFTPT_CODE_NAMES_DEMANGLE_H */
