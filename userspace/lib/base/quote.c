// SPDX-License-Identifier: BSD-2-Clause
#include "base/quote.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the character of UTF-8 at @s, or 0: it is none (RFC 3629) */
static unsigned int utf8(const unsigned char *s)
{
	unsigned int i, n = *s < 0x80 ? 1 : *s < 0xc2 ? 0 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : 4;

	if (*s > 0xf4)
		return 0;
	for (i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* Written longer than needed, half of a surrogate pair, above U+10FFFF */
	if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) ||
	    (*s == 0xf0 && s[1] < 0x90) || (*s == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

/* C0, DEL, and C1 as UTF-8 has them */
static bool is_control(const unsigned char *s)
{
	return *s < ' ' || *s == 0x7f || (*s == 0xc2 && s[1] < 0xa0);
}

/* Characters of ASCII in a row that mean themselves, in JSON, too */
static size_t plain(const unsigned char *s, const unsigned char *end)
{
	const unsigned char *from = s;

	while (s < end && *s >= ' ' && *s < 0x7f && *s != '"' && *s != '\\')
		s++;
	return s - from;
}

void print_plain(FILE *to, const char *text, size_t len)
{
	const unsigned char *s = (const unsigned char *)text, *end = s + strnlen(text, len);
	size_t n;

	for (; s < end; s += n ? n : 1) {
		n = plain(s, end);
		if (n) {
			fwrite(s, 1, n, to);
			continue;
		}
		n = utf8(s);
		if (!n || is_control(s))
			fputc('?', to);
		else
			fwrite(s, 1, n, to);
	}
}

/* XML has no place for U+FFFE and U+FFFF either. */
static bool is_in_xml(const unsigned char *s, size_t n)
{
	return n && !is_control(s) && !(*s == 0xef && s[1] == 0xbf && s[2] > 0xbd);
}

void print_xml(FILE *to, const char *text, size_t len)
{
	const unsigned char *s = (const unsigned char *)text, *end = s + strnlen(text, len);
	size_t n;

	for (; s < end; s += n ? n : 1) {
		n = utf8(s);
		if (strchr("&<>\"", *s))
			fprintf(to, "&#%d;", *s);
		else if (is_in_xml(s, n))
			fwrite(s, 1, n, to);
		else
			fputc('?', to);
	}
}

void print_json_string(FILE *to, const char *text)
{
	const unsigned char *s = (const unsigned char *)text, *end = s + strlen(text);
	size_t n;

	fputc('"', to);
	while (*s) {
		n = plain(s, end);
		if (n) {
			fwrite(s, 1, n, to);
			s += n;
			continue;
		}
		n = utf8(s);
		if (!n)
			fputs("\\ufffd", to);
		else if (is_control(s))
			fprintf(to, "\\u%04x", n == 2 ? s[1] : *s);
		else if (*s == '"' || *s == '\\')
			fprintf(to, "\\%c", *s);
		else
			fwrite(s, 1, n, to);
		s += n ? n : 1;
	}
	fputc('"', to);
}

size_t utf8_length(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t n = *s ? utf8(s) : 0, len = n;

	while (n && s[len]) {
		n = utf8(s + len);
		len += n;
	}
	return len;
}

char *utf8_copy(const char *text)
{
	static const char unknown[] = "\xef\xbf\xbd";
	char *copy = malloc(3 * strlen(text) + 1), *to = copy;
	size_t n;

	if (!copy)
		return NULL;
	for (;;) {
		n = utf8_length(text);
		to = mempcpy(to, text, n);
		if (!text[n])
			break;
		to = mempcpy(to, unknown, 3);
		text += n + 1;
	}
	*to = '\0';
	return copy;
}
