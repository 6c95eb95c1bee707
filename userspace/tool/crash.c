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
#include "crash/signal.h"
#include "flow/path.h"
#include "flow/print.h"
#include "flow/process.h"

#define CALLS		30
#define INSTRUCTIONS	12
#define ROWS_MAX	100000	/* that are kept of a thread */
#define DEPTH_MAX	1024	/* of calls: those that are deeper are not kept */

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

/* A row that is kept; @code is its instruction */
struct kept {
	struct softpt_flow_row row;
	uint8_t code[15];
};

/* The last rows */
struct rows {
	struct kept *kept;
	uint64_t room;
	uint64_t n;		/* rows so far */
};

struct thread {
	uint32_t tid;
	struct kept last;	/* its last instruction */
	struct rows calls;
	struct rows instructions;
	unsigned int depth;
	struct frame frame[DEPTH_MAX];
	struct thread *next;
};

struct job {
	const char *path, *root;
	uint64_t tid, calls, instructions;
	struct input in;
	struct thread *threads;
	struct flow_printer printer;
	struct source_text source;
	bool told;
	bool no_memory;
};

#define ROW(id)		(1u << SOFTPT_FLOW_##id)
#define ROWS_CALLS	(ROW(CALL) | ROW(JUMP) | ROW(BEGIN) | ROW(KERNEL) | ROW(INTERRUPT) | \
			 ROW(ABORT) | ROW(OVERFLOW) | ROW(LOST))

/* ---- what is kept ---- */

static void keep(struct kept *kept, const struct softpt_flow_row *row)
{
	kept->row = *row;
	if (row->event == SOFTPT_FLOW_INSN)
		memcpy(kept->code, row->code,
		       row->size < sizeof(kept->code) ? row->size : sizeof(kept->code));
	kept->row.code = kept->code;
}

static void add(struct rows *rows, const struct softpt_flow_row *row)
{
	if (rows->room)
		keep(&rows->kept[rows->n % rows->room], row);
	rows->n++;
}

static void free_thread(struct thread *t)
{
	free(t->calls.kept);
	free(t->instructions.kept);
	free(t);
}

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
	t->calls = (struct rows){ calloc(j->calls + 1, sizeof(struct kept)), j->calls, 0 };
	t->instructions = (struct rows){
		calloc(j->instructions + 1, sizeof(struct kept)), j->instructions, 0
	};
	if (!t->calls.kept || !t->instructions.kept) {
		free_thread(t);
		return NULL;
	}
	t->next = j->threads;
	j->threads = t;
	return t;
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

static void follow(struct thread *t, const struct softpt_flow_row *row)
{
	switch (row->event) {
	case SOFTPT_FLOW_CALL:
		enter(t, row, t->last.row.ip);
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
}

static bool take_row(void *ctx, const struct softpt_flow_row *row)
{
	struct job *j = ctx;
	struct thread *t = get_thread(j, row->tid);

	if (!t) {
		j->no_memory = true;
		return false;
	}
	if (row->event == SOFTPT_FLOW_INSN) {
		add(&t->instructions, row);
		keep(&t->last, row);
	} else if (ROWS_CALLS >> row->event & 1) {
		add(&t->calls, row);
	}
	follow(t, row);
	return true;
}

static const struct thread *find_thread(const struct job *j, uint32_t tid)
{
	const struct thread *t = j->threads;

	while (t && (t->tid != tid || !t->instructions.n))
		t = t->next;
	return t;
}

static const struct thread *choose(const struct job *j)
{
	const struct thread *t, *of = NULL;
	struct softpt_perf_crash crash;
	struct trigger_event te;
	uint64_t tid = j->tid;

	if (!tid && !relative_find(&te, &j->in, NULL) && te.tid > 0)
		tid = te.tid;
	if (!tid && crash_find(j->in.perf, 0, &crash) && find_thread(j, crash.tid))
		tid = crash.tid;
	for (t = j->threads; t; t = t->next)
		if (t->instructions.n && (tid ? t->tid == tid :
					  !of || t->last.row.when.tsc > of->last.row.when.tsc))
			of = t;
	return of;
}

/* ---- where it ends ---- */

/* A place with its line, and the line's text where the source is here */
static void print_place(struct job *j, const struct softpt_flow_row *row, uint64_t address)
{
	struct softpt_flow_line line[SOFTPT_FLOW_LINES];
	unsigned int n = softpt_flow_lines(row, address, line, SOFTPT_FLOW_LINES), i;
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

/* @crash: NULL: it is not known how */
static void print_insn(const struct softpt_flow_row *row, uint64_t address,
		       const struct softpt_perf_crash *crash)
{
	char text[128];
	uint8_t code[15];
	size_t n = code_image_read(row->thread->process->code, address, code, sizeof(code));

	if (n)
		printf("  not executed: 0x%" PRIx64 "  %s\n", address,
		       disassemble(address, code, n, row->bits, text, sizeof(text)));
	else
		printf("  not executed: 0x%" PRIx64 ", where no code is known\n", address);
	if (crash)
		crash_print_signal(crash);
	if (crash && n)
		crash_print_memory(crash, code, n, row->bits);
}

/* The site of a call lies in the function around it, and so is the next frame. */
static void print_stack(struct job *j, const struct thread *t, uint64_t address)
{
	unsigned int i = t->depth, n = 1;

	printf("\nCalls that have not returned:\n  #0   ");
	print_place(j, &t->last.row, address);
	while (i-- > 1) {
		if (!t->frame[i].site)
			continue;
		printf("  #%-3u ", n++);
		print_place(j, &t->last.row, t->frame[i].site);
	}
}

static void print_end(struct job *j, const struct thread *t)
{
	const struct softpt_flow_row *row = &t->last.row;
	struct softpt_perf_crash crash;
	const bool known = crash_find(j->in.perf, t->tid, &crash);
	const uint64_t address = known ? crash.rip : next_of(row);

	printf("Thread %u (", t->tid);
	print_plain(stdout, row->comm ? row->comm : "?", SIZE_MAX);
	printf(") ends here, after %" PRIu64 " instructions of this recording:\n",
	       t->instructions.n);
	print_insn(row, address, known ? &crash : NULL);
	print_stack(j, t, address);
	if (known)
		crash_print_registers(&crash, row);
}

/* ---- how it came there ---- */

static void print_rows(struct job *j, const char *title, const struct rows *rows)
{
	uint64_t i = rows->n > rows->room ? rows->n - rows->room : 0;

	if (!rows->room)
		return;
	printf("\n%s\n", title);
	flow_print_begin(&j->printer);
	for (; i < rows->n; i++)
		flow_print(&j->printer, &rows->kept[i % rows->room].row);
	flow_print_end(&j->printer);
}

/* ---- all ---- */

static void tell(void *ctx)
{
	struct job *j = ctx;
	const struct thread *t = j->no_memory ? NULL : choose(j);

	if (!t)
		return;
	j->told = true;
	j->printer = (struct flow_printer){
		.perf = j->in.perf, .begin = t->last.row.when.tsc, .lines = true,
	};
	print_end(j, t);
	print_rows(j, "The last calls, times before the end:", &t->calls);
	print_rows(j, "The last instructions:", &t->instructions);
}

/* What could be followed is told although the path is lost somewhere; the exit status tells. */
static int walk(struct job *j)
{
	struct flow_path path = {
		.in = &j->in, .root = j->root,
		.wanted = ROWS_CALLS | ROW(RETURN) | ROW(INSN) | ROW(ON),
		.row = take_row, .end = tell, .context = j, .errors = &tool_errors,
	};
	int err = flow_path_walk(&path);

	if (j->no_memory)
		return refuse(j->path, "%s", strerror(ENOMEM));
	if ((!err || err == -EILSEQ) && !j->told && j->tid)
		return refuse(j->path, "no instruction of thread %" PRIu64 " is in it", j->tid);
	if ((!err || err == -EILSEQ) && !j->told)
		return refuse(j->path, "no instruction is in it");
	return err ? EXIT_REFUSED : 0;
}

static int take_option(const struct command *cmd, struct job *j, int id)
{
	switch (id) {
	case 'n':
		return softpt_number_within(optarg, 0, ROWS_MAX, &j->calls) ? 0 :
		       misuse(cmd, "--calls %s: a number up to %u", optarg, ROWS_MAX);
	case 'i':
		return softpt_number_within(optarg, 0, ROWS_MAX, &j->instructions) ? 0 :
		       misuse(cmd, "--instructions %s: a number up to %u", optarg, ROWS_MAX);
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
	status = walk(&j);
	while ((t = j.threads)) {
		j.threads = t->next;
		free_thread(t);
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
		"too. Where a signal has ended the thread, softpt says which one it was, the address of a fault, the\n"
		"operand, and the registers. Memory is not in a recording; a core file has it.",
	.options = options,
	.run = run,
};
