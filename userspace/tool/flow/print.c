// SPDX-License-Identifier: BSD-2-Clause
/* What `softpt flow` prints: a line for each row, as text or as JSON */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../cli/line.h"
#include "../cli/symbol.h"
#include "../cli/tool.h"
#include "insn.h"
#include "kernel.h"
#include "print.h"

#define INDENT_MAX	40

/* Nanoseconds, or TSC ticks where the file does not know the clock */
double flow_between(const struct flow_printer *f, uint64_t from, uint64_t to)
{
	if (f->ticks)
		return (double)(int64_t)(to - from);
	return (double)(int64_t)(softpt_perf_time(f->perf, to) -
				 softpt_perf_time(f->perf, from));
}

/* How far off the time may be */
static double bound_of(const struct flow_printer *f, const struct softpt_flow_time *t)
{
	double before = flow_between(f, t->min, t->tsc), after = flow_between(f, t->tsc, t->max);

	return before > after ? before : after;
}

/* ---- text ---- */

static void print_module(struct flow_printer *f, const struct softpt_symbol *sym)
{
	if (sym->module && sym->name && sym->module != f->module) {
		printf("  %s(", colour(stdout, COLOUR_DIM));
		print_plain(stdout, sym->module, SIZE_MAX);
		printf(")%s", colour(stdout, COLOUR_PLAIN));
	}
	f->module = sym->module;
}

/* The innermost first: "list.h:10 (push) main.c:20" */
static void print_source(const struct softpt_flow_row *row)
{
	struct softpt_flow_line frame[SOFTPT_FLOW_LINES];
	unsigned int n = softpt_flow_lines(row, row->ip, frame, SOFTPT_FLOW_LINES), i;

	if (!n)
		return;
	printf(" %s", colour(stdout, COLOUR_DIM));
	for (i = 0; i < n; i++) {
		putchar(' ');
		print_plain(stdout, basename(frame[i].file), SIZE_MAX);
		printf(":%d", frame[i].line);
		if (!frame[i].function)
			continue;
		fputs(" (", stdout);
		print_plain(stdout, frame[i].function, SIZE_MAX);
		putchar(')');
	}
	fputs(colour(stdout, COLOUR_PLAIN), stdout);
}

/* Three digits and a unit are enough for a bound. */
static char *put_bound(const struct flow_printer *f, char *p, double b)
{
	if (f->ticks)
		return put_dec(p, b);
	if (b < 1e3)
		return put_text(put_dec(p, b), "ns");
	if (b < 1e6)
		return put_text(put_three(p, b, 1000), "us");
	return put_text(put_three(p, b, 1000000), "ms");
}

/* Microseconds, or ticks where the file does not know the clock */
static char *put_time(const struct flow_printer *f, char *p, uint64_t tsc)
{
	if (!f->ticks)
		return put_milli(p, softpt_perf_time(f->perf, tsc) -
				 softpt_perf_time(f->perf, f->begin));
	return put_text(put_signed(p, tsc - f->begin), ".000");
}

/* What each line begins with */
static void print_time(const struct flow_printer *f, const struct softpt_flow_row *row)
{
	char line[160 + 2 * INDENT_MAX], *p, *begin;

	begin = put_text(line, colour(stdout, COLOUR_TIME));
	p = put_right(begin, put_time(f, begin, row->when.tsc), 14);
	p = put_text(p, colour(stdout, COLOUR_PLAIN));
	*p++ = ' ';
	p = put_text(p, colour(stdout, COLOUR_DIM));
	p = put_text(p, "±");
	begin = p;
	p = row->when.bounded ? put_bound(f, p, bound_of(f, &row->when)) : put_text(p, "?");
	p = put_left(begin, p, 7);
	p = put_text(p, colour(stdout, COLOUR_PLAIN));
	*p++ = ' ';
	begin = p;
	p = put_right(begin, put_signed(p, row->cpu), 3);
	p = put_text(p, "  ");
	if (f->tids) {
		begin = p;
		p = put_right(begin, put_dec(p, row->tid), 7);
		p = put_text(p, "  ");
	}
	begin = p;
	p = put_left(begin, p, 2 * (row->depth < INDENT_MAX ? row->depth : INDENT_MAX));
	fwrite(line, 1, p - line, stdout);
}

/* From one row to another, and how far off that may be */
static void print_spent(const struct flow_printer *f, const struct softpt_flow_row *row)
{
	char how[32] = "?";

	if (row->when.bounded && row->since.bounded)
		*put_bound(f, how, bound_of(f, &row->since) + bound_of(f, &row->when)) = '\0';
	printf("%.3f %s", flow_between(f, row->since.tsc, row->when.tsc) / (f->ticks ? 1 : 1000),
	       f->ticks ? "ticks" : "us");
	if (row->event != SOFTPT_FLOW_KERNEL)
		printf(" ±%s", how);
}

static void print_function(struct flow_printer *f, const struct softpt_flow_row *row,
			   const struct softpt_symbol *sym)
{
	fputs(colour(stdout, COLOUR_FLOW), stdout);
	symbol_print(sym, row->ip);
	fputs(colour(stdout, COLOUR_PLAIN), stdout);
	print_module(f, sym);
}

static void print_branch(struct flow_printer *f, const struct softpt_flow_row *row,
			 const struct softpt_symbol *sym)
{
	struct softpt_symbol from;

	softpt_flow_symbol(row, row->from, &from);
	symbol_print(&from, row->from);
	fputs(" -> ", stdout);
	symbol_print(sym, row->ip);
	print_module(f, sym);
}

static void print_block(struct flow_printer *f, const struct softpt_flow_row *row,
			const struct softpt_symbol *sym)
{
	char text[96], *p = put_text(put_address(text, row->ip), " ");

	fwrite(text, 1, p - text, stdout);
	print_function(f, row, sym);
	p = put_text(put_dec(put_text(text, "  "), row->instructions), " instructions, ");
	p = put_text(put_dec(p, row->bytes), " bytes");
	fwrite(text, 1, p - text, stdout);
}

static void print_ptwrite(const struct softpt_flow_row *row, const struct softpt_symbol *sym)
{
	printf("%sptwrite 0x%" PRIx64 "%s", colour(stdout, COLOUR_FLOW), row->value,
	       colour(stdout, COLOUR_PLAIN));
	if (!row->ip)
		return;
	fputs("  at ", stdout);
	symbol_print(sym, row->ip);
}

static void print_row(struct flow_printer *f, const struct softpt_flow_row *row,
		      const struct softpt_symbol *sym)
{
	switch (row->event) {
	case SOFTPT_FLOW_RETURN:
		printf("%s[", colour(stdout, COLOUR_DIM));
		symbol_print(sym, row->ip);
		fputs(", ", stdout);
		print_spent(f, row);
		printf("]%s", colour(stdout, COLOUR_PLAIN));
		return;
	case SOFTPT_FLOW_KERNEL:
		printf("%s[kernel, ", colour(stdout, COLOUR_DIM));
		print_spent(f, row);
		printf("]%s", colour(stdout, COLOUR_PLAIN));
		return;
	case SOFTPT_FLOW_SWITCH_IN:
		printf("%s[switched in, ", colour(stdout, COLOUR_DIM));
		print_spent(f, row);
		printf("]%s", colour(stdout, COLOUR_PLAIN));
		return;
	case SOFTPT_FLOW_SYSCALL:
	case SOFTPT_FLOW_SWITCH_OUT:
	case SOFTPT_FLOW_FAULT:
	case SOFTPT_FLOW_IRQ:
		kernel_print(row);
		return;
	case SOFTPT_FLOW_LOST:
		printf("%s[lost: %s, at 0x%" PRIx64 "]%s", colour(stdout, COLOUR_WARN),
		       row->error, row->offset, colour(stdout, COLOUR_PLAIN));
		return;
	case SOFTPT_FLOW_OVERFLOW:
		printf("%s[overflow: packets were lost]%s", colour(stdout, COLOUR_WARN),
		       colour(stdout, COLOUR_PLAIN));
		return;
	case SOFTPT_FLOW_ABORT:
		printf("%s[transaction aborted]%s", colour(stdout, COLOUR_WARN),
		       colour(stdout, COLOUR_PLAIN));
		return;
	case SOFTPT_FLOW_TRIGGER:
		printf("%s[trigger 0x%" PRIx64 "]%s", colour(stdout, COLOUR_WARN),
		       row->value, colour(stdout, COLOUR_PLAIN));
		return;
	case SOFTPT_FLOW_BRANCH:
		print_branch(f, row, sym);
		return;
	case SOFTPT_FLOW_INSN:
		insn_print(f->insns, row, sym);
		return;
	case SOFTPT_FLOW_PTW:
		print_ptwrite(row, sym);
		return;
	case SOFTPT_FLOW_BLOCK:
		print_block(f, row, sym);
		return;
	default:
		print_function(f, row, sym);
	}
}

/* Whether a line is of an address; that of a function that was left is where it is. */
static bool has_place(const struct softpt_flow_row *row)
{
	return row->ip && row->event != SOFTPT_FLOW_RETURN &&
	       row->event != SOFTPT_FLOW_KERNEL && row->event != SOFTPT_FLOW_SYSCALL;
}

static void print_text(struct flow_printer *f, const struct softpt_flow_row *row,
		       const struct softpt_symbol *sym)
{
	print_time(f, row);
	print_row(f, row, sym);
	if (f->lines && has_place(row))
		print_source(row);
	if (row->undone)
		printf("  %s(aborted)%s", colour(stdout, COLOUR_DIM), colour(stdout, COLOUR_PLAIN));
	putchar('\n');
}

/* ---- JSON ---- */

static void put_string(const char *key, const char *text)
{
	if (!text)
		return;
	fputs(",\"", stdout);
	fputs(key, stdout);
	fputs("\":", stdout);
	print_json_string(stdout, text);
}

static void put_insn(const struct softpt_flow_row *row)
{
	char text[128];
	int i;

	fputs(",\"code\":\"", stdout);
	for (i = 0; i < row->size; i++)
		printf("%02x", row->code[i]);
	putchar('"');
	put_string("insn", softpt_flow_insn(row, text, sizeof(text)));
	if (row->is_branch)
		printf(",\"to\":\"0x%" PRIx64 "\"", row->to);
}

/* Its line, and where each function that is inlined there was called, the innermost first */
static void put_source(const struct softpt_flow_row *row)
{
	struct softpt_flow_line frame[SOFTPT_FLOW_LINES];
	unsigned int n = softpt_flow_lines(row, row->ip, frame, SOFTPT_FLOW_LINES), i;

	if (!n)
		return;
	put_string("file", frame[0].file);
	printf(",\"line\":%d", frame[0].line);
	for (i = 1; i < n; i++) {
		fputs(i == 1 ? ",\"inlined\":[{\"function\":" : ",{\"function\":", stdout);
		print_json_string(stdout, frame[i - 1].function ? frame[i - 1].function : "");
		put_string("file", frame[i].file);
		printf(",\"line\":%d}", frame[i].line);
	}
	if (n > 1)
		putchar(']');
}

static void put_spent(const struct softpt_flow_row *row)
{
	const struct softpt_flow_time *a = &row->since, *b = &row->when;

	char line[128], *p = put_dec(put_text(line, ",\"ticks\":"), b->tsc - a->tsc);

	if (row->event != SOFTPT_FLOW_KERNEL && a->bounded) {
		p = put_dec(put_text(p, ",\"ticks_min\":"), b->min > a->max ? b->min - a->max : 0);
		if (b->bounded)
			p = put_dec(put_text(p, ",\"ticks_max\":"), b->max - a->min);
	}
	fwrite(line, 1, p - line, stdout);
}

/* The version alone is left to who reads the name. */
static bool is_encoded(const struct softpt_symbol *sym)
{
	return sym->name && strncmp(sym->name, sym->label, strlen(sym->label));
}

static void print_json(const struct flow_printer *f, const struct softpt_flow_row *row,
		       const struct softpt_symbol *sym)
{
	char line[512], *p = put_text(line, "{\"event\":\"");

	p = put_text(p, softpt_flow_event_name(row->event));
	p = put_signed(put_text(p, "\",\"cpu\":"), row->cpu);
	p = put_dec(put_text(p, ",\"pid\":"), row->pid);
	p = put_dec(put_text(p, ",\"tid\":"), row->tid);
	p = put_dec(put_text(p, ",\"tsc\":"), row->when.tsc);
	p = put_dec(put_text(p, ",\"tsc_min\":"), row->when.min);
	if (row->when.bounded)
		p = put_dec(put_text(p, ",\"tsc_max\":"), row->when.max);
	p = put_dec(put_text(p, ",\"depth\":"), row->depth);
	p = put_text(put_hex(put_text(p, ",\"ip\":\""), row->ip), "\"");
	if (row->event == SOFTPT_FLOW_BRANCH)
		p = put_text(put_hex(put_text(p, ",\"from\":\""), row->from), "\"");
	fwrite(line, 1, p - line, stdout);
	if (row->since.tsc)
		put_spent(row);
	if (row->event == SOFTPT_FLOW_BLOCK)
		printf(",\"instructions\":%" PRIu64 ",\"bytes\":%" PRIu64, row->instructions,
		       row->bytes);
	if (row->event == SOFTPT_FLOW_INSN)
		put_insn(row);
	if (row->event == SOFTPT_FLOW_PTW || row->event == SOFTPT_FLOW_TRIGGER)
		printf(",\"value\":\"0x%" PRIx64 "\"", row->value);
	if (kernel_is(row->event))
		kernel_print_json(row);
	if (row->undone)
		fputs(",\"aborted\":true", stdout);
	if (row->event == SOFTPT_FLOW_LOST)
		printf(",\"offset\":%" PRIu64, row->offset);
	put_string("name", sym->name);
	if (is_encoded(sym))
		put_string("demangled", sym->label);
	put_string("module", sym->module);
	if (f->lines && row->ip)
		put_source(row);
	put_string("error", row->error);
	puts("}");
}

void flow_print_begin(struct flow_printer *f)
{
	f->ticks = softpt_perf_time(f->perf, 1 << 20) - softpt_perf_time(f->perf, 0) == 1 << 20;
	if (f->json)
		return;
	f->insns = insn_texts_new();
	printf("%14s ±       CPU%s\n", f->ticks ? "ticks" : "us", f->tids ? "      TID" : "");
}

void flow_print_end(struct flow_printer *f)
{
	insn_texts_free(f->insns);
}

void flow_print(struct flow_printer *f, const struct softpt_flow_row *row)
{
	struct softpt_symbol sym;

	softpt_flow_symbol(row, row->ip, &sym);
	if (f->json)
		print_json(f, row, &sym);
	else
		print_text(f, row, &sym);
}

void flow_print_trigger(struct flow_printer *f, const struct trigger_event *te,
			const struct softpt_flow_row *last)
{
	const struct softpt_flow_row row = {
		.event = SOFTPT_FLOW_TRIGGER, .cpu = te->cpu, .pid = last->pid, .tid = last->tid,
		.value = te->rec.value,
		.when = {
			.tsc = te->rec.tsc, .min = te->rec.tsc_min, .max = te->rec.tsc_max,
			.bounded = te->rec.flags & SOFTPT_REC_HAS_MAX,
		},
	};
	const struct softpt_symbol none = { .name = NULL };

	if (f->json)
		print_json(f, &row, &none);
	else
		print_text(f, &row, &none);
}
