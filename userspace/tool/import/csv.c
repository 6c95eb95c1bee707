// SPDX-License-Identifier: BSD-2-Clause
/* Captures as CSV: a column for each signal, or several in one, and a row for each sample */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "capture.h"
#include "../cli/tool.h"

#define COLUMNS		1024
#define DECIMALS	15	/* of a time */

struct csv {
	struct capture *c;
	char separator;
	char *field[COLUMNS];
	unsigned int fields;
	int signal[COLUMNS];	/* of @c->signal; -1: none */
	unsigned int columns;
	int time;		/* the column; -1: none */
	bool numbered;		/* --pins are numbers of columns */
};

/* ---- rows ---- */

static char *trim(char *s)
{
	size_t n;

	s += strspn(s, " \t\r");
	n = strlen(s);
	while (n && strchr(" \t\r", s[n - 1]))
		n--;
	s[n] = '\0';
	if (n > 1 && *s == '"' && s[n - 1] == '"') {
		s[n - 1] = '\0';
		return trim(s + 1);
	}
	return s;
}

/* A separator in quotes is none. */
static char *field_end(const struct csv *v, char *s)
{
	bool quoted = false;

	for (; *s && (quoted || *s != v->separator); s++)
		quoted ^= *s == '"';
	return s;
}

static int split(struct csv *v)
{
	char *s = v->c->lines.text, *end;

	v->fields = 0;
	for (;;) {
		if (v->fields == COLUMNS)
			return capture_refuse(v->c, "more than %d columns", COLUMNS);
		end = field_end(v, s);
		v->field[v->fields] = s;
		s = end + 1;
		if (!*end)
			s = NULL;
		*end = '\0';
		v->field[v->fields] = trim(v->field[v->fields]);
		v->fields++;
		if (!s)
			return 0;
	}
}

static bool is_blank(const char *s)
{
	return !s[strspn(s, " \t\r")];
}

/* What analysers write before the names. Return: 1; 0 at the end; -errno after a message */
static int next_row(struct csv *v, bool head)
{
	struct lines *l = &v->c->lines;
	int more;

	do {
		more = lines_next(l);
	} while (more > 0 && (is_blank(l->text) ||
			      (head && (*l->text == ';' || *l->text == '#'))));
	if (more < 0)
		refuse_error(l->name, &l->error);
	return more;
}

/* ---- names ---- */

/* The first of these that is there, not in quotes */
static char find_separator(const char *s)
{
	bool quoted = false;

	for (; *s; s++) {
		quoted ^= *s == '"';
		if (!quoted && strchr(",;\t", *s))
			return *s;
	}
	return ',';
}

static bool is_field(const struct csv *v, const char *name)
{
	unsigned int i;

	for (i = 0; i < v->fields; i++)
		if (!strcasecmp(v->field[i], name))
			return true;
	return false;
}

/* Columns by number, from 1 on, unless all of these are names */
static bool are_numbers(const struct csv *v)
{
	const char *pins = v->c->pins;
	unsigned int i;

	if (!pins || pins[strspn(pins, "0123456789,")])
		return false;
	for (i = 0; i < v->c->signals - !!v->c->clock; i++)
		if (!is_field(v, v->c->signal[i].name))
			return true;
	return false;
}

static int declare(struct csv *v)
{
	char number[16];
	unsigned int i;

	v->columns = v->fields;
	v->time = -1;
	for (i = 0; i < v->columns; i++) {
		snprintf(number, sizeof(number), "%u", i + 1);
		v->signal[i] = capture_declare(v->c, v->numbered ? number : v->field[i], NULL, 0,
					       -1);
		if (v->signal[i] == -2)
			return EXIT_REFUSED;
		if (v->time < 0 && !strncasecmp(v->field[i], "time", 4))
			v->time = i;
	}
	if (v->c->period && v->time < 0)
		return refuse(v->c->lines.name, "--period: no column is named time");
	return 0;
}

/* One column of --pins has as many bits as are left: all seven, or ES and TS, or a bit each. */
static void set_bits(struct csv *v)
{
	unsigned int pins = v->c->signals - !!v->c->clock;

	if (!v->c->pins)
		return;
	if (pins == 1)
		v->c->signal[0].bits = CAPTURE_PINS;
	if (pins == 2) {
		v->c->signal[0].bits = 3;
		v->c->signal[1].bits = 4;
	}
}

/* ---- values ---- */

/* As many digits 0 and 1 as there are bits, or a number: decimal, 0x and hex, one digit hex */
static bool parse_bits(const char *s, unsigned int bits, uint8_t *value)
{
	uint64_t v = 0;
	size_t n = strlen(s), i;

	if (n == bits && strspn(s, "01") == n) {
		for (i = 0; i < n; i++)
			v = v << 1 | (s[i] == '1');
	} else if (n == 1 && isxdigit((unsigned char)*s)) {
		v = strtoul(s, NULL, 16);
	} else if (!softpt_number_within(s, 0, 127, &v)) {
		return false;
	}
	*value = v;
	return v < 1u << bits;
}

static int take(struct csv *v, unsigned int column)
{
	struct capture_signal *s = &v->c->signal[v->signal[column]];
	const char *text = v->field[column];

	s->known = parse_bits(text, s->bits, &s->value);
	if (s->known || (*text && !text[strspn(text, "xXzZ-")]))
		return 0;
	return capture_refuse(v->c, "'%.40s' is no value of %s, which has %u bits", text, s->name,
			      s->bits);
}

bool import_csv_time(const char *s, int64_t *time)
{
	bool minus = *s == '-', point = false;
	int64_t v = 0;
	long exponent = 0;
	const char *digits;

	s += minus || *s == '+';
	for (digits = s; isdigit((unsigned char)*s) || (*s == '.' && !point); s++) {
		if (*s == '.') {
			point = true;
			continue;
		}
		/* Zeros at the end of a fraction say nothing. */
		if (point && !s[strspn(s, "0")]) {
			s += strlen(s);
			break;
		}
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *s - '0', &v))
			return false;
		exponent -= point;
	}
	if (s == digits || (s == digits + 1 && point))
		return false;
	if (*s == 'e' || *s == 'E') {
		char *end;
		long e = strtol(s + 1, &end, 10);

		if (end == s + 1 || e < -99 || e > 99)
			return false;
		exponent += e;
		s = end;
	}
	for (exponent += DECIMALS; exponent > 0 && v; exponent--)
		if (__builtin_mul_overflow(v, 10, &v))
			return false;
	for (; exponent < 0 && v; exponent++) {
		if (v % 10)
			return false;
		v /= 10;
	}
	*time = minus ? -v : v;
	return !*s;
}

static int row(struct csv *v)
{
	unsigned int i;
	int64_t time;
	int err = 0;

	if (v->fields != v->columns)
		return capture_refuse(v->c, "%u columns, and %u before", v->fields, v->columns);
	if (v->c->period) {
		if (!import_csv_time(v->field[v->time], &time))
			return capture_refuse(v->c, "'%.40s' is no time", v->field[v->time]);
		err = capture_time(v->c, time);
	}
	for (i = 0; i < v->columns && !err; i++)
		if (v->signal[i] >= 0 && v->c->signal[v->signal[i]].bits)
			err = take(v, i);
	return err ? err : capture_sample(v->c);
}

/* Columns by number may have no names: then the first row is one of values. */
static bool are_values(const struct csv *v)
{
	uint8_t value;
	unsigned int i;

	for (i = 0; i < v->columns; i++)
		if (v->signal[i] >= 0 &&
		    !parse_bits(v->field[i], v->c->signal[v->signal[i]].bits, &value))
			return false;
	return v->numbered;
}

static int import(struct csv *v)
{
	int more = next_row(v, true), err;

	if (more <= 0)
		return more < 0 ? EXIT_REFUSED : refuse(v->c->lines.name, "the file is empty");
	v->separator = find_separator(v->c->lines.text);
	set_bits(v);
	err = split(v);
	v->numbered = are_numbers(v);
	if (!err)
		err = declare(v);
	if (!err)
		err = capture_declared(v->c);
	if (!err && are_values(v))
		err = row(v);
	while (!err && (more = next_row(v, false)) > 0) {
		err = split(v);
		if (!err)
			err = row(v);
	}
	if (!err && more < 0)
		err = EXIT_REFUSED;
	return err ? err : capture_end(v->c, true);
}

int import_csv(struct capture *c)
{
	struct csv *v = calloc(1, sizeof(*v));
	int status;

	if (!v)
		return refuse(c->lines.name, "no memory");
	v->c = c;
	status = import(v);
	free(v);
	return status;
}
