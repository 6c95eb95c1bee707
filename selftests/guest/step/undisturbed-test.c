// SPDX-License-Identifier: BSD-2-Clause
/* What a program prints and how it ends is the same, stepped or not. */
#include "step.h"

#include <errno.h>
#include <string.h>

static const char *const works[] = {
	"true", "status", "calls", "signals", "jumps", "pushf", "rep", "movss", "selftf",
	"forks", "threads", "migrate", "xonly", "again", "fault", "crew", "family", "spawn",
};

/* Those that have threads or children, which are stepped, too */
static const char *const many[] = { "forks", "threads", "crew", "family", "spawn" };

static size_t packets(const struct trace *trace)
{
	size_t n = 0;
	unsigned int cpu;

	for (cpu = 0; cpu < trace->cpus; cpu++)
		n += trace->cpu[cpu].n;
	return n;
}

static bool shows_exit(const struct trace *trace)
{
	unsigned int cpu;

	for (cpu = 0; cpu < trace->cpus; cpu++)
		if ((int)trace->cpu[cpu].status.exit_code != trace->wait_status)
			return false;
	return true;
}

static void compare(const char *program, const char *work, const char *how, unsigned int flags)
{
	char *const argv[] = { (char *)program, (char *)work, NULL };
	struct softpt_config config = trace_config();
	struct trace plain, stepped;
	bool same;

	trace_run(&plain, &config, argv, TRACE_OFF);
	trace_run(&stepped, &config, argv, flags);
	same = plain.wait_status == stepped.wait_status && plain.nout == stepped.nout &&
	       !memcmp(plain.out, stepped.out, plain.nout) && plain.nout + plain.wait_status;
	if (!same)
		kit_note("status %#x, stepped %#x; said '%.*s', stepped '%.*s'", plain.wait_status,
			 stepped.wait_status, (int)plain.nout, plain.out, (int)stepped.nout,
			 stepped.out);
	kit_ok(same && packets(&stepped), "%s%s runs as it does untraced", work, how);
	kit_ok(shows_exit(&stepped), "%s%s: the units show its exit status %#x", work, how,
	       stepped.wait_status);
	trace_free(&stepped);
}

/* The C library's threads of 32 bits need what CONFIG_COMPAT_32BIT_TIME brings. */
static bool has_futex32(void)
{
	long ret;

	asm volatile("int $0x80" : "=a"(ret) : "0"(240), "b"(0), "c"(-1), "d"(0) : "memory");
	return (int)ret != -ENOSYS;
}

void test_undisturbed(void)
{
	bool threads32 = has_futex32();
	unsigned int i;

	for (i = 0; i < sizeof(works) / sizeof(works[0]); i++) {
		if (only && strcmp(only, works[i]))
			continue;
		compare(target, works[i], "", 0);
		if (!strcmp(works[i], "threads") && !threads32)
			kit_ok(true, "%s, 32-bit # SKIP no 32-bit futex in this kernel", works[i]);
		else
			compare(target32, works[i], ", 32-bit", 0);
	}
	for (i = 0; i < sizeof(many) / sizeof(many[0]); i++) {
		if (only && strcmp(only, many[i]))
			continue;
		compare(target, many[i], ", inherited", TRACE_INHERIT);
		if (strcmp(many[i], "threads") || threads32)
			compare(target32, many[i], ", inherited, 32-bit", TRACE_INHERIT);
	}
}
