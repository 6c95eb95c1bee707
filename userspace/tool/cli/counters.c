// SPDX-License-Identifier: BSD-2-Clause
/* Event counters on the command line */
#include "counters.h"

#include <stdio.h>

#include <softpt/counters.h>

#include "tool.h"

static void list_class(unsigned int number, const struct softpt_class *c)
{
	char counters[16];
	unsigned int i;

	snprintf(counters, sizeof(counters), "%u-%u", c->first, c->last);
	if (!*c->what) {
		printf("%5u  %-22s%-10sfree for a simulator's own\n", number, c->name, counters);
		return;
	}
	printf("%5u  %-22s%-10s%s%s\n", number, c->name, counters, c->clocks ? "clocks while " : "",
	       c->what);
	for (i = 0; i < SOFTPT_CLASS_SUBS; i++)
		if (c->sub[i])
			printf("         %-20s0x%-8x%s\n", c->sub[i], 1 << i, c->sub_what[i]);
}

int list_events(void)
{
	struct softpt_class c;
	unsigned int i;

	printf("CLASS  NAME                  COUNTERS\n         SUBCLASS            BIT\n");
	for (i = 0; softpt_class_get(i, &c); i++)
		list_class(i, &c);
	return close_stdout(0);
}

int counter_option(struct counters *c, const char *text)
{
	char why[320];

	if (counter_add(c, text, NULL, why, sizeof(why)) >= 0)
		return 0;
	fprintf(stderr, "softpt: --counter %s: %s\n", text, why);
	return EXIT_USAGE;
}

int count_option(struct counters *c, const char *text)
{
	char why[320];

	if (!count_add(c, text, why, sizeof(why)))
		return 0;
	fprintf(stderr, "softpt: --count %s: %s\n", text, why);
	return EXIT_USAGE;
}

int counters_done(const struct counters *c)
{
	if (counters_whole(c))
		return 0;
	fputs("softpt: --count: a counter that counts nothing: --counter K=...\n", stderr);
	return EXIT_USAGE;
}
