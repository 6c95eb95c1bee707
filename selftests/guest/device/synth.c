// SPDX-License-Identifier: BSD-2-Clause
/*
 * The synth source depends on nothing but its arguments: every CPU's bytes are those
 * that the same program gives in this process, however full the ring was.
 */
#include "selftests/kit/kit.h"

#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kmod/source/synth.h"

static uint8_t *foretell(const struct softpt_config *config, const struct softpt_synth *args,
			 unsigned int cpu, struct softpt_counts *counts)
{
	struct softpt_event *ev = calloc(args->events + 2, sizeof(*ev));
	struct softpt_synth_state state;
	size_t n = 0;
	uint8_t *bytes;

	if (!ev)
		kit_bail("memory for %llu events", (unsigned long long)args->events);
	softpt_synth_init(&state, args, config, cpu, 0);
	while (softpt_synth_next(&state, &ev[n]))
		n++;
	if (n != args->events + 2)
		kit_bail("the generator gives %zu events", n);
	bytes = kit_expect(config, ev, n, counts);
	free(ev);
	return bytes;
}

static void judge(const char *name, int unit, unsigned int cpu, const struct softpt_config *config,
		  const struct softpt_synth *args)
{
	struct softpt_counts counts;
	uint8_t *want = foretell(config, args, cpu, &counts);
	uint8_t *got = malloc(counts.bytes + 1);
	size_t length = 0;
	ssize_t n;

	while (got && length <= counts.bytes &&
	       (n = kit_read(unit, got + length, counts.bytes + 1 - length)) > 0)
		length += n;
	kit_ok(got && length == counts.bytes && !memcmp(got, want, length) && length > 1000,
	       "%s: CPU %u: %llu events give the %llu bytes foretold", name, cpu,
	       (unsigned long long)args->events, (unsigned long long)counts.bytes);
	kit_ok(kit_status(unit).flags == SOFTPT_ST_DONE, "%s: CPU %u: the source is done", name,
	       cpu);
	free(want);
	free(got);
}

static void run(const char *name, const struct softpt_config *config,
		const struct softpt_synth *args)
{
	unsigned int i, cpus = kit_cpus();
	int dev = kit_open(), session = kit_session(dev);
	int *units = calloc(cpus, sizeof(*units));

	kit_is(kit_configure(session, config), 0, "%s: configured", name);
	kit_is(kit_source(session, SOFTPT_SOURCE_SYNTH, args), 0, "%s: source set", name);
	for (i = 0; i < cpus; i++)
		units[i] = kit_unit(session, i);
	kit_is(kit_enable(session), 0, "%s: enabled", name);
	for (i = 0; i < cpus; i++)
		judge(name, units[i], i, config, args);
	kit_is(kit_disable(session), 0, "%s: disabled", name);
	for (i = 0; i < cpus; i++)
		close(units[i]);
	free(units);
	close(session);
	close(dev);
}

/* Another source begins afresh, whatever time it was for the one before. */
static void after_replay(const struct softpt_synth *args)
{
	struct softpt_event ev = { .kind = SOFTPT_EV_ENABLE, .tsc = 1ull << 50 };
	struct softpt_config config = kit_config();
	int dev = kit_open(), session = kit_session(dev), unit;
	char bytes[4096];

	kit_configure(session, &config);
	unit = kit_unit(session, 0);
	kit_enable(session);
	kit_is(kit_write(unit, &ev, sizeof(ev)), 0, "an event in the far future");
	kit_disable(session);
	while (kit_read(unit, bytes, sizeof(bytes)) > 0)
		;
	kit_source(session, SOFTPT_SOURCE_SYNTH, args);
	kit_enable(session);
	judge("after replay", unit, 0, &config, args);
	close(unit);
	close(session);
	close(dev);
}

/* Disabled in full flight, closed in full flight: no thread stays behind. */
static void cut_short(void)
{
	struct softpt_synth args = { .events = 1ull << 40, .mean_gap = 100, .burst = 1 };
	struct softpt_config config = kit_config();
	int dev = kit_open(), session = kit_session(dev), unit;
	struct softpt_status status;

	config.ring = 4096;
	kit_configure(session, &config);
	kit_source(session, SOFTPT_SOURCE_SYNTH, &args);
	unit = kit_unit(session, 0);
	kit_is(kit_enable(session), 0, "an endless program is enabled");
	while (!kit_status(unit).head)
		usleep(1000);
	kit_is(kit_disable(session), 0, "and disabled while the ring is full or fills");
	status = kit_status(unit);
	kit_ok(status.flags & SOFTPT_ST_DONE, "its unit has ended");
	kit_is(kit_enable(session), 0, "it is enabled again");
	close(unit);
	kit_ok(!close(session), "and closed in full flight");
	close(dev);
}

static const struct softpt_synth endless = { .events = 1ull << 40, .mean_gap = 100, .burst = 1 };

/* A session of its own with an endless program, ready to be enabled; @unit: of CPU 0 */
static int ready(int dev, int *unit)
{
	struct softpt_config config = kit_config();
	int session = kit_session(dev);

	config.ring = 4096;
	if (kit_configure(session, &config) ||
	    kit_source(session, SOFTPT_SOURCE_SYNTH, &endless))
		kit_bail("configure an endless program");
	*unit = kit_unit(session, 0);
	return session;
}

/* Threads of the kernel that run such programs */
static unsigned int threads(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	unsigned int n = 0;

	while (proc && (entry = readdir(proc))) {
		char path[300], name[64] = "";
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		f = fopen(path, "r");
		n += f && fgets(name, sizeof(name), f) && !strncmp(name, "softpt-synth", 12);
		if (f)
			fclose(f);
	}
	closedir(proc);
	return n;
}

#define MANY	100

/* However many there are, a thread a CPU runs them, and each gets its turn. */
static void many(void)
{
	int dev = kit_open(), session[MANY], unit[MANY], i, begun = 0, enabled = 0;
	char bytes[4096];
	unsigned int n;

	for (i = 0; i < MANY; i++) {
		session[i] = ready(dev, &unit[i]);
		enabled += !kit_enable(session[i]);
	}
	n = threads();
	kit_ok(enabled == MANY && n && n <= kit_cpus(), "%d programs, %u threads", enabled, n);
	for (i = 0; i < MANY; i++)
		begun += kit_read(unit[i], bytes, sizeof(bytes)) > 0 &&
			 kit_read(unit[i], bytes, sizeof(bytes)) > 0;
	kit_ok(begun == MANY, "%d of them run, and go on when they are read", begun);
	for (i = 0; i < MANY; i++) {
		close(unit[i]);
		close(session[i]);
	}
	n = threads();
	kit_ok(n <= kit_cpus(), "all are closed in full flight");
	close(dev);
}

static void set_limit(unsigned int n)
{
	FILE *f = fopen("/sys/module/softpt/parameters/synth_units", "w");

	if (!f || fprintf(f, "%u", n) < 0 || fclose(f))
		kit_bail("synth_units cannot be set");
}

/* As a user: what the fifth says, and what it says once one of the others has ended */
static int beyond(int dev)
{
	int session[5], unit, i;
	long err;

	if (setgroups(0, NULL) || setgid(65534) || setuid(65534))
		return 1;
	for (i = 0; i < 5; i++)
		session[i] = ready(dev, &unit);
	for (i = 0; i < 4; i++)
		if (kit_enable(session[i]))
			return 2;
	err = kit_enable(session[4]);
	if (err != -EAGAIN)
		return 3;
	return kit_disable(session[0]) || kit_enable(session[4]) ? 4 : 9;
}

static void bounded(void)
{
	int dev = kit_open(), status = 0, session, unit;
	pid_t pid;

	set_limit(4);
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(beyond(dev));
	waitpid(pid, &status, 0);
	kit_ok(WIFEXITED(status) && WEXITSTATUS(status) == 9,
	       "a user has synth_units of them and no more (%#x)", status);
	set_limit(0);
	session = ready(dev, &unit);
	kit_is(kit_enable(session), 0, "CAP_SYS_RESOURCE knows no bound");
	set_limit(256);
	close(unit);
	close(session);
	close(dev);
}

int main(int argc, char **argv)
{
	struct softpt_synth args = {
		.seed = 1, .events = argc > 1 ? strtoull(argv[1], NULL, 0) : 100000,
		.mean_gap = 200, .burst = 1,
	};
	struct softpt_config config = kit_config();

	run("steady", &config, &args);
	config.ring = 4096;
	config.flags |= SOFTPT_F_CYC | SOFTPT_F_PWR;
	config.suppress = 2;
	after_replay(&args);
	args.burst = 50;
	args.sleep_permille = 5;
	args.clock_permille = 10;
	args.seed = 2;
	args.events /= 4;
	run("bursts, sleeps, clock changes, smallest ring", &config, &args);
	cut_short();
	many();
	bounded();
	return kit_done();
}
