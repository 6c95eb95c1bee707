// SPDX-License-Identifier: BSD-2-Clause
#include "page.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "flow/kernel/names.h"
#include "json.h"

#define HERE	"@DATA@"	/* in page.html */
#define SYSCALLS	1024		/* that may have names */

/* The page that the Makefile puts together of the parts in page/, and a 0 behind it */
asm(".pushsection .rodata\n"
	"page_html: .incbin \"" PAGE "\"\n"
	".byte 0\n"
	".popsection");

/* ---- times ---- */

/* Nanoseconds from the begin of the chart on; ticks where the file does not know the clock */
static double time_of(const struct page *p, uint64_t tsc)
{
	return (double)(int64_t)(softpt_perf_time(p->perf, tsc) -
				 softpt_perf_time(p->perf, p->chart->begin));
}

static double duration(const struct page *p, uint64_t ticks)
{
	return time_of(p, p->chart->begin + ticks);
}

const char *page_unit(const struct softpt_perf *perf)
{
	const uint64_t ticks = 1 << 30;

	return softpt_perf_time(perf, ticks) - softpt_perf_time(perf, 0) == ticks ? "ticks" : "ns";
}

/* ---- the parts ---- */

static int put_functions(const struct report_groups *groups, FILE *to)
{
	char name[REPORT_NAME_MAX];
	uint32_t i;
	int err = 0;

	fputs(",\n\"functions\":[", to);
	for (i = 0; i < groups->n && !err; i++) {
		fputs(i ? ",\n[" : "\n[", to);
		err = json_text(to, report_function_name(&groups->group[i], name));
		putc(',', to);
		if (!err)
			err = json_text(to, groups->group[i].module ? groups->group[i].module : "");
		putc(']', to);
	}
	putc(']', to);
	return err;
}

static int put_lanes(const struct chart *c, FILE *to)
{
	uint32_t i;
	int err = 0;

	fputs(",\n\"lanes\":[", to);
	for (i = 0; i < c->lanes && !err; i++) {
		fprintf(to, "%s{\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"comm\":", i ? ",\n" : "\n",
			c->lane[i].pid, c->lane[i].tid);
		err = json_text(to, c->lane[i].comm);
		putc('}', to);
	}
	putc(']', to);
	return err;
}

static double off_of(const struct page *p, const struct chart_slice *s)
{
	return s->off == UINT64_MAX ? -1 : duration(p, s->off);
}

static void put_slices(const struct page *p, FILE *to)
{
	const struct chart *c = p->chart;

	fprintf(to, ",\n\"slices\":{\"n\":%zu", c->slices);
	JSON_ROW(to, "begin", double, c->slices, time_of(p, c->slice[i].begin));
	JSON_ROW(to, "end", double, c->slices, time_of(p, c->slice[i].end));
	JSON_ROW(to, "off", float, c->slices, (float)off_of(p, &c->slice[i]));
	JSON_ROW(to, "what", uint32_t, c->slices, c->slice[i].what);
	JSON_ROW(to, "lane", uint32_t, c->slices, c->slice[i].lane);
	JSON_ROW(to, "depth", uint32_t, c->slices, c->slice[i].depth);
	JSON_ROW(to, "calls", uint32_t, c->slices, c->slice[i].calls);
	JSON_ROW(to, "instructions", double, c->slices, (double)c->slice[i].instructions);
	putc('}', to);
}

static void put_marks(const struct page *p, FILE *to)
{
	const struct chart *c = p->chart;
	size_t i;

	fprintf(to, ",\n\"marks_left\":%" PRIu64 ",\"marks\":[", c->marks_left);
	for (i = 0; i < c->marks; i++)
		fprintf(to, "%s[%.0f,%" PRIu32 ",\"%s\",\"0x%" PRIx64 "\"]", i ? ",\n" : "\n",
			time_of(p, c->mark[i].at), c->mark[i].lane,
			softpt_flow_event_name(c->mark[i].event), c->mark[i].value);
	putc(']', to);
}

static void put_waits(const struct page *p, FILE *to)
{
	const struct chart *c = p->chart;
	size_t i;

	fprintf(to, ",\n\"waits_left\":%" PRIu64 ",\"waits\":[", c->waits_left);
	for (i = 0; i < c->waits; i++) {
		const struct chart_wait *w = &c->wait[i];
		const char *why = kernel_left_name(w->why);

		fprintf(to, "%s[%.0f,%.0f,%.0f,%" PRIu32 ",\"%s\"]", i ? ",\n" : "\n",
			time_of(p, w->begin), time_of(p, w->end),
			w->off == UINT64_MAX ? -1 : duration(p, w->off), w->lane, why ? why : "");
	}
	putc(']', to);
}

/* Names of the system calls that there are */
static void put_syscalls(const struct chart *c, FILE *to)
{
	bool named[SYSCALLS] = { false };
	const char *comma = "";
	size_t i;

	fputs(",\n\"syscalls\":{", to);
	for (i = 0; i < c->slices; i++) {
		const uint32_t number = c->slice[i].what - CHART_SYSCALL;

		if (number >= SYSCALLS || named[number] || !kernel_call_name(number))
			continue;
		named[number] = true;
		fprintf(to, "%s\"%" PRIu32 "\":\"%s\"", comma, number, kernel_call_name(number));
		comma = ",";
	}
	putc('}', to);
}

/* Numbers of functions are those of the report here. */
static int put_tree(const struct page *p, FILE *to)
{
	const struct report *r = p->report;
	const size_t n = report_links(r), groups = report_groups(r);
	char name[REPORT_NAME_MAX];
	size_t k;
	int err = 0;

	fprintf(to, ",\n\"tree\":{\"n\":%zu", n);
	JSON_ROW(to, "parent", uint32_t, n, report_link(r, i)->from);
	JSON_ROW(to, "what", uint32_t, n, report_link(r, i)->group);
	JSON_ROW(to, "calls", double, n, (double)report_link(r, i)->calls);
	JSON_ROW(to, "self", double, n, (double)report_link(r, i)->self);
	JSON_ROW(to, "total", double, n, (double)report_link(r, i)->total);
	fprintf(to, "},\n\"costs\":{\"n\":%zu", groups);
	JSON_ROW(to, "calls", double, groups, (double)report_group(r, i)->calls);
	JSON_ROW(to, "self", double, groups, (double)report_group(r, i)->self);
	JSON_ROW(to, "total", double, groups, (double)report_group(r, i)->total);
	JSON_ROW(to, "time", double, groups, duration(p, report_group(r, i)->total_time.ticks));
	fputs(",\n\"functions\":[", to);
	for (k = 0; k < groups && !err; k++) {
		const struct report_group *g = report_group(r, k);

		fputs(k ? ",\n[" : "\n[", to);
		err = json_text(to, report_function_name(g, name));
		putc(',', to);
		if (!err)
			err = json_text(to, g->module ? g->module : "");
		putc(']', to);
	}
	fputs("]}", to);
	return err;
}

static void put_code(const struct page *p, FILE *to)
{
	fprintf(to, ",\n\"code\":{\"n\":%" PRIu32, p->functions->n);
	page_functions_put(p->functions, to);
	page_insns_put_code(p->insns, to);
	putc('}', to);
}

static int put_source(const struct page *p, FILE *to)
{
	int err;

	fprintf(to, ",\n\"source\":{\"n\":%" PRIu32, p->functions->n);
	err = page_source_put(p->source, to);
	page_insns_put_lines(p->insns, to);
	putc('}', to);
	return err;
}

static int put_data(const struct page *p, FILE *to)
{
	const struct chart *c = p->chart;
	int err;

	fputs("{\"name\":", to);
	err = json_text(to, p->path);
	fprintf(to, ",\n\"unit\":\"%s\",\"length\":%.0f,\"shortest\":%.0f,\"calls\":%" PRIu64
		",\"instructions\":%" PRIu64, page_unit(p->perf), time_of(p, c->end),
		duration(p, c->shortest), c->calls, report_totals(p->report)->instructions);
	if (!err)
		err = put_functions(&c->groups, to);
	if (!err)
		err = put_lanes(c, to);
	put_slices(p, to);
	put_marks(p, to);
	put_waits(p, to);
	put_syscalls(c, to);
	if (!err)
		err = put_tree(p, to);
	put_code(p, to);
	if (!err && p->source)
		err = put_source(p, to);
	fputs("}\n", to);
	return err;
}

int page_write(const struct page *p, FILE *to)
{
	const char *here = strstr(page_html, HERE);
	int err;

	fwrite(page_html, 1, here - page_html, to);
	err = put_data(p, to);
	fputs(here + strlen(HERE), to);
	return err;
}
