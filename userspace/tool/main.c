// SPDX-License-Identifier: BSD-2-Clause
/* softpt: one subcommand per file, one row per subcommand */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <softpt/softpt.h>
#include "cli/tool.h"

static const struct command *const commands[] = {
#define X(name) &command_##name,
	COMMANDS(X)
#undef X
	NULL
};

/*
 * A standard descriptor that is closed must not become a file's; what uses it fails as before, and
 * a program that is executed finds it closed.
 */
static void reserve_standard(void)
{
	int fd;

	for (fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", O_CLOEXEC | (fd == STDOUT_FILENO ? O_RDONLY : O_WRONLY)) < 0)
			return;
}

static void survive(int sig)
{
	(void)sig;
}

/* A file that may not grow is an error of a write; a program that is executed dies of it. */
static void survive_limits(void)
{
	if (signal(SIGXFSZ, survive) == SIG_IGN)
		signal(SIGXFSZ, SIG_IGN);
}

int main(int argc, char **argv)
{
	const struct command *cmd;

	reserve_standard();
	survive_limits();
	tool_set_commands(commands);
	if (argc < 2) {
		command_help.run(&command_help, 1, argv);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--version")) {
		printf("softpt %s\n", softpt_version());
		return close_stdout(0);
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return close_stdout(command_help.run(&command_help, argc - 1, argv + 1));
	cmd = tool_find(argv[1]);
	if (!cmd) {
		fprintf(stderr, "softpt: %s: no such command (softpt --help lists them)\n",
			argv[1]);
		return EXIT_USAGE;
	}
	return close_stdout(cmd->run(cmd, argc - 1, argv + 1));
}
