/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines of output, put together without printf: there are hundreds of thousands a second. Each
 * function writes at @p, which must have the room, and returns where it has ended.
 */
#ifndef SOFTPT_TOOL_LINE_H
#define SOFTPT_TOOL_LINE_H

#include <stdint.h>

char *put_text(char *p, const char *text);
char *put_dec(char *p, uint64_t v);
char *put_signed(char *p, int64_t v);
/* With 0x */
char *put_hex(char *p, uint64_t v);
/* And 12 digits at least */
char *put_address(char *p, uint64_t v);
/* Thousandths: 1234 is 1.234 */
char *put_milli(char *p, int64_t v);

/* Three digits of v / unit, as %.3g prints them; unit is a power of ten from 1000 on, v >= unit */
char *put_three(char *p, uint64_t v, uint64_t unit);

/* What was written from @begin on gets @width columns: spaces before it, or behind it */
char *put_right(char *begin, char *p, unsigned int width);
char *put_left(char *begin, char *p, unsigned int width);

#endif /* SOFTPT_TOOL_LINE_H */
