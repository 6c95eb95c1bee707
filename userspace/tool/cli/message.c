// SPDX-License-Identifier: BSD-2-Clause
/* What the tool says on stderr, and how it looks on a terminal */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/tsc.h"
#include "tool.h"

static void put_why(const char *format, va_list args)
{
	char *why;

	if (vasprintf(&why, format, args) >= 0) {
		print_plain(stderr, why, SIZE_MAX);
		free(why);
	}
	fputc('\n', stderr);
}

int refuse(const char *file, const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fputs("softpt: ", stderr);
	print_plain(stderr, file, SIZE_MAX);
	fputs(": ", stderr);
	va_start(args, format);
	put_why(format, args);
	va_end(args);
	return EXIT_REFUSED;
}

int refuse_at(const char *file, uint64_t offset, const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fputs("softpt: ", stderr);
	print_plain(stderr, file, SIZE_MAX);
	fprintf(stderr, ": offset 0x%" PRIx64 ": ", offset);
	va_start(args, format);
	put_why(format, args);
	va_end(args);
	return EXIT_REFUSED;
}

int refuse_error(const char *file, const struct error *e)
{
	if (!strcmp(file, "-"))
		file = "stdin";
	return e->has_offset ? refuse_at(file, e->offset, "%s", e->text) :
	       refuse(file, "%s", e->text);
}

static void tell(void *ctx, const char *file, const struct error *e)
{
	(void)ctx;
	if (!e->err)
		fprintf(stderr, "softpt: note: %s: %s\n", file, e->text);
	else if (e->has_offset)
		refuse_at(file, e->offset, "%s", e->text);
	else
		refuse(file, "%s", e->text);
}

const struct error_sink tool_errors = { .tell = tell };

int misuse(const struct command *cmd, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "softpt: %s: ", cmd->name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, " (softpt help %s)\n", cmd->name);
	return EXIT_USAGE;
}

int close_stdout(int status)
{
	if (!ferror(stdout) && !fflush(stdout))
		return status;
	return refuse("stdout", "%s", strerror(errno));
}

/* Asked once per stream: a system call per line would be dear */
static bool is_terminal(FILE *f)
{
	static signed char known[3];
	const char *plain;
	int fd = fileno(f);

	if (fd < 0 || fd > 2)
		return false;
	if (!known[fd]) {
		plain = getenv("NO_COLOR");
		known[fd] = isatty(fd) && !(plain && *plain) ? 1 : -1;
	}
	return known[fd] > 0;
}

const char *colour(FILE *to, enum colour c)
{
	static const char *const escapes[] = {
		[COLOUR_PLAIN] = "\033[0m",
		[COLOUR_DIM] = "\033[2m",
		[COLOUR_FLOW] = "\033[32m",
		[COLOUR_TIME] = "\033[36m",
		[COLOUR_WARN] = "\033[1;31m",
	};

	return is_terminal(to) ? escapes[c] : "";
}

/* Nothing in the first half second: short work stays silent. */
void progress_step(struct progress *p, uint64_t done)
{
	uint64_t now;

	if (!isatty(STDERR_FILENO))
		return;
	now = seconds_now() * 1000;
	if (!p->next_ms)
		p->next_ms = now + 500;
	if (now < p->next_ms)
		return;
	p->next_ms = now + 100;
	p->shown = true;
	if (p->total)
		fprintf(stderr, "\r%s %" PRIu64 "%%", p->what,
			done > p->total ? 100 : (uint64_t)((double)done * 100 / p->total));
	else
		fprintf(stderr, "\r%s %" PRIu64, p->what, done);
}

void progress_end(struct progress *p)
{
	if (p->shown)
		fprintf(stderr, "\r\033[K");
	p->shown = false;
}
