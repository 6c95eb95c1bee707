// SPDX-License-Identifier: BSD-2-Clause
/* softpt completion: a shell's script from the tables, so that it is never behind them */
#include <getopt.h>
#include <string.h>

#include "cli/tool.h"
#include "completion/shells.h"

static int run(const struct command *cmd, int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*print)(void);
	} shells[] = {
		{ "bash", completion_bash }, { "zsh", completion_zsh }, { "fish", completion_fish },
	};
	size_t i;

	if (option_next(cmd, argc, argv) != -1)
		return EXIT_USAGE;
	for (i = 0; argc - optind == 1 && i < sizeof(shells) / sizeof(shells[0]); i++)
		if (!strcmp(argv[optind], shells[i].name)) {
			shells[i].print();
			return 0;
		}
	return misuse(cmd, "name the shell: bash, zsh or fish");
}

const struct command command_completion = {
	.name = "completion",
	.args = "bash|zsh|fish",
	.what = "print a completion script: source <(softpt completion bash)",
	.more = "zsh: softpt completion zsh > DIR/_softpt, DIR being in $fpath; fish: softpt completion fish | source",
	.run = run,
};
