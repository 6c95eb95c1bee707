// SPDX-License-Identifier: BSD-2-Clause
#include "translated.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "../cli/tool.h"

/* The shared file is large and sparse, and a limit of files' sizes is one of its, too. */
static const char *limit_refusal(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur >= SOFTPT_XL_SIZE)
		return NULL;
	return "the shared memory is larger than a file may be (ulimit -f)";
}

const char *translated_refusal(const char *name)
{
	const char *why = limit_refusal();
	char path[PATH_MAX];

	if (!why && !xl_find(name, path, sizeof(path)))
		why = xl_refusal(path);
	if (!why && !xl_runtime(path, sizeof(path)))
		why = "softpt-translate is neither beside softpt nor installed";
	return why;
}

static int not_found(const char *name, int err)
{
	refuse(name, "%s", err == -ENOENT ? "command not found" : strerror(-err));
	return err == -ENOENT ? 127 : 126;
}

const char *translated_attach_refusal(void)
{
	const char *why = limit_refusal();
	char path[PATH_MAX];

	if (!why && !xl_runtime(path, sizeof(path)))
		why = "softpt-translate is neither beside softpt nor installed";
	return why;
}

/* Return: as translated_check(); @file: where the command is */
static int check_file(const char *name, char *file, size_t size)
{
	int err = xl_find(name, file, size);
	const char *why;

	if (err)
		return not_found(name, err);
	why = limit_refusal();
	if (!why)
		why = xl_refusal(file);
	return why ? refuse(file, "%s: it can't be translated (--how=ptrace)", why) : 0;
}

int translated_check(const char *name)
{
	char file[PATH_MAX];

	return check_file(name, file, sizeof(file));
}

int translated_start(struct target *t, struct xl_share *share, char **argv, int cpu)
{
	char runtime[PATH_MAX], env[PATH_MAX + 64], file[PATH_MAX];
	int err = check_file(argv[0], file, sizeof(file));

	if (err)
		return err;
	if (!xl_runtime(runtime, sizeof(runtime)))
		return refuse("record", "softpt-translate is neither beside softpt nor installed");
	err = xl_share_open(share);
	if (err)
		return refuse("record", "shared memory: %s", softpt_strerror(err));
	snprintf(env, sizeof(env), SOFTPT_XL_ENV "=%d:%s", share->fd, file);
	t->runtime = runtime;
	t->env = env;
	t->keep = share->fd;
	err = target_signals(t);
	if (!err)
		err = target_start(t, argv, -1, cpu);	/* a fork: it has these texts, too */
	t->runtime = NULL;
	t->env = NULL;
	return err;
}
