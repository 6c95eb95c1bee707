/* SPDX-License-Identifier: BSD-2-Clause */
/* Names out of files and processes: they don't command the terminal, and leave JSON valid. */
#ifndef SOFTPT_BASE_QUOTE_H
#define SOFTPT_BASE_QUOTE_H

#include <stddef.h>
#include <stdio.h>

/* Up to @len bytes of a name that came with the input: '?' for what would command a terminal */
void print_plain(FILE *to, const char *text, size_t len);
/* The same, in an attribute of XML */
void print_xml(FILE *to, const char *text, size_t len);
/* In quotes; what is no UTF-8 is U+FFFD. */
void print_json_string(FILE *to, const char *text);

/* Return: bytes in front of what is no UTF-8, or of the end */
size_t utf8_length(const char *text);
/* What is no UTF-8 is U+FFFD. Return: a copy, for free(); NULL without memory */
char *utf8_copy(const char *text);

#endif /* SOFTPT_BASE_QUOTE_H */
