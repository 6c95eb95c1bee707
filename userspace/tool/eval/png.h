/* SPDX-License-Identifier: BSD-2-Clause */
/* A page in pixels */
#ifndef SOFTPT_TOOL_EVAL_PNG_H
#define SOFTPT_TOOL_EVAL_PNG_H

#include <stddef.h>
#include <stdio.h>

/**
 * eval_png_load() - what a PNG needs is here
 * @path: the PNG, for a message
 *
 * Return: 0, or EXIT_REFUSED after a message.
 */
int eval_png_load(const char *path);

/**
 * eval_png() - the page in pixels
 * @to: where to
 * @path: its name, for a message
 * @svg: the page, @width x @height
 * @len: bytes of the SVG
 * @width: pixels
 * @height: pixels
 *
 * Return: 0, or EXIT_REFUSED after a message.
 */
int eval_png(FILE *to, const char *path, const char *svg, size_t len, double width, double height);

#endif /* SOFTPT_TOOL_EVAL_PNG_H */
