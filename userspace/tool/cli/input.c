// SPDX-License-Identifier: BSD-2-Clause
/* A trace that a subcommand reads */
#include "input.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "tool.h"

/* Memory that is a file ends where that ends. */
static void shrunk(int number)
{
	static const char why[] = "softpt: an input became shorter while it was read\n";
	ssize_t n = write(STDERR_FILENO, why, sizeof(why) - 1);

	(void)number;
	(void)n;
	_exit(EXIT_REFUSED);
}

int open_input(struct input *in, const char *path)
{
	struct error e;

	signal(SIGBUS, shrunk);
	if (input_open(in, path, &e))
		return refuse_error(path, &e);
	/* What a unit writes that was never enabled, or a file that something went wrong with */
	if (!in->size)
		fprintf(stderr, "softpt: note: %s: an empty file: nothing was traced\n", in->path);
	return 0;
}

int refuse_no_trace(const char *path, int cpu)
{
	if (cpu >= 0)
		return refuse(path, "no trace of CPU %d", cpu);
	return refuse(path, "it has no trace: nothing was recorded");
}

int find_te(struct trigger_event *te, const struct input *in, const struct softpt_config *cfg)
{
	int err = relative_find(te, in, cfg);

	if (!err)
		return 0;
	return refuse(in->path, err == -ENOMEM ? "out of memory" :
		      "--relative: no TRIG packet marks a trigger event");
}
