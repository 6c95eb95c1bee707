// SPDX-License-Identifier: BSD-2-Clause
/* Value change dumps (IEEE 1364): signals by short names, and at each time what changes */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "capture.h"
#include "../cli/tool.h"

#define BLANK	" \t\r\f\v"
#define PATH	1024

struct vcd {
	struct capture *c;
	char *rest;		/* of the line */
	int err;
	char path[PATH];	/* scopes, each with a dot behind it */
	char id[CAPTURE_SIGNALS][CAPTURE_NAME];	/* of @c->signal, in the dump */
	bool dirty;		/* something was said since the last sample */
};

/* Return: the next word, or NULL at the end or after a message: @v->err */
static char *word(struct vcd *v)
{
	for (;;) {
		char *w = v->rest ? v->rest + strspn(v->rest, BLANK) : NULL;
		int more;

		if (w && *w) {
			v->rest = w + strcspn(w, BLANK);
			if (*v->rest)
				*v->rest++ = '\0';
			return w;
		}
		more = lines_next(&v->c->lines);
		if (more < 0)
			v->err = refuse_error(v->c->lines.name, &v->c->lines.error);
		if (more <= 0)
			return NULL;
		v->rest = v->c->lines.text;
	}
}

/* Return: whether there is one; else @v->err */
static char *need(struct vcd *v)
{
	char *w = word(v);

	if (!w && !v->err)
		v->err = capture_refuse(v->c, "the dump ends inside a declaration");
	return w;
}

static void skip_to_end(struct vcd *v)
{
	char *w;

	do {
		w = need(v);
	} while (w && strcmp(w, "$end"));
}

/* ---- declarations ---- */

static void enter_scope(struct vcd *v)
{
	size_t n = strlen(v->path);
	char *w = need(v);

	w = w ? need(v) : NULL;
	if (!w)
		return;
	if (n + strlen(w) + 2 > PATH) {
		v->err = capture_refuse(v->c, "scopes with names longer than %d", PATH);
		return;
	}
	strcat(strcpy(v->path + n, w), ".");
	skip_to_end(v);
}

static void leave_scope(struct vcd *v)
{
	size_t n = strlen(v->path);

	n -= !!n;
	while (n && v->path[n - 1] != '.')
		n--;
	v->path[n] = '\0';
	skip_to_end(v);
}

/* NAME, NAME[2:0] or NAME[0], which is NAME0: of a signal's range only the bits matter */
static void take_range(char *name, const char *range)
{
	char *own = strchr(name, '[');
	char *end;
	size_t n;

	if (!range)
		range = own;
	if (own)
		*own = '\0';
	if (!range || *range != '[' || strchr(range, ':'))
		return;
	n = strlen(name);
	if (!isdigit((unsigned char)range[1]) || n + strlen(range) >= CAPTURE_NAME)
		return;
	memmove(name + n, range + 1, strlen(range));
	end = strchr(name + n, ']');
	if (end)
		*end = '\0';
}

static int declared_as(const struct vcd *v, const char *id)
{
	unsigned int i;

	for (i = 0; i < v->c->signals; i++)
		if (v->c->signal[i].found && !strcmp(v->id[i], id))
			return i;
	return -1;
}

static void declare(struct vcd *v, const char *id, char *name, const char *range, uint64_t bits)
{
	char path[PATH + CAPTURE_NAME];
	int i;

	take_range(name, range);
	strcat(strcpy(path, v->path), name);
	i = capture_declare(v->c, name, path, bits > CAPTURE_PINS ? CAPTURE_PINS + 1 : bits,
			    declared_as(v, id));
	if (i == -2)
		v->err = EXIT_REFUSED;
	if (i >= 0)
		strcpy(v->id[i], id);
}

/* $var TYPE BITS ID NAME [RANGE] $end */
static void variable(struct vcd *v)
{
	char id[CAPTURE_NAME] = "", name[CAPTURE_NAME] = "", range[CAPTURE_NAME] = "";
	char *const into[] = { NULL, NULL, id, name, range };
	uint64_t bits = 0;
	unsigned int i;
	char *w;

	for (i = 0; (w = need(v)) && strcmp(w, "$end"); i++) {
		if (i == 1 && !softpt_number_within(w, 1, UINT32_MAX, &bits)) {
			v->err = capture_refuse(v->c, "$var: '%.40s' is no number of bits", w);
			return;
		}
		if (i < 2 || i > 4)
			continue;
		if (strlen(w) >= CAPTURE_NAME) {
			v->err = capture_refuse(v->c, "$var: a name longer than %d",
						CAPTURE_NAME - 1);
			return;
		}
		strcpy(into[i], w);
	}
	if (w && i < 4)
		v->err = capture_refuse(v->c, "$var: type, bits, identifier and name belong in it");
	else if (w)
		declare(v, id, name, *range ? range : NULL, bits);
}

/* Up to $enddefinitions. Return: exit status */
static int definitions(struct vcd *v)
{
	char *w;

	while (!v->err && (w = word(v))) {
		if (*w != '$')
			return capture_refuse(v->c, "'%.40s': a value change dump begins with $...",
					      w);
		if (!strcmp(w, "$enddefinitions")) {
			skip_to_end(v);
			return v->err ? v->err : capture_declared(v->c);
		}
		if (!strcmp(w, "$scope"))
			enter_scope(v);
		else if (!strcmp(w, "$upscope"))
			leave_scope(v);
		else if (!strcmp(w, "$var"))
			variable(v);
		else if (strcmp(w, "$end"))
			skip_to_end(v);
	}
	return v->err ? v->err :
	       refuse(v->c->lines.name, "no value change dump: it has no $enddefinitions");
}

/* ---- changes ---- */

static struct capture_signal *find(struct vcd *v, const char *id)
{
	int i = declared_as(v, id);

	return i < 0 ? NULL : &v->c->signal[i];
}

/* What is left out on the left is 0 behind 0 and 1, x behind x, z behind z. */
static void change(struct vcd *v, const char *bits, const char *id)
{
	struct capture_signal *s = find(v, id);
	size_t n = strlen(bits), i;

	if (!s)
		return;
	if (!n || strspn(bits, "01xXzZ") != n || n > s->bits) {
		v->err = capture_refuse(v->c, "'%.40s' is no value of %s", bits, s->name);
		return;
	}
	s->known = !strpbrk(bits, "xXzZ");
	s->value = 0;
	for (i = 0; i < n; i++)
		s->value = s->value << 1 | (bits[i] == '1');
	v->dirty = true;
}

/* All that happened at one time is one sample. */
static void settle(struct vcd *v)
{
	if (v->dirty && !v->err)
		v->err = capture_sample(v->c);
	v->dirty = false;
}

static void move_time(struct vcd *v, const char *text)
{
	uint64_t t;

	if (!softpt_number_within(text, 0, INT64_MAX, &t)) {
		v->err = capture_refuse(v->c, "'#%.40s' is no time", text);
		return;
	}
	settle(v);
	if (!v->err)
		v->err = capture_time(v->c, t);
}

/* A vector's value and its identifier are two words, a bit's are one. */
static void value(struct vcd *v, char *w)
{
	char bit[2] = { *w, '\0' }, bits[CAPTURE_NAME], *id;

	if (!strchr("bBrRsS", *w)) {
		if (!strchr("01xXzZ", *w) || !w[1])
			v->err = capture_refuse(v->c, "'%.40s' is no change of a value", w);
		else
			change(v, bit, w + 1);
		return;
	}
	/* The line is another one when the identifier is on it. */
	snprintf(bits, sizeof(bits), "%s", w + 1);
	bit[0] = *w;
	id = need(v);
	if (id && strchr("bB", bit[0]))
		change(v, bits, id);
	else if (id && find(v, id))
		v->err = capture_refuse(v->c, "%s is a number or a text, not bits",
					find(v, id)->name);
}

static int changes(struct vcd *v)
{
	bool more;
	char *w;

	while (!v->err && (w = word(v))) {
		if (*w == '#')
			move_time(v, w + 1);
		else if (!strcmp(w, "$comment"))
			skip_to_end(v);
		else if (*w != '$')	/* $dumpvars and the like: what is in them are changes */
			value(v, w);
	}
	/* A time without changes is the end. */
	more = v->dirty;
	settle(v);
	return v->err ? v->err : capture_end(v->c, more);
}

int import_vcd(struct capture *c)
{
	struct vcd v = { .c = c };

	if (!c->clock && !c->period)
		c->period = 1;
	v.err = definitions(&v);
	return v.err ? v.err : changes(&v);
}
