// SPDX-License-Identifier: BSD-2-Clause
/*
 * The log of `qemu-x86_64 -singlestep -d in_asm,exec,nochain`. A block of in_asm shows an
 * instruction when QEMU translates it, a line of exec says that it runs next:
 *
 *	----------------
 *	IN: main
 *	0x00401006:  e8 33 00 00 00           callq    0x40103e
 *
 *	Trace 0: 0x7fe488000300 [0000000000000000/0000000000401006/1040c0b3/00000201] main
 *
 * THREAD, host code, [CS base/IP/flags/compile flags] and the symbol. "Stopped execution"
 * takes back the line before it: a signal comes first. Whatever else there is was asked
 * for with another -d, and is refused: a line that is passed over may hide instructions.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "source/insns.h"

#define LINE_KEPT	256	/* bytes; symbols behind them don't matter */

#define NOWHERE		UINT64_MAX	/* no instruction is there */
#define MORE_THAN_ONE	"more than one instruction: run QEMU with -singlestep"

/* Of a CPU's flags in a line of exec */
#define FLAGS_CPL	0x3
#define FLAGS_CS32	(1 << 4)
#define FLAGS_CS64	(1 << 15)

/**
 * struct reader - where the reading is
 * @im: the log
 * @error: where to say why it is refused
 * @text: the line
 * @line: its number
 * @bytes: read so far
 * @code: what in_asm has shown
 * @block: the instruction whose block is open
 * @in_block: one is
 * @unread: its code can't be read by QEMU
 * @named: instructions of the block that the disassembler knows
 * @unknown: it doesn't know all of them: lines of .byte, and what it makes of the rest
 * @other_ip: of the last line of exec, if it is of another thread; else none
 */
struct reader {
	struct import *im;
	struct error *error;
	char text[LINE_KEPT];
	uint64_t line;
	uint64_t bytes;
	struct import_code code;
	struct import_step block;
	bool in_block;
	bool unread;
	unsigned int named;
	bool unknown;
	uint64_t other_ip;
};

/* Say what is wrong with the line. Return: -EINVAL */
static int __attribute__((format(printf, 2, 3)))
refuse_line(const struct reader *r, const char *format, ...)
{
	char why[LINE_KEPT];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	return error_set(r->error, -EINVAL, "line %" PRIu64 ": %s", r->line, why);
}

/* Some log text, which may be anything, for a message. Return: @buf */
static const char *excerpt(const char *text, char buf[static 33])
{
	unsigned int i;

	for (i = 0; i < 32 && text[i]; i++)
		buf[i] = isprint((unsigned char)text[i]) ? text[i] : '?';
	buf[i] = '\0';
	return buf;
}

/* Return: 1; 0 at the end; -errno */
static int next_line(struct reader *r)
{
	FILE *file = r->im->file;
	unsigned int n = 0;
	bool some = false;
	int c;

	r->line++;
	errno = 0;
	while ((c = getc_unlocked(file)) != EOF && c != '\n') {
		if (!c)
			return refuse_line(r, "a NUL byte: this is no text");
		some = true;
		r->bytes++;
		if (n < sizeof(r->text) - 1)
			r->text[n++] = c;
	}
	r->text[n] = '\0';
	r->bytes++;
	if (c == '\n')
		return 1;
	if (ferror(file))
		return error_set_errno(r->error, errno ? -errno : -EIO);
	if (!some)
		return 0;
	return refuse_line(r, "the log ends within a line: it is not complete");
}

/* @prefix and a number behind it. Return: what follows, or NULL */
static const char *number_after(const char *text, const char *prefix, int base, uint64_t *v)
{
	size_t len = strlen(prefix);
	char *end;

	if (!text || strncmp(text, prefix, len) || !isxdigit((unsigned char)text[len]))
		return NULL;
	errno = 0;
	*v = strtoull(text + len, &end, base);
	return errno ? NULL : end;
}

/* ---- in_asm ---- */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* " e8" */
static bool next_byte(const char *text, uint8_t *byte)
{
	int high, low;

	if (text[0] != ' ')
		return false;
	high = hex_digit(text[1]);
	if (high < 0)
		return false;
	low = hex_digit(text[2]);
	if (low < 0 || (text[3] && text[3] != ' '))
		return false;
	*byte = high << 4 | low;
	return true;
}

/* The instruction behind the bytes; there is none where they go on from the line before. */
static int count_insn(struct reader *r, const char *name)
{
	if (!*name)
		return 0;
	r->unknown |= !strncmp(name, ".byte", 5);
	if (++r->named > 1 && !r->unknown)
		return refuse_line(r, MORE_THAN_ONE);
	return 0;
}

/* "  e8 33 00 00 00           callq    0x40103e" */
static int code_bytes(struct reader *r, const char *text)
{
	struct import_step *block = &r->block;
	unsigned int n = block->n;
	uint8_t byte;

	for (text += *text == ' '; next_byte(text, &byte); text += 3) {
		if (n == SOFTPT_INSN_MAX)
			return refuse_line(r, MORE_THAN_ONE);
		block->code[n++] = byte;
	}
	if (n == block->n)
		return refuse_line(r, "no bytes of code");
	block->n = n;
	return count_insn(r, text + strspn(text, " "));
}

static int code_line(struct reader *r)
{
	struct import_step *block = &r->block;
	const char *text;
	uint64_t ip = 0;

	text = number_after(r->text, "0x", 16, &ip);
	if (!text || *text++ != ':')
		return refuse_line(r, "0xADDRESS: BYTES INSTRUCTION is expected");
	if (!block->n)
		block->ip = ip;
	if (ip != block->ip + block->n)
		return refuse_line(r, "the code goes on at 0x%" PRIx64 ", not here",
				   block->ip + block->n);
	if (!block->n && !strcmp(text, " unable to read memory")) {
		r->unread = true;
		return 0;
	}
	return code_bytes(r, text);
}

static int block_end(struct reader *r)
{
	r->in_block = false;
	if (!r->block.n && !r->unread)
		return refuse_line(r, "a block of in_asm without code");
	if (import_code_add(&r->code, &r->block))
		return refuse_line(r, "out of memory");
	return 0;
}

static int block_line(struct reader *r)
{
	return *r->text ? code_line(r) : block_end(r);
}

static int block_begin(struct reader *r)
{
	r->block = (struct import_step){ 0 };
	r->in_block = true;
	r->unread = false;
	r->named = 0;
	r->unknown = false;
	return 0;
}

/* ---- exec ---- */

static int check_flags(const struct reader *r, uint64_t flags)
{
	if ((flags & FLAGS_CPL) != 3)
		return refuse_line(r, "not user mode: a log of qemu-x86_64 is expected");
	if (!(flags & (FLAGS_CS64 | FLAGS_CS32)))
		return refuse_line(r, "16-bit code is not supported");
	return 0;
}

/* Trace THREAD: HOST [CSBASE/IP/FLAGS/...] */
static int exec_line(struct reader *r)
{
	uint64_t thread = 0, host, base, flags = 0;
	struct import_step step = { 0 };
	const char *text, *why;

	text = number_after(r->text, "Trace ", 10, &thread);
	text = number_after(text, ": 0x", 16, &host);
	text = number_after(text, " [", 16, &base);
	text = number_after(text, "/", 16, &step.ip);
	text = number_after(text, "/", 16, &flags);
	if (!text || *text != '/' || !strchr(text, ']') || thread > INT32_MAX)
		return refuse_line(r, "Trace THREAD: CODE [BASE/IP/FLAGS/CFLAGS] is expected");
	if (r->im->thread < 0)
		r->im->thread = thread;
	if ((int64_t)thread != r->im->thread) {
		r->im->others++;
		r->other_ip = step.ip;
		return 0;
	}
	r->other_ip = NOWHERE;
	if (check_flags(r, flags))
		return -EINVAL;
	step.long_mode = flags & FLAGS_CS64;
	if (!import_code_find(&r->code, &step))
		return refuse_line(r, "the code at 0x%" PRIx64 " was never shown: -d in_asm does",
				   step.ip);
	why = import_flow_step(&r->im->flow, &step);
	return why ? refuse_line(r, "before this: %s: run QEMU with -singlestep", why) : 0;
}

/* It doesn't name the thread: that is the last one that came to the address. */
static int stopped_line(struct reader *r)
{
	uint64_t host, ip = 0;
	const char *text;

	text = number_after(r->text, "Stopped execution of TB chain before ", 16, &host);
	text = number_after(text, " [", 16, &ip);
	if (!text || *text != ']')
		return refuse_line(r, "Stopped execution of TB chain before CODE [IP] is expected");
	if (ip == r->other_ip)
		return 0;
	if (!import_flow_stop(&r->im->flow, ip) && !r->im->others)
		return refuse_line(r, "0x%" PRIx64 " is not where the program is", ip);
	return 0;
}

static int rule_line(struct reader *r)
{
	char seen[33];

	if (!*r->text || !strcmp(r->text, "----------------"))
		return 0;
	return refuse_line(r, "'%s': nothing that -d in_asm,exec,nochain logs",
			   excerpt(r->text, seen));
}

static int chain_line(struct reader *r)
{
	return refuse_line(r, "not all that runs is logged: run QEMU with -d nochain");
}

static const struct {
	const char *begins;
	int (*read)(struct reader *r);
} lines[] = {
	{ "Trace ", exec_line },
	{ "IN: ", block_begin },
	{ "Stopped ", stopped_line },
	{ "Linking TBs ", chain_line },
	{ "", rule_line },
};

static int read_line(struct reader *r)
{
	unsigned int i = 0;

	if (r->in_block)
		return block_line(r);
	while (strncmp(r->text, lines[i].begins, strlen(lines[i].begins)))
		i++;
	return lines[i].read(r);
}

static int log_end(struct reader *r)
{
	const char *why;

	if (r->in_block)
		return refuse_line(r, "the log ends within a block of in_asm: it is not complete");
	if (!r->im->flow.enabled)
		return refuse_line(r, "no instruction ran%s",
				   r->im->others ? " in that thread" : ": -d exec logs what runs");
	why = import_flow_end(&r->im->flow);
	return why ? refuse_line(r, "before this: %s", why) : 0;
}

int import_qemu(struct import *im, struct error *error)
{
	struct reader r = { .im = im, .error = error, .other_ip = NOWHERE };
	int err = 0, more;

	while (!err && (more = next_line(&r)) > 0) {
		err = read_line(&r);
		if (im->progress && !(r.line & 0xfffff))
			im->progress(im->ctx, r.bytes);
	}
	if (!err)
		err = more < 0 ? more : log_end(&r);
	import_code_free(&r.code);
	return err;
}
