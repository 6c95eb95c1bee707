// SPDX-License-Identifier: BSD-2-Clause
#include <stdio.h>
#include <string.h>

#include "line.h"

char *put_text(char *p, const char *text)
{
	size_t len = strlen(text);

	memcpy(p, text, len);
	return p + len;
}

char *put_dec(char *p, uint64_t v)
{
	char digits[20];
	unsigned int n = 0;

	do {
		digits[n++] = '0' + v % 10;
		v /= 10;
	} while (v);
	while (n)
		*p++ = digits[--n];
	return p;
}

static uint64_t magnitude(int64_t v)
{
	return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

char *put_signed(char *p, int64_t v)
{
	if (v < 0)
		*p++ = '-';
	return put_dec(p, magnitude(v));
}

char *put_hex(char *p, uint64_t v)
{
	unsigned int shift = v ? (63 - __builtin_clzll(v)) & ~3u : 0;

	p = put_text(p, "0x");
	for (;; shift -= 4) {
		*p++ = "0123456789abcdef"[v >> shift & 15];
		if (!shift)
			return p;
	}
}

char *put_address(char *p, uint64_t v)
{
	int shift = 44;

	if (v >> 48)
		return put_hex(p, v);
	p = put_text(p, "0x");
	for (; shift >= 0; shift -= 4)
		*p++ = "0123456789abcdef"[v >> shift & 15];
	return p;
}

char *put_milli(char *p, int64_t v)
{
	const unsigned int rest = magnitude(v) % 1000;

	if (v < 0)
		*p++ = '-';
	p = put_dec(p, magnitude(v) / 1000);
	*p++ = '.';
	*p++ = '0' + rest / 100;
	*p++ = '0' + rest / 10 % 10;
	*p++ = '0' + rest % 10;
	return p;
}

/* Decimals, but for zeros at their end */
static char *put_decimals(char *p, unsigned int v, unsigned int digits)
{
	unsigned int i;

	for (; digits && !(v % 10); digits--)
		v /= 10;
	if (!digits)
		return p;
	*p++ = '.';
	for (i = digits; i--; v /= 10)
		p[i] = '0' + v % 10;
	return p + digits;
}

/* What is amid two numbers of three digits is rounded as a double of it is. */
char *put_three(char *p, uint64_t v, uint64_t unit)
{
	const unsigned int decimals = v < 10 * unit ? 2 : v < 100 * unit ? 1 : 0;
	const uint64_t scale = decimals == 2 ? 100 : decimals ? 10 : 1, step = unit / scale;
	const uint64_t rest = v % step, near = v / step + (2 * rest > step);

	if (2 * rest == step || near >= 1000 * scale)
		return p + sprintf(p, "%.3g", (double)v / unit);
	p = put_dec(p, near / scale);
	return put_decimals(p, near % scale, decimals);
}

char *put_right(char *begin, char *p, unsigned int width)
{
	const size_t len = p - begin;

	if (len >= width)
		return p;
	memmove(begin + width - len, begin, len);
	memset(begin, ' ', width - len);
	return begin + width;
}

char *put_left(char *begin, char *p, unsigned int width)
{
	while (p < begin + width)
		*p++ = ' ';
	return p;
}
