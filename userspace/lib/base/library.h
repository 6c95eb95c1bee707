/* SPDX-License-Identifier: BSD-2-Clause */
/* Libraries that are loaded when they are needed: who does not need them goes without */
#ifndef SOFTPT_BASE_LIBRARY_H
#define SOFTPT_BASE_LIBRARY_H

#include <stddef.h>

/**
 * struct library_function - a function of a library
 * @name: its symbol
 * @where: a pointer to such a function, which is set
 */
struct library_function {
	const char *name;
	void **where;
};

/**
 * library_load() - load a library, for as long as the program runs
 * @library: its name, as the linker knows it
 * @wanted: functions to look for, in it and in the libraries that it is linked with
 * @n: how many
 *
 * Return: NULL; @library, if there is none; or the name of a function that it does not have.
 */
const char *library_load(const char *library, const struct library_function *wanted, size_t n);

#endif /* SOFTPT_BASE_LIBRARY_H */
