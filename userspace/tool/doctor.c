// SPDX-License-Identifier: BSD-2-Clause
/* softpt doctor: what works on this machine, and what to do about what does not */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <softpt/softpt.h>
#include "cli/system.h"
#include "cli/tool.h"

#define NOTE_MAX	512

static const struct option_row options[] = {
	{ 'f', "format", "text|json", "what is printed (text)" },
	{ 0 }
};

enum verdict {
	YES,
	NO,
	NOTE,	/* neither good nor bad */
};

/* What is printed of one check */
struct finding {
	enum verdict verdict;
	char note[NOTE_MAX];
};

struct check {
	const char *name;
	const char *what;
	void (*look)(const struct check *check, struct finding *found);
	const char *argument;
	const char *command;	/* to type where it works */
	bool records;		/* it is a way to record */
};

static void tell(struct finding *found, enum verdict verdict, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void tell(struct finding *found, enum verdict verdict, const char *format, ...)
{
	va_list args;

	found->verdict = verdict;
	va_start(args, format);
	vsnprintf(found->note, sizeof(found->note), format, args);
	va_end(args);
}

/* ---- ways to record: each is tried ---- */

/* What our own command said, without our name in front of it */
static void read_message(int fd, char *buf, size_t size)
{
	static const char self[] = "softpt: ";
	size_t n = 0, skip;
	ssize_t got;

	while (n < size - 1 && (got = read(fd, buf + n, size - 1 - n)) > 0)
		n += got;
	buf[n] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	skip = strncmp(buf, self, sizeof(self) - 1) ? 0 : sizeof(self) - 1;
	memmove(buf, buf + skip, strlen(buf + skip) + 1);
}

static void run_record(const char *how, int to)
{
	char *const argv[] = {
		"softpt", "record", (char *)how, "-o", "/dev/null", "--", "true", NULL
	};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(null, STDOUT_FILENO) >= 0 &&
	    dup2(to, STDERR_FILENO) >= 0)
		execv("/proc/self/exe", argv);
	_exit(127);
}

/* Return: its exit status, or -errno; @said: its first line */
static int try_record(const char *how, char *said, size_t size)
{
	int fd[2], status;
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (!pid)
		run_record(how, fd[1]);
	close(fd[1]);
	if (pid > 0)
		read_message(fd[0], said, size);
	close(fd[0]);
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_REFUSED;
}

static void look_record(const struct check *check, struct finding *found)
{
	char said[NOTE_MAX] = "";
	int status = try_record(check->argument, said, sizeof(said));

	if (!status)
		tell(found, YES, "%s", check->command);
	else if (status < 0)
		tell(found, NO, "it can't be tried: %s", strerror(-status));
	else
		tell(found, NO, "%s", *said ? said : "it ended without a word: softpt bug, please report");
}

static bool is_stopped(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFSTOPPED(status);
}

/* A program takes seconds by ptrace: one step is enough. */
static void look_ptrace(const struct check *check, struct finding *found)
{
	bool stopped, stepped;
	pid_t pid = fork();

	if (!pid) {
		if (!ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			raise(SIGSTOP);
		_exit(0);
	}
	stopped = pid > 0 && is_stopped(pid);
	stepped = stopped && !ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) && is_stopped(pid);
	if (stepped)
		tell(found, YES, "%s", check->command);
	else
		tell(found, NO, "not permitted: in a container, --cap-add SYS_PTRACE; else sysctl kernel.yama.ptrace_scope=1");
	if (stopped && !kill(pid, SIGKILL))
		waitpid(pid, NULL, 0);
}

/* ---- the system ---- */

static void look_kernel(const struct check *check, struct finding *found)
{
	struct utsname u;

	(void)check;
	uname(&u);
	if (strcmp(u.machine, "x86_64"))
		tell(found, NO, "Linux %s on %s: programs are recorded on x86_64 only", u.release,
		     u.machine);
	else
		tell(found, NOTE, "Linux %s on %s", u.release, u.machine);
}

/* Why the kernel would take no module, or none that is not signed */
static void look_signing(const struct check *check, struct finding *found)
{
	char disabled[16], enforced[16];

	(void)check;
	system_line("/proc/sys/kernel/modules_disabled", disabled, sizeof(disabled));
	system_line("/sys/module/module/parameters/sig_enforce", enforced, sizeof(enforced));
	if (!*disabled)
		tell(found, NO, "this kernel takes no modules, or hides it (a container: load it on the host)");
	else if (!strcmp(disabled, "1"))
		tell(found, NO, "kernel.modules_disabled is set: no module until the next boot");
	else if (system_locked_down() || *enforced == 'Y')
		tell(found, NO, "signed ones only (Secure Boot): sign it with a key enrolled by mokutil --import KEY.der");
	else
		tell(found, YES, "signed or not");
}

static void look_fred(const struct check *check, struct finding *found)
{
	char line[4096];
	FILE *file = fopen("/proc/cpuinfo", "re");
	bool fred = false;

	(void)check;
	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, "flags", 5))
			fred |= strstr(line, " fred ") || strstr(line, " fred\n");
	if (file)
		fclose(file);
	if (fred)
		tell(found, NOTE, "on: the module steps programs with softpt load fred=1 only");
	else
		tell(found, NOTE, "off, or not there");
}

static void look_perf_events(const struct check *check, struct finding *found)
{
	char line[16];
	long level;

	(void)check;
	system_line("/proc/sys/kernel/perf_event_paranoid", line, sizeof(line));
	level = strtol(line, NULL, 10);
	if (!*line)
		tell(found, NO, "this kernel has none (CONFIG_PERF_EVENTS)");
	else if (level > 2 && geteuid())
		tell(found, NO, "root only (sysctl kernel.perf_event_paranoid=2)");
	else
		tell(found, YES, "kernel.perf_event_paranoid is %ld", level);
}

static bool is_in_path(const char *name)
{
	char *path = strdup(getenv("PATH") ? getenv("PATH") : ""), *rest = path, *folder;
	char file[4096];
	bool found = false;

	while (rest && !found && (folder = strsep(&rest, ":"))) {
		snprintf(file, sizeof(file), "%s/%s", folder, name);
		found = !access(file, X_OK);
	}
	free(path);
	return found;
}

static void look_program(const struct check *check, struct finding *found)
{
	if (is_in_path(check->name))
		tell(found, YES, "%s", check->command);
	else
		tell(found, NO, "not installed: apt-get install %s", check->argument);
}

static void look_hardware(const struct check *check, struct finding *found)
{
	(void)check;
	if (access("/sys/bus/event_source/devices/intel_pt", F_OK))
		tell(found, NOTE, "not there: softpt is for that (softpt load --as-intel-pt gives perf one)");
	else
		tell(found, NOTE, "there: perf record -e intel_pt//u -- PROGRAM, then softpt report perf.data");
}

/* ---- what softpt was built with ---- */

static const struct library {
	const char *package;
	const char *what;
	bool there;
} libraries[] = {
#ifdef HAVE_ZYDIS
	{ "libzydis-dev", "instructions as text", true },
#else
	{ "libzydis-dev", "instructions as text", false },
#endif
#ifdef HAVE_LIBIBERTY
	{ "libiberty-dev", "names of C++ and Rust", true },
#else
	{ "libiberty-dev", "names of C++ and Rust", false },
#endif
#ifdef HAVE_LIBIPT
	{ "libipt-dev", "traces of processors", true },
#else
	{ "libipt-dev", "traces of processors", false },
#endif
#ifdef HAVE_ZSTD
	{ "libzstd-dev", "record -z", true },
#else
	{ "libzstd-dev", "record -z", false },
#endif
#ifdef HAVE_SQLITE
	{ "libsqlite3-dev", "export --to sqlite", true },
#else
	{ "libsqlite3-dev", "export --to sqlite", false },
#endif
};

static void look_libraries(const struct check *check, struct finding *found)
{
	char packages[128] = "", whats[256] = "";
	size_t i;

	(void)check;
	for (i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		if (libraries[i].there)
			continue;
		snprintf(packages + strlen(packages), sizeof(packages) - strlen(packages), " %s",
			 libraries[i].package);
		snprintf(whats + strlen(whats), sizeof(whats) - strlen(whats), "%s%s",
			 *whats ? ", " : "", libraries[i].what);
	}
	if (*packages)
		tell(found, NO, "built without %s: apt-get install%s, and build it anew", whats,
		     packages);
	else
		tell(found, YES, "all that softpt can use");
}

/* ---- all ---- */

static const struct check checks[] = {
	{ "kernel", "the system", look_kernel, NULL, NULL, false },
	{ "translate", "programs at a few times their own duration", look_record,
	  "--how=translate", "softpt record -- PROGRAM", true },
	{ "module", "a time for each instruction, processes that run", look_record,
	  "--how=module", "softpt record --how=module -- PROGRAM", true },
	{ "ptrace", "programs, without root and the module, slowly", look_ptrace, NULL,
	  "softpt record --how=ptrace -- PROGRAM", true },
	{ "modules", "whether the kernel takes the module", look_signing, NULL, NULL, false },
	{ "FRED", "another way of entering the kernel", look_fred, NULL, NULL, false },
	{ "perf events", "names of mapped files and threads, from the kernel", look_perf_events,
	  NULL, NULL, false },
	{ "Intel PT", "of the processor", look_hardware, NULL, NULL, false },
	{ "perf", "reads recordings", look_program, "linux-perf", "perf script -i softpt.data",
	  false },
	{ "libraries", "that softpt was built with", look_libraries, NULL, NULL, false },
};

#define NR_CHECKS	(sizeof(checks) / sizeof(checks[0]))

static const char *word_of(enum verdict verdict)
{
	return verdict == YES ? "yes" : verdict == NO ? "no" : "-";
}

static void print_text(const struct check *check, const struct finding *found)
{
	printf("%-12s %s%-4s%s ", check->name,
	       colour(stdout, found->verdict == NO ? COLOUR_WARN : COLOUR_FLOW),
	       word_of(found->verdict), colour(stdout, COLOUR_PLAIN));
	print_plain(stdout, found->note, SIZE_MAX);
	putchar('\n');
	fflush(stdout);		/* the next check may take its time */
}

static void print_json(const struct check *check, const struct finding *found)
{
	printf("{\"check\":\"%s\",\"what\":\"%s\",\"works\":%s,\"note\":", check->name, check->what,
	       found->verdict == NOTE ? "null" : found->verdict == YES ? "true" : "false");
	print_json_string(stdout, found->note);
	puts("}");
}

static int examine(bool json)
{
	bool records = false;
	size_t i;

	for (i = 0; i < NR_CHECKS; i++) {
		struct finding found = { 0 };

		checks[i].look(&checks[i], &found);
		records |= checks[i].records && found.verdict == YES;
		(json ? print_json : print_text)(&checks[i], &found);
	}
	return records ? 0 : refuse("doctor", "no way to record works here");
}

static int run(const struct command *cmd, int argc, char **argv)
{
	bool json = false;
	int id;

	while ((id = option_next(cmd, argc, argv)) != -1) {
		if (id != 'f')
			return EXIT_USAGE;
		json = !strcmp(optarg, "json");
		if (!json && strcmp(optarg, "text"))
			return misuse(cmd, "--format %s: text or json", optarg);
	}
	if (optind < argc)
		return misuse(cmd, "%s: it takes no operand", argv[optind]);
	return examine(json);
}

const struct command command_doctor = {
	.name = "doctor",
	.args = "",
	.what = "tell what works on this machine, and what to do about what does not",
	.more = "Ways to record are tried, with the program true. The exit status is 0 where one works.\n"
		"What softpt itself can do is told by softpt info, where the module is loaded.",
	.options = options,
	.run = run,
};
