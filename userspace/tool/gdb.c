// SPDX-License-Identifier: BSD-2-Clause
/*
 * softpt gdb: a recording in a debugger, backward and forward. gdb starts this command again as the
 * other end of its remote protocol.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "cli/input.h"
#include "cli/tool.h"
#include "code/source.h"
#include "flow/path.h"
#include "flow/process.h"
#include "gdb/past.h"
#include "gdb/serve.h"

#define BLOCKS		1000000
#define BLOCKS_MAX	100000000

enum { OPTION_SERVER = 256 };

static const struct option_row options[] = {
	{ 'l', "last", "N", "keep the last N blocks of a thread (1000000)" },
	{ 't', "tid", "N", "this thread (that of the trigger event, or the last one that ran)" },
	{ 'r', "root", "DIR", "where the files of the traced system are" },
	{ OPTION_SERVER, "server", NULL,
	  "answer a debugger on stdin and stdout: target remote | softpt gdb --server FILE" },
	{ 0 }
};

struct job {
	const char *path, *root;
	uint64_t tid, last;
	bool server;
	struct input in;
	struct past *pasts;
	struct past *latest;	/* that a block was of */
	struct progress progress;
	uint64_t blocks;
	bool no_memory;
	bool found;
	int refused;
};

/* ---- what is kept ---- */

static struct past *get_past(struct job *j, uint32_t tid)
{
	struct past *h = j->latest;

	if (h && h->tid == tid)
		return h;
	for (h = j->pasts; h && h->tid != tid; h = h->next)
		;
	j->latest = h;
	if (h)
		return h;
	h = calloc(1, sizeof(*h));
	if (!h)
		return NULL;
	h->tid = tid;
	h->most = j->last;
	h->next = j->pasts;
	j->pasts = h;
	return h;
}

static bool take_row(void *ctx, const struct softpt_flow_row *row)
{
	struct job *j = ctx;
	struct past *h;

	if (!(++j->blocks & 0xffff))
		progress_step(&j->progress, j->blocks);
	if (j->tid && row->tid != j->tid)
		return true;
	h = get_past(j, row->tid);
	j->no_memory = !h || past_add(h, row);
	return !j->no_memory;
}

/* The one that ran last */
static struct past *choose(const struct job *j)
{
	struct past *h, *of = NULL;

	for (h = j->pasts; h; h = h->next)
		if (h->n && (!of || h->end_tsc > of->end_tsc))
			of = h;
	return of;
}

/* ---- both ends ---- */

/* On stderr: stdout is the debugger's */
static void introduce(const struct job *j, const struct past *h)
{
	const struct past *o;
	unsigned int n = 0;

	for (o = j->pasts; o; o = o->next)
		n += o != h;
	fprintf(stderr, "softpt: %s: the end of thread %u; reverse-step and the like go back\n",
		j->path, h->tid);
	fprintf(stderr, "softpt: RSP, RBP and the stack are made up from the path; there is no data, and no other register but where a crash has told them\n");
	if (n)	/* which are not kept where one was asked for */
		fprintf(stderr, "softpt: %u other thread%s can be looked at with --tid\n", n,
			n > 1 ? "s" : "");
}

/* Registers have other numbers there. */
static bool is_32bit(const struct past *h)
{
	struct symbol_place place;

	symbols_place(h->process->symbols, past_block(h, h->n - 1)->ip, &place);
	return place.file && source_bits(place.file) == 32;
}

static void serve_end(void *ctx)
{
	struct job *j = ctx;
	struct past *h = j->no_memory ? NULL : choose(j);

	progress_end(&j->progress);
	if (!h)
		return;
	j->found = true;
	if (is_32bit(h)) {
		j->refused = refuse(j->path, "thread %u ran 32-bit code; softpt flow shows it",
				    h->tid);
		return;
	}
	if (past_end(h)) {
		j->no_memory = true;
		return;
	}
	introduce(j, h);
	j->no_memory = serve(h, *j->root || !j->in.root ? j->root : j->in.root,
			     j->in.perf);
}

static int run_server(struct job *j)
{
	struct flow_path path = {
		.in = &j->in, .root = j->root, .wanted = 1u << SOFTPT_FLOW_BLOCK,
		.row = take_row, .end = serve_end, .context = j, .errors = &tool_errors,
	};
	struct trigger_event te;
	struct past *h;
	int err;

	if (open_input(&j->in, j->path))
		return EXIT_REFUSED;
	if (!j->tid && !relative_find(&te, &j->in, NULL) && te.tid > 0)
		j->tid = te.tid;
	path.slice.tid = j->tid;
	err = flow_path_walk(&path);
	while ((h = j->pasts)) {
		j->pasts = h->next;
		past_free(h);
	}
	input_close(&j->in);
	if (j->no_memory)
		return refuse(j->path, "%s", strerror(ENOMEM));
	if ((!err || err == -EILSEQ) && !j->found && j->tid)
		return refuse(j->path, "no instruction of thread %" PRIu64 " is in it", j->tid);
	if ((!err || err == -EILSEQ) && !j->found)
		return refuse(j->path, "no instruction is in it");
	return err ? EXIT_REFUSED : j->refused;
}

/* A word of the shell's, in quotes */
static void put_word(FILE *to, const char *word)
{
	fputs(" '", to);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", to);
		else
			fputc(*word, to);
	fputc('\'', to);
}

/* "target remote | softpt gdb --server FILE". Return: NULL without memory */
static char *connect_command(const struct job *j)
{
	char self[4096] = "", *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	if (!to)
		return NULL;
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		strcpy(self, "softpt");
	fputs("target remote | exec", to);
	put_word(to, self);
	fprintf(to, " gdb --server --last %" PRIu64, j->last);
	if (j->tid)
		fprintf(to, " --tid %" PRIu64, j->tid);
	if (*j->root) {
		fputs(" --root", to);
		put_word(to, j->root);
	}
	fputs(" --", to);
	put_word(to, j->path);
	return fclose(to) ? NULL : text;
}

/* gdb has the files' names from the other end, and looks for them below its sysroot. */
static int run_debugger(struct job *j, char **more)
{
	char *connect, *sysroot;
	char **argv;
	size_t n = 0;

	if (open_input(&j->in, j->path))
		return EXIT_REFUSED;
	if (asprintf(&sysroot, "set sysroot %s",
		     *j->root ? j->root : j->in.root ? j->in.root : "/") < 0)
		sysroot = NULL;
	input_close(&j->in);
	connect = connect_command(j);
	while (more[n])
		n++;
	argv = calloc(n + 20, sizeof(*argv));
	if (!argv || !connect || !sysroot) {
		free(argv);
		free(connect);
		free(sysroot);
		return refuse(j->path, "%s", strerror(ENOMEM));
	}
	memcpy(argv, (char *[]){
		"gdb", "-q", "-iex", sysroot, "-iex", "set remotetimeout 86400",
		"-iex", "set trust-readonly-sections on", "-iex", "set stack-cache off",
		"-iex", "set confirm off", "-iex", "set print frame-arguments presence",
		"-iex", "set print finish off", "-ex", connect,
	}, 18 * sizeof(*argv));
	memcpy(argv + 18, more, n * sizeof(*argv));
	execvp("gdb", argv);
	return refuse("gdb", "%s; apt-get install gdb", strerror(errno));
}

static int take_option(const struct command *cmd, struct job *j, int id)
{
	switch (id) {
	case 'l':
		return softpt_number_within(optarg, 1, BLOCKS_MAX, &j->last) ? 0 :
		       misuse(cmd, "--last %s: a number from 1 up to %u", optarg, BLOCKS_MAX);
	case 't':
		return softpt_number_within(optarg, 1, INT32_MAX, &j->tid) ? 0 :
		       misuse(cmd, "--tid %s: a number from 1 on", optarg);
	case 'r':
		j->root = optarg;
		return 0;
	case OPTION_SERVER:
		j->server = true;
		return 0;
	}
	return EXIT_USAGE;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct job j = { .root = "", .last = BLOCKS, .progress.what = "gdb: blocks" };
	int id;

	while ((id = option_next(cmd, argc, argv)) != -1)
		if (take_option(cmd, &j, id))
			return EXIT_USAGE;
	if (optind == argc)
		return misuse(cmd, "FILE is missing");
	j.path = argv[optind];
	if (!strcmp(j.path, "-"))
		return misuse(cmd, "a recording is read from a file only");
	if (!j.server)
		return run_debugger(&j, argv + optind + 1);
	return only_operand(cmd, argc, argv, "FILE") ? run_server(&j) : EXIT_USAGE;
}

const struct command command_gdb = {
	.name = "gdb",
	.args = "FILE [GDB-OPTION...]",
	.what = "look at a recording in gdb, backward and forward",
	.more = "gdb begins at the end of FILE: reverse-stepi, reverse-step, reverse-finish, breakpoints and\n"
		"reverse-continue go back, and their opposites forward, through the last blocks of one thread.\n"
		"RSP, RBP and return addresses are made up from the path, so that backtrace and finish work.\n"
		"Other registers are told where a crash ends it, and nowhere else; memory that was written is not\n"
		"in a recording: gdb says so.\n"
		"\"monitor when\" tells how far from the end it is.",
	.options = options,
	.until_operand = true,
	.run = run,
};
