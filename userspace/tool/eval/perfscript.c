// SPDX-License-Identifier: BSD-2-Clause
/*
 * perf, run and read. It needs the program's code to follow TNT bits; with --itrace=q
 * it goes without, and tells all but them.
 */
#include "perfscript.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define DATA_FD	3	/* perf's, of the file */

struct reader {
	struct perf_samples *told;
	bool branch;
	bool psb;		/* the line before was of one: what follows is where it was */
};

static int add(struct perf_samples *s, const struct perf_sample *sample)
{
	if (s->n == s->alloc) {
		size_t alloc = s->alloc ? s->alloc * 2 : 1024;
		struct perf_sample *v = reallocarray(s->v, alloc, sizeof(*v));

		if (!v)
			return -ENOMEM;
		s->v = v;
		s->alloc = alloc;
	}
	s->v[s->n++] = *sample;
	return 0;
}

/* Return: enum perf_told, or -1: what is of no use */
static int kind_of(struct reader *t, const char *event, const char *flags)
{
	static const char *const power[] = { "mwait", "pwre", "exstop", "pwrx" };
	bool psb = t->psb, end = strstr(flags, "tr end");
	size_t i;

	t->psb = (!strcmp(event, "psb") && t->branch) || (psb && !strcmp(event, "cbr"));
	if (!strcmp(event, "instructions"))
		return end || psb || strstr(flags, "hw int") ? -1 : PERF_TO;
	if (!strcmp(event, "branches"))
		return end ? PERF_END : -1;
	if (!strcmp(event, "ptwrite"))
		return PERF_PTWRITE;
	for (i = 0; i < sizeof(power) / sizeof(power[0]); i++)
		if (!strcmp(event, power[i]))
			return PERF_POWER;
	return -1;
}

/* "SECONDS.NANOSECONDS: EVENT: FLAGS IP"; in a file of ours a nanosecond is a tick */
static int one_line(struct reader *t, const char *line)
{
	const char *ip = strrchr(line, ' ');
	struct perf_sample sample;
	uint64_t s, ns;
	char event[20];
	int kind;

	if (!ip || sscanf(line, "%" SCNu64 ".%9" SCNu64 ": %19[a-z]", &s, &ns, event) != 3)
		return 0;
	sample.time = s * 1000000000 + ns;
	sample.ip = strtoull(ip, NULL, 16);
	kind = kind_of(t, event, line);
	return kind < 0 ? 0 : add(&t->told[kind], &sample);
}

static int read_lines(struct reader *t, int fd)
{
	FILE *from = fdopen(fd, "r");
	char *line = NULL;
	size_t alloc = 0;
	int err = 0;

	if (!from) {
		err = -errno;
		close(fd);
		return err;
	}
	while (!err && getline(&line, &alloc, from) > 0)
		err = one_line(t, line);
	free(line);
	fclose(from);
	return err;
}

/* ---- perf ---- */

/* Return: 0 or -errno; @out: what it prints. The worker beside this one may fork, too. */
static int start(pid_t *pid, int data, int *out)
{
	static char *const argv[] = {
		"perf", "script", "--itrace=qi0nsbewp", "--ns", "-F", "time,event,flags,ip",
		"-i", "/dev/fd/3", NULL
	};
	posix_spawn_file_actions_t actions;
	int pipe[2], err;

	if (pipe2(pipe, O_CLOEXEC))
		return -errno;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, pipe[1], 1);
	posix_spawn_file_actions_adddup2(&actions, data, DATA_FD);
	err = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(pipe[1]);
	if (err)
		close(pipe[0]);
	*out = pipe[0];
	return -err;
}

int perf_script(int data, bool branch, struct perf_samples told[PERF_TOLD])
{
	struct reader t = { told, .branch = branch };
	int status, out = -1, err, waited;
	pid_t pid;

	err = start(&pid, data, &out);
	if (err)
		return err;
	err = read_lines(&t, out);
	do {
		waited = waitpid(pid, &status, 0);
	} while (waited < 0 && errno == EINTR);
	if (err)
		return err;
	return waited == pid && !status ? 0 : -ECHILD;
}
