// SPDX-License-Identifier: BSD-2-Clause
/* softpt stat: what was counted, as perf stat lays it out, or as JSON with its keys */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <softpt/classes.h>

#include "../cli/tool.h"
#include "print.h"

#define NAME_WIDTH	25

int stat_open(struct stat *s)
{
	s->out = s->path ? fopen(s->path, "we") : stderr;
	return s->out ? 0 : refuse(s->path, "%s", strerror(errno));
}

int stat_close(struct stat *s)
{
	int err = ferror(s->out);

	if (s->out == stderr)
		return 0;
	if (fclose(s->out) || err)
		return refuse(s->path, "%s", strerror(errno ? errno : EIO));
	return 0;
}

/* 1234567 as 1,234,567, whatever the locale */
static const char *grouped(uint64_t value, char text[32])
{
	char *at = text + 31;
	unsigned int digits = 0;

	*at = '\0';
	do {
		if (digits && digits % 3 == 0)
			*--at = ',';
		*--at = '0' + value % 10;
		digits++;
	} while (value /= 10);
	return at;
}

static bool is_whole(const struct stat_event *e)
{
	return e->spec.mask == STAT_ALL;
}

/* Who counts all of @event_class for the same threads and levels; -1: nobody */
static int find_whole(const struct stat *s, unsigned int event_class, const struct stat_event *e)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		if (s->event[i].spec.event_class == event_class && is_whole(&s->event[i]) &&
		    s->event[i].spec.usr == e->spec.usr && s->event[i].spec.os == e->spec.os)
			return i;
	return -1;
}

struct metric {
	double value;
	char unit[48];
};

/* What follows from two counts. Return: whether anything does */
static bool derive(const struct stat *s, unsigned int i, const uint64_t *values, struct metric *m)
{
	const struct stat_event *e = &s->event[i];
	struct softpt_class c;
	int all;

	softpt_class_get(e->spec.event_class, &c);
	if (is_whole(e) && e->spec.event_class != SOFTPT_CLASS_BRANCHES)
		return false;
	all = find_whole(s, is_whole(e) ? SOFTPT_CLASS_INSTRUCTIONS : e->spec.event_class, e);
	if (all < 0 || !values[is_whole(e) ? i : (unsigned int)all])
		return false;
	if (is_whole(e)) {
		m->value = (double)values[all] / values[i];
		snprintf(m->unit, sizeof(m->unit), "insn per branch");
	} else {
		m->value = 100.0 * values[i] / values[all];
		snprintf(m->unit, sizeof(m->unit), "%% of all %s", c.name);
	}
	return true;
}

static void print_line(const struct stat *s, unsigned int i, const struct stat_place *at,
		       const uint64_t *values)
{
	char text[32];
	struct metric m;

	if (at->seconds >= 0)
		fprintf(s->out, "%16.9f ", at->seconds);
	if (at->thread)
		fprintf(s->out, "%25s ", at->thread);
	fprintf(s->out, "%18s      ", grouped(values[i], text));
	if (!derive(s, i, values, &m))
		fprintf(s->out, "%s\n", s->event[i].name);
	else
		fprintf(s->out, "%-*s # %8.2f%s%s\n", NAME_WIDTH, s->event[i].name, m.value,
			*m.unit == '%' ? "" : "  ", m.unit);
}

static void print_object(const struct stat *s, unsigned int i, const struct stat_place *at,
			 const uint64_t *values)
{
	struct metric m;

	fputc('{', s->out);
	if (at->seconds >= 0)
		fprintf(s->out, "\"interval\": %.9f, ", at->seconds);
	if (at->thread) {
		fputs("\"thread\": ", s->out);
		print_json_string(s->out, at->thread);
		fputs(", ", s->out);
	}
	fprintf(s->out, "\"counter-value\": %" PRIu64 ", \"unit\": \"\", \"event\": \"%s\"",
		values[i], s->event[i].name);
	if (derive(s, i, values, &m))
		fprintf(s->out, ", \"metric-value\": %.2f, \"metric-unit\": \"%s\"", m.value,
			m.unit);
	fputs("}\n", s->out);
}

void stat_print_begin(const struct stat *s)
{
	unsigned int i;

	if (s->json)
		return;
	if (s->interval_ms) {
		fprintf(s->out, "#           time %s            counts      event\n",
			s->per_thread ? "                   thread " : "");
		return;
	}
	fputs("\n Performance counter stats for ", s->out);
	if (s->pid)
		fprintf(s->out, "process id '%d'", (int)s->pid);
	else if (!s->argv)
		fputs("'system wide'", s->out);
	for (i = 0; s->argv && s->argv[i]; i++)
		fprintf(s->out, "%s%s", i ? " " : "'", s->argv[i]);
	fprintf(s->out, "%s:\n\n", s->argv ? "'" : "");
}

void stat_print(const struct stat *s, const struct stat_place *at, const uint64_t *values)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		(s->json ? print_object : print_line)(s, i, at, values);
	fflush(s->out);
}

static double seconds(struct timeval t)
{
	return t.tv_sec + t.tv_usec / 1e6;
}

void stat_print_end(const struct stat *s, double elapsed, const struct rusage *usage)
{
	if (s->json)
		return;
	fprintf(s->out, "\n %17.9f seconds time elapsed\n\n", elapsed);
	if (usage)
		fprintf(s->out, " %17.9f seconds user\n %17.9f seconds sys\n\n",
			seconds(usage->ru_utime), seconds(usage->ru_stime));
}
