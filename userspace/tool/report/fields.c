// SPDX-License-Identifier: BSD-2-Clause
#include <stdio.h>
#include <string.h>

#include "../cli/line.h"
#include "../cli/tool.h"
#include "fields.h"

#define KEY_MAX	64

/* Return: whether a value is to follow */
static bool begin(struct fields *f, const char *key)
{
	if (f->begun)
		putchar(',');
	else if (f->form == FIELDS_JSON)
		putchar('{');
	f->begun = true;
	if (f->form == FIELDS_JSON)
		printf("\"%s\":", key);
	else if (f->form == FIELDS_HEAD)
		fputs(key, stdout);
	return f->form != FIELDS_HEAD;
}

static void put_unknown(const struct fields *f)
{
	if (f->form == FIELDS_JSON)
		fputs("null", stdout);
}

/* Quotes are doubled (RFC 4180). */
static void put_csv(const char *text)
{
	const char *end;

	if (!strpbrk(text, ",\"\r\n")) {
		print_plain(stdout, text, SIZE_MAX);
		return;
	}
	putchar('"');
	for (; *text; text = end) {
		end = text + strcspn(text, "\"");
		print_plain(stdout, text, end - text);
		if (*end++)
			fputs("\"\"", stdout);
		else
			break;
	}
	putchar('"');
}

void field_text(struct fields *f, const char *key, const char *text)
{
	if (!begin(f, key))
		return;
	if (!text)
		put_unknown(f);
	else if (f->form == FIELDS_JSON)
		print_json_string(stdout, text);
	else
		put_csv(text);
}

void field_hex(struct fields *f, const char *key, bool known, uint64_t value)
{
	char text[32];

	*put_hex(text, value) = '\0';
	field_text(f, key, known ? text : NULL);
}

void field_number(struct fields *f, const char *key, bool known, uint64_t value)
{
	char text[32];

	if (!begin(f, key))
		return;
	if (known)
		fwrite(text, 1, put_dec(text, value) - text, stdout);
	else
		put_unknown(f);
}

static const char *key_of(char *buf, const char *key, const char *end)
{
	snprintf(buf, KEY_MAX, "%s%s", key, end);
	return buf;
}

void field_bounds(struct fields *f, const char *key, bool known, uint64_t ticks, uint64_t min,
		  uint64_t max)
{
	char buf[KEY_MAX];

	field_number(f, key_of(buf, key, "_ticks"), known, ticks);
	field_number(f, key_of(buf, key, "_ticks_min"), known, min);
	field_number(f, key_of(buf, key, "_ticks_max"), known && max != UINT64_MAX, max);
}

void field_span(struct fields *f, const char *key, const struct report_span *s)
{
	field_bounds(f, key, true, s->ticks, s->min, s->unbounded ? UINT64_MAX : s->max);
}

void fields_end(struct fields *f)
{
	puts(f->form == FIELDS_JSON ? "}" : "");
	f->begun = false;
}
