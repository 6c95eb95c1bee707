// SPDX-License-Identifier: BSD-2-Clause
/* softpt crash: the end of a recording as a story: where it was, how it came there */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/source.h"
#include "base/number.h"
#include "cli/input.h"
#include "cli/symbol.h"
#include "cli/tool.h"
#include "code/image.h"
#include "code/disassemble.h"
#include "flow/path.h"
#include "flow/print.h"
#include "flow/process.h"

#define CALLS		30
#define INSTRUCTIONS	12
#define DEPTH_MAX	1024	/* of calls: those that are deeper are not kept */
#define LINES		8	/* of source, at an address */

static const struct option_row options[] = {
	{ 'n', "calls", "N", "the last N calls (30)" },
	{ 'i', "instructions", "N", "the last N instructions (12)" },
	{ 't', "tid", "N", "this thread (that of the trigger event, or the last one that ran)" },
	{ 'r', "root", "DIR", "where the files of the traced system are" },
	{ 0 }
};

/* A call that has not returned; @site: of the instruction that called it, 0: unknown */
struct frame {
	uint64_t function;
	uint64_t site;
};

/* What there is of a thread */
struct thread {
	uint32_t tid;
	uint64_t calls;
	uint64_t instructions;
	uint64_t last_insn;
	uint64_t last;		/* its last row, as a TSC */
	unsigned int depth;
	struct frame frame[DEPTH_MAX];
	struct thread *next;
};

struct job {
	const char *path, *root;
	uint64_t tid, calls, instructions;
	struct input in;
	struct thread *threads;
	const struct thread *of;	/* whose end it is */
	uint64_t seen_calls;		/* of a walk behind the first */
	uint64_t seen_instructions;
	struct flow_printer printer;
	struct source_text source;
};

#define ROW(id)		(1u << SOFTPT_FLOW_##id)
#define ROWS_CALLS	(ROW(CALL) | ROW(JUMP) | ROW(BEGIN) | ROW(RETURN) | ROW(KERNEL) | \
			 ROW(INTERRUPT) | ROW(ABORT) | ROW(OVERFLOW) | ROW(LOST))

/* ---- the first walk: what there is ---- */

static struct thread *get_thread(struct job *j, uint32_t tid)
{
	struct thread *t;

	for (t = j->threads; t; t = t->next)
		if (t->tid == tid)
			return t;
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->tid = tid;
	t->next = j->threads;
	j->threads = t;
	return t;
}

static bool is_printed(const struct softpt_flow_row *row)
{
	return 1u << row->event & (ROWS_CALLS & ~ROW(RETURN));
}

/* What is deeper than there is room for is one frame. */
static void enter(struct thread *t, const struct softpt_flow_row *row, uint64_t site)
{
	const unsigned int depth = row->depth < DEPTH_MAX ? row->depth : DEPTH_MAX - 1;

	while (t->depth < depth)
		t->frame[t->depth++] = (struct frame){ 0 };
	t->frame[depth] = (struct frame){ row->ip, site };
	t->depth = depth + 1;
}

static bool count_row(void *ctx, const struct softpt_flow_row *row)
{
	struct thread *t = get_thread(ctx, row->tid);

	if (!t)
		return false;
	t->last = row->when.tsc;
	t->calls += is_printed(row);
	switch (row->event) {
	case SOFTPT_FLOW_INSN:
		t->instructions++;
		t->last_insn = row->ip;
		break;
	case SOFTPT_FLOW_CALL:
		enter(t, row, t->last_insn);
		break;
	case SOFTPT_FLOW_JUMP:
		enter(t, row, row->depth < t->depth ? t->frame[row->depth].site : 0);
		break;
	case SOFTPT_FLOW_BEGIN:
		enter(t, row, 0);
		break;
	case SOFTPT_FLOW_RETURN:
		if (row->depth < t->depth)
			t->depth = row->depth;
		break;
	default:
		break;
	}
	return true;
}

static const struct thread *choose(const struct job *j)
{
	const struct thread *t, *of = NULL;
	struct trigger_event te;
	uint64_t tid = j->tid;

	if (!tid && !relative_find(&te, &j->in, NULL) && te.tid > 0)
		tid = te.tid;
	for (t = j->threads; t; t = t->next)
		if (tid ? t->tid == tid : !of || t->last > of->last)
			of = t;
	return of;
}

/* ---- the second: where it ends ---- */

/* A place with its line, and the line's text where the source is here */
static void print_place(struct job *j, const struct softpt_flow_row *row, uint64_t address)
{
	struct softpt_flow_line line[LINES];
	unsigned int n = softpt_flow_lines(row, address, line, LINES), i;
	struct softpt_symbol sym;
	const char *text;

	softpt_flow_symbol(row, address, &sym);
	fputs(colour(stdout, COLOUR_FLOW), stdout);
	symbol_print(&sym, address);
	fputs(colour(stdout, COLOUR_PLAIN), stdout);
	if (sym.name && sym.module) {
		fputs("  (", stdout);
		print_plain(stdout, sym.module, SIZE_MAX);
		putchar(')');
	}
	putchar('\n');
	for (i = 0; i < n; i++) {
		text = source_text_at(&j->source, line[i].file, line[i].line);
		printf("       %s", i ? "inlined at " : "");
		print_plain(stdout, basename(line[i].file), SIZE_MAX);
		printf(":%d", line[i].line);
		if (text) {
			fputs("  ", stdout);
			print_plain(stdout, text + strspn(text, " \t"), SIZE_MAX);
		}
		putchar('\n');
	}
}

/* The instruction behind the last one that was executed */
static uint64_t next_of(const struct softpt_flow_row *row)
{
	return row->is_branch && row->to ? row->to : row->ip + row->size;
}

static void print_insn(const struct softpt_flow_row *row, uint64_t address)
{
	char text[128];
	uint8_t code[15];
	size_t n = code_image_read(row->thread->process->code, address, code, sizeof(code));

	if (n)
		printf("  not executed: 0x%" PRIx64 "  %s\n", address,
		       disassemble(address, code, n, row->bits, text, sizeof(text)));
	else
		printf("  not executed: 0x%" PRIx64 ", where no code is known\n", address);
}

/* The site of a call lies in the function around it, and so is the next frame. */
static void print_stack(struct job *j, const struct softpt_flow_row *row, uint64_t address)
{
	const struct thread *t = j->of;
	unsigned int i = t->depth, n = 1;

	printf("\nCalls that have not returned:\n  #0   ");
	print_place(j, row, address);
	while (i-- > 1) {
		if (!t->frame[i].site)
			continue;
		printf("  #%-3u ", n++);
		print_place(j, row, t->frame[i].site);
	}
}

static bool end_row(void *ctx, const struct softpt_flow_row *row)
{
	struct job *j = ctx;
	uint64_t address;

	if (row->tid != j->of->tid || row->event != SOFTPT_FLOW_INSN ||
	    ++j->seen_instructions < j->of->instructions)
		return true;
	address = next_of(row);
	printf("Thread %u (", row->tid);
	print_plain(stdout, row->comm ? row->comm : "?", SIZE_MAX);
	printf(") ends here, after %" PRIu64 " instructions of this recording:\n",
	       j->of->instructions);
	print_insn(row, address);
	print_stack(j, row, address);
	return false;
}

/* ---- the third and fourth: how it came there ---- */

static bool call_row(void *ctx, const struct softpt_flow_row *row)
{
	struct job *j = ctx;

	if (row->tid == j->of->tid && is_printed(row) &&
	    ++j->seen_calls + j->calls > j->of->calls)
		flow_print(&j->printer, row);
	return true;
}

static bool insn_row(void *ctx, const struct softpt_flow_row *row)
{
	struct job *j = ctx;

	if (row->tid == j->of->tid && row->event == SOFTPT_FLOW_INSN &&
	    ++j->seen_instructions + j->instructions > j->of->instructions)
		flow_print(&j->printer, row);
	return true;
}

/* ---- all ---- */

typedef bool (*take_fn)(void *ctx, const struct softpt_flow_row *row);

static int walk(struct job *j, uint32_t wanted, take_fn take)
{
	struct flow_path path = {
		.in = &j->in, .root = j->root, .wanted = wanted | ROW(ON), .row = take,
		.context = j, .errors = take == count_row ? &tool_errors : NULL,
	};

	j->seen_calls = 0;
	j->seen_instructions = 0;
	return flow_path_walk(&path);
}

static void print_part(struct job *j, const char *title, uint32_t wanted, take_fn take)
{
	printf("\n%s\n", title);
	flow_print_begin(&j->printer);
	walk(j, wanted, take);
	flow_print_end(&j->printer);
}

/* What could be followed is told although the path is lost somewhere; the exit status tells. */
static int tell(struct job *j)
{
	int err = walk(j, ROWS_CALLS | ROW(INSN), count_row);

	if (err && err != -EILSEQ)
		return EXIT_REFUSED;
	j->of = choose(j);
	if (!j->of || !j->of->instructions)
		return refuse(j->path, j->tid ? "no instruction of thread %" PRIu64 " is in it" :
			      "no instruction is in it", j->tid);
	j->printer = (struct flow_printer){
		.perf = j->in.perf, .begin = j->of->last, .lines = true,
	};
	walk(j, ROW(INSN), end_row);
	if (j->calls)
		print_part(j, "The last calls, times before the end:", ROWS_CALLS, call_row);
	if (j->instructions)
		print_part(j, "The last instructions:", ROW(INSN), insn_row);
	return err ? EXIT_REFUSED : 0;
}

static int take_option(const struct command *cmd, struct job *j, int id)
{
	switch (id) {
	case 'n':
		return softpt_number_within(optarg, 0, INT32_MAX, &j->calls) ? 0 :
		       misuse(cmd, "--calls %s: a number", optarg);
	case 'i':
		return softpt_number_within(optarg, 0, INT32_MAX, &j->instructions) ? 0 :
		       misuse(cmd, "--instructions %s: a number", optarg);
	case 't':
		return softpt_number_within(optarg, 1, INT32_MAX, &j->tid) ? 0 :
		       misuse(cmd, "--tid %s: a number from 1 on", optarg);
	case 'r':
		j->root = optarg;
		return 0;
	}
	return EXIT_USAGE;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct job j = { .root = "", .calls = CALLS, .instructions = INSTRUCTIONS };
	struct thread *t;
	int id, status;

	while ((id = option_next(cmd, argc, argv)) != -1)
		if (take_option(cmd, &j, id))
			return EXIT_USAGE;
	j.path = only_operand(cmd, argc, argv, "FILE");
	if (!j.path)
		return EXIT_USAGE;
	if (open_input(&j.in, j.path))
		return EXIT_REFUSED;
	status = tell(&j);
	while ((t = j.threads)) {
		j.threads = t->next;
		free(t);
	}
	source_text_free(&j.source);
	input_close(&j.in);
	return status;
}

const struct command command_crash = {
	.name = "crash",
	.args = "FILE",
	.what = "tell where a recording ends, and how the program came there",
	.more = "FILE is what softpt record --on-crash wrote, or any other recording. The thread is the one of\n"
		"the trigger event, or the last one that ran. The instruction that was not executed is the one\n"
		"that a fault was at. Calls are those of the path: they are right where the stack is overwritten,\n"
		"too. Registers and memory are not in a recording; a core file has them.",
	.options = options,
	.run = run,
};
