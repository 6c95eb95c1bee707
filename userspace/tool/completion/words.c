// SPDX-License-Identifier: BSD-2-Clause
#include "words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "../cli/tool.h"

bool completion_is_choice(const struct option_row *row)
{
	const char *c = row->arg;

	if (!c || !strchr(c, '|'))
		return false;
	while (islower((unsigned char)*c) || *c == '|')
		c++;
	return !*c;
}

void completion_choices(const struct option_row *row)
{
	const char *c;

	for (c = row->arg; *c; c++)
		putchar(*c == '|' ? ' ' : *c);
}

void completion_text(const char *text, const char *quote, const char *also)
{
	for (; *text; text++) {
		if (*text == '\'') {
			fputs(quote, stdout);
			continue;
		}
		if (strchr(also, *text))
			putchar('\\');
		putchar(*text);
	}
}
