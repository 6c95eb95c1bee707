// SPDX-License-Identifier: BSD-2-Clause
/* What `softpt flow` prints: a line for each row, as text or as JSON */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "code/disassemble.h"
#include "cli/symbol.h"
#include "cli/tool.h"
#include "flow-print.h"

#define INDENT_MAX	40

static const char *const names[] = {
#define X(id, name) name,
	FLOW_ROWS(X)
#undef X
};

/* Nanoseconds, or TSC ticks where the file does not know the clock */
double flow_between(const struct flow_printer *f, uint64_t from, uint64_t to)
{
	if (f->ticks)
		return (double)(int64_t)(to - from);
	return (double)(int64_t)(softpt_perf_time(f->perf, to) -
				 softpt_perf_time(f->perf, from));
}

static const char *text_of(const struct flow_step *step, char *buf, size_t len)
{
	return disassemble(step->from, step->raw, step->size, step->bits, buf, len);
}

/* How far off the time may be */
static double bound_of(const struct flow_printer *f, const struct flow_time *t)
{
	double before = flow_between(f, t->min, t->tsc), after = flow_between(f, t->tsc, t->max);

	return before > after ? before : after;
}

/* Whether it was in a transaction that was aborted later; of a block, a part of it */
static bool is_undone(const struct flow_row *row)
{
	if (row->event == FLOW_ROW_BLOCK)
		return row->step->undone_instructions;
	return row->step->undone && row->event != FLOW_ROW_ABORT && row->event != FLOW_ROW_LOST;
}

/* ---- text ---- */

static void print_module(struct flow_printer *f, const struct symbol *sym)
{
	if (sym->module && sym->name && sym->module != f->module) {
		printf("  %s(", colour(stdout, COLOUR_DIM));
		print_plain(stdout, sym->module, SIZE_MAX);
		printf(")%s", colour(stdout, COLOUR_PLAIN));
	}
	f->module = sym->module;
}

/* Three digits and a unit are enough for a bound. */
static void print_bound(const struct flow_printer *f, char *buf, size_t len, double b)
{
	if (f->ticks || b < 1e3)
		snprintf(buf, len, "%.0f%s", b, f->ticks ? "" : "ns");
	else if (b < 1e6)
		snprintf(buf, len, "%.3gus", b / 1e3);
	else
		snprintf(buf, len, "%.3gms", b / 1e6);
}

static void print_time(const struct flow_printer *f, const struct flow_row *row)
{
	char how[32] = "?";

	if (row->when.bounded)
		print_bound(f, how, sizeof(how), bound_of(f, &row->when));
	printf("%s%14.3f%s %s±%-7s%s %3d  ", colour(stdout, COLOUR_TIME),
	       flow_between(f, f->begin, row->when.tsc) / (f->ticks ? 1 : 1000),
	       colour(stdout, COLOUR_PLAIN), colour(stdout, COLOUR_DIM), how,
	       colour(stdout, COLOUR_PLAIN), row->cpu);
	if (f->tids)
		printf("%7u  ", row->thread->tid);
}

/* From one row to another, and how far off that may be */
static void print_spent(const struct flow_printer *f, const struct flow_row *row)
{
	char how[32] = "?";

	if (row->when.bounded && row->since.bounded)
		print_bound(f, how, sizeof(how),
			    bound_of(f, &row->since) + bound_of(f, &row->when));
	printf("%.3f %s", flow_between(f, row->since.tsc, row->when.tsc) / (f->ticks ? 1 : 1000),
	       f->ticks ? "ticks" : "us");
	if (row->event == FLOW_ROW_RETURN)
		printf(" ±%s", how);
}

static void print_function(struct flow_printer *f, const struct flow_row *row,
			   const struct symbol *sym)
{
	printf("%s", colour(stdout, COLOUR_FLOW));
	symbol_print(sym, row->ip);
	printf("%s", colour(stdout, COLOUR_PLAIN));
	print_module(f, sym);
}

static void print_branch(struct flow_printer *f, const struct flow_row *row,
			 const struct symbol *sym)
{
	struct symbol from;

	symbols_find(row->thread->process->symbols, row->from, &from);
	symbol_print(&from, row->from);
	fputs(" -> ", stdout);
	symbol_print(sym, row->ip);
	print_module(f, sym);
}

static void print_insn(const struct flow_row *row, const struct symbol *sym)
{
	char text[128];

	printf("0x%012" PRIx64 " ", row->ip);
	symbol_print(sym, row->ip);
	printf("  %s%s%s", colour(stdout, COLOUR_FLOW),
	       text_of(row->step, text, sizeof(text)), colour(stdout, COLOUR_PLAIN));
}

static void print_ptwrite(const struct flow_row *row, const struct symbol *sym)
{
	printf("%sptwrite 0x%" PRIx64 "%s", colour(stdout, COLOUR_FLOW), row->step->value,
	       colour(stdout, COLOUR_PLAIN));
	if (!row->ip)
		return;
	fputs("  at ", stdout);
	symbol_print(sym, row->ip);
}

static void print_row(struct flow_printer *f, const struct flow_row *row, const struct symbol *sym)
{
	switch (row->event) {
	case FLOW_ROW_RETURN:
		printf("%s[", colour(stdout, COLOUR_DIM));
		symbol_print(sym, row->ip);
		fputs(", ", stdout);
		print_spent(f, row);
		printf("]%s", colour(stdout, COLOUR_PLAIN));
		return;
	case FLOW_ROW_KERNEL:
		printf("%s[kernel, ", colour(stdout, COLOUR_DIM));
		print_spent(f, row);
		printf("]%s", colour(stdout, COLOUR_PLAIN));
		return;
	case FLOW_ROW_LOST:
		printf("%s[lost: %s, at 0x%" PRIx64 "]%s", colour(stdout, COLOUR_WARN),
		       row->step->error, row->step->offset, colour(stdout, COLOUR_PLAIN));
		return;
	case FLOW_ROW_OVERFLOW:
		printf("%s[overflow: packets were lost]%s", colour(stdout, COLOUR_WARN),
		       colour(stdout, COLOUR_PLAIN));
		return;
	case FLOW_ROW_ABORT:
		printf("%s[transaction aborted]%s", colour(stdout, COLOUR_WARN),
		       colour(stdout, COLOUR_PLAIN));
		return;
	case FLOW_ROW_TRIGGER:
		printf("%s[trigger 0x%" PRIx64 "]%s", colour(stdout, COLOUR_WARN),
		       row->step->value, colour(stdout, COLOUR_PLAIN));
		return;
	case FLOW_ROW_BRANCH:
		print_branch(f, row, sym);
		return;
	case FLOW_ROW_INSN:
		print_insn(row, sym);
		return;
	case FLOW_ROW_PTW:
		print_ptwrite(row, sym);
		return;
	case FLOW_ROW_BLOCK:
		printf("0x%012" PRIx64 " ", row->ip);
		print_function(f, row, sym);
		printf("  %" PRIu64 " instructions, %" PRIu64 " bytes", row->instructions,
		       row->bytes);
		return;
	default:
		print_function(f, row, sym);
	}
}

static void print_text(struct flow_printer *f, const struct flow_row *row,
		       const struct symbol *sym)
{
	unsigned int indent = row->depth < INDENT_MAX ? row->depth : INDENT_MAX;

	print_time(f, row);
	printf("%*s", 2 * indent, "");
	print_row(f, row, sym);
	if (is_undone(row))
		printf("  %s(aborted)%s", colour(stdout, COLOUR_DIM), colour(stdout, COLOUR_PLAIN));
	putchar('\n');
}

/* ---- JSON ---- */

static void put_string(const char *key, const char *text)
{
	if (!text)
		return;
	printf(",\"%s\":", key);
	print_json_string(stdout, text);
}

static void put_insn(const struct flow_step *step)
{
	char text[128];
	int i;

	fputs(",\"code\":\"", stdout);
	for (i = 0; i < step->size; i++)
		printf("%02x", step->raw[i]);
	putchar('"');
	put_string("insn", text_of(step, text, sizeof(text)));
	if (step->kind != FLOW_INSN)
		printf(",\"to\":\"0x%" PRIx64 "\"", step->to);
}

static void put_spent(const struct flow_row *row)
{
	const struct flow_time *a = &row->since, *b = &row->when;

	printf(",\"ticks\":%" PRIu64, b->tsc - a->tsc);
	if (row->event != FLOW_ROW_RETURN || !a->bounded)
		return;
	printf(",\"ticks_min\":%" PRIu64, b->min > a->max ? b->min - a->max : 0);
	if (b->bounded)
		printf(",\"ticks_max\":%" PRIu64, b->max - a->min);
}

static void print_json(const struct flow_row *row, const struct symbol *sym)
{
	printf("{\"event\":\"%s\",\"cpu\":%d,\"pid\":%u,\"tid\":%u,\"tsc\":%" PRIu64
	       ",\"tsc_min\":%" PRIu64, names[row->event], row->cpu, row->thread->pid,
	       row->thread->tid, row->when.tsc, row->when.min);
	if (row->when.bounded)
		printf(",\"tsc_max\":%" PRIu64, row->when.max);
	printf(",\"depth\":%u,\"ip\":\"0x%" PRIx64 "\"", row->depth, row->ip);
	if (row->from)
		printf(",\"from\":\"0x%" PRIx64 "\"", row->from);
	if (row->since.tsc)
		put_spent(row);
	if (row->event == FLOW_ROW_BLOCK)
		printf(",\"instructions\":%" PRIu64 ",\"bytes\":%" PRIu64, row->instructions,
		       row->bytes);
	if (row->event == FLOW_ROW_INSN)
		put_insn(row->step);
	if (row->event == FLOW_ROW_PTW || row->event == FLOW_ROW_TRIGGER)
		printf(",\"value\":\"0x%" PRIx64 "\"", row->step->value);
	if (is_undone(row))
		fputs(",\"aborted\":true", stdout);
	if (row->event == FLOW_ROW_LOST)
		printf(",\"offset\":%" PRIu64, row->step->offset);
	put_string("name", sym->name);
	put_string("module", sym->module);
	put_string("error", row->step->error);
	puts("}");
}

void flow_print_begin(struct flow_printer *f)
{
	f->ticks = softpt_perf_time(f->perf, 1 << 20) - softpt_perf_time(f->perf, 0) == 1 << 20;
	if (!f->json)
		printf("%14s ±       CPU%s\n", f->ticks ? "ticks" : "us", f->tids ? "      TID" : "");
}

void flow_print(struct flow_printer *f, const struct flow_row *row)
{
	struct symbol sym;

	symbols_find(row->thread->process->symbols, row->ip, &sym);
	if (f->json)
		print_json(row, &sym);
	else
		print_text(f, row, &sym);
}

void flow_print_trigger(struct flow_printer *f, const struct trigger_event *te,
			const struct flow_thread *thread)
{
	const struct flow_step step = { .value = te->rec.value };
	const struct flow_row row = {
		.event = FLOW_ROW_TRIGGER, .cpu = te->cpu, .thread = thread, .step = &step,
		.when = {
			.tsc = te->rec.tsc, .min = te->rec.tsc_min, .max = te->rec.tsc_max,
			.bounded = te->rec.flags & SOFTPT_REC_HAS_MAX,
		},
	};
	const struct symbol none = { .name = NULL };

	if (f->json)
		print_json(&row, &none);
	else
		print_text(f, &row, &none);
}
