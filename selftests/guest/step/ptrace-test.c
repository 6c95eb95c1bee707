// SPDX-License-Identifier: BSD-2-Clause
/*
 * softpt record --no-module: the same instructions as the judge's, and in the guest the
 * same bytes as the module's step source. SOFTPT names the command, if it is not in PATH.
 */
#include "step.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARGS	16

static char dir[] = "/tmp/step-ptrace.XXXXXX";
static char recording[64], packets[64];

static const char *softpt(void)
{
	static char found[512];
	const char *name = getenv("SOFTPT");
	FILE *which;

	if (name)
		return name;
	which = popen("command -v softpt", "r");
	if (!which || !fgets(found, sizeof(found), which))
		kit_bail("no softpt in PATH (SOFTPT=...)");
	pclose(which);
	found[strcspn(found, "\n")] = '\0';
	return found;
}

static void make_dir(void)
{
	if (!mkdtemp(dir))
		kit_bail("no directory for recordings");
	snprintf(recording, sizeof(recording), "%s/data", dir);
	snprintf(packets, sizeof(packets), "%s/pt", dir);
}

static void remove_dir(void)
{
	unlink(recording);
	unlink(packets);
	rmdir(dir);
}

/* Run to its end, however long that takes. Its output is a pipe. Return: wait status */
static int run(char *const argv[])
{
	int out[2], status;
	pid_t pid;

	if (pipe2(out, O_CLOEXEC))
		kit_bail("no pipe");
	pid = fork();
	if (!pid) {
		dup2(out[1], 1);
		trace_exec(-1, argv, 0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		kit_bail("%s cannot be run", argv[0]);
	close(out[0]);
	close(out[1]);
	return status;
}

/* The packets of the recording's one unit. Return: how many bytes */
static size_t take_packets(uint8_t **data)
{
	char *const argv[] = { (char *)softpt(), "export", "--to", "pt", "-o", packets, recording,
			       NULL };
	int status = run(argv), fd;
	struct stat st;

	fd = open(packets, O_RDONLY | O_CLOEXEC);
	if (status || fd < 0 || fstat(fd, &st))
		kit_bail("softpt export: status %#x", status);
	*data = malloc(st.st_size);
	if (!*data || read(fd, *data, st.st_size) != st.st_size)
		kit_bail("%s cannot be read", packets);
	close(fd);
	return st.st_size;
}

/* Return: what the command's exit status was */
static int record(const char *config, char *const program[])
{
	char *argv[ARGS + 12] = { (char *)softpt(), "record", "--no-module", "-C", "0", "-o",
				  recording, "-c", (char *)config, "--" };
	unsigned int i;
	int status;

	for (i = 0; program[i] && i < ARGS; i++)
		argv[10 + i] = program[i];
	unlink(recording);
	status = run(argv);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int shell_status(int wait_status)
{
	return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

static bool same_path(const char *config, const struct softpt_config *decode, char *const argv[])
{
	struct ips want = { 0 };
	struct code code = { .n = 0 };
	int status = shell_status(oracle_run(argv, &want, &code));
	int got_status = record(config, argv);
	struct flow flow = { 0 };
	uint8_t *data;
	size_t n = take_packets(&data);
	bool ok = !flow_decode(decode, &code, data, n, &flow);

	if (got_status != status)
		kit_note("exit status %d, expected %d", got_status, status);
	ok = ips_same(&flow.ips, &want) && ok && got_status == status;
	kit_note("%zu instructions, %zu bytes", flow.ips.n, n);
	free(data);
	flow_free(&flow);
	ips_free(&want);
	code_free(&code);
	return ok;
}

static const struct {
	const char *work;
	bool cyc, model, bits32;
} rows[] = {
	{ .work = "true" },
	{ .work = "calls", .cyc = true, .model = true },
	{ .work = "signals" },
	{ .work = "jumps" },
	{ .work = "returns" },
	{ .work = "rep", .cyc = true, .model = true },
	{ .work = "pushf" },
	{ .work = "again" },
	{ .work = "fault" },
	{ .work = "calls", .bits32 = true },
	{ .work = "signals", .bits32 = true },
	{ .work = "jumps", .bits32 = true },
};

/* A kernel may execute no 32-bit programs: ia32_emulation=off, or built without. */
static bool executes(const char *program)
{
	char *const argv[] = { (char *)program, "true", "quiet", NULL };
	int status;

	fflush(stdout);
	status = run(argv);
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

static void test_paths(void)
{
	const bool bits32 = executes(target32);
	unsigned int i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *const argv[] = { (char *)(rows[i].bits32 ? target32 : target),
				       (char *)rows[i].work, "quiet", NULL };
		struct softpt_config config = trace_config();
		char text[64];

		if (only && strcmp(only, rows[i].work))
			continue;
		if (rows[i].bits32 && !bits32) {
			kit_ok(true, "--no-module: path of %s, 32-bit # SKIP this kernel executes none",
			       rows[i].work);
			continue;
		}
		if (rows[i].cyc)
			config.flags |= SOFTPT_F_CYC;
		snprintf(text, sizeof(text), "cyc=%d,clock=%s", rows[i].cyc,
			 rows[i].model ? "model" : "wall");
		kit_ok(same_path(text, &config, argv), "--no-module: path of %s%s, %s",
		       rows[i].work, rows[i].bits32 ? ", 32-bit" : "", text);
	}
}

/* A dynamic program, with the loader's mappings */
static void test_dynamic(void)
{
	static char *const argv[] = { "/bin/true", NULL };
	struct softpt_config config = trace_config();

	kit_ok(same_path("clock=wall", &config, argv), "--no-module: path of %s", argv[0]);
}

/* With cyc=1 and clock=model what trace_config() is */
static const char exact[] = "cyc=1,suppress=off,clock=model,mtc_freq=9";

static size_t record_exact(char *const argv[], uint8_t **data)
{
	record(exact, argv);
	return take_packets(data);
}

/* The model clock: the same bytes again */
static void test_again(void)
{
	char *const argv[] = { (char *)target, "signals", NULL };
	uint8_t *first, *second;
	size_t n = record_exact(argv, &first), again = record_exact(argv, &second);

	kit_ok(n && n == again && !memcmp(first, second, n),
	       "--no-module on the model clock: the same %zu and %zu bytes in two runs", n, again);
	free(first);
	free(second);
}

static void same_bytes(const char *program, const char *work)
{
	char *const argv[] = { (char *)program, (char *)work, "quiet", NULL };
	struct softpt_config config = trace_config();
	struct trace trace;
	uint8_t *data;
	size_t n;

	config.flags |= SOFTPT_F_CYC;
	config.clock = SOFTPT_CLOCK_MODEL;
	n = record_exact(argv, &data);
	trace_run(&trace, &config, argv, TRACE_PINNED);
	kit_ok(n && trace.cpu[0].n == n && !memcmp(data, trace.cpu[0].data, n),
	       "%s%s: the module's %zu bytes and those of --no-module, %zu, are the same", work,
	       strstr(program, "32") ? ", 32-bit" : "", trace.cpu[0].n, n);
	trace_free(&trace);
	free(data);
}

/* The model clock: the same bytes from the module */
void test_same_bytes(void)
{
	static const char *const works[] = {
		"calls", "signals", "jumps", "rep", "pushf", "movss", "again",
	};
	unsigned int i;

	make_dir();
	for (i = 0; i < sizeof(works) / sizeof(works[0]); i++)
		if (!only || !strcmp(only, works[i]))
			same_bytes(target, works[i]);
	if (!only)
		same_bytes(target32, "signals");
	for (i = 0; i < 2; i++)
		if (!only || !strcmp(only, "ptwrite"))
			same_bytes(target_ptwrite[i], "forms");
	if (!only || !strcmp(only, "ptwrite"))
		same_bytes(target_ptwrite[0], "absent");
	remove_dir();
}

void test_no_module(void)
{
	make_dir();
	test_paths();
	if (!only) {
		test_dynamic();
		test_again();
	}
	remove_dir();
}
