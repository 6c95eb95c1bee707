// SPDX-License-Identifier: BSD-2-Clause
/*
 * Every allocation and copy that a call makes fails once: the call says so, nothing leaks,
 * the device works on, and the same call works the next time. Needs CONFIG_FAULT_INJECTION.
 *
 * Usage: device-faults [ROW N]: all, or the Nth failure of one row
 */
#include "faults.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST	1000		/* failures of one row */

static int fail_nth = -1;

static void set_knob(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		kit_note("%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
}

/* Everything may fail, also what the kernel would rather wait for. */
static void set_knobs(void)
{
	set_knob("/sys/kernel/debug/failslab/ignore-gfp-wait", "N");
	set_knob("/sys/kernel/debug/fail_page_alloc/ignore-gfp-wait", "N");
	set_knob("/sys/kernel/debug/fail_page_alloc/min-order", "0");
}

static void arm(int n)
{
	char text[16];

	if (pwrite(fail_nth, text, snprintf(text, sizeof(text), "%d", n), 0) < 0)
		kit_bail("fail-nth: %s", strerror(errno));
}

/*
 * Whether the failure is still to come. These calls copy, too, and may be what fails:
 * then it was, and it is spent now.
 */
static bool disarm(void)
{
	char text[16] = "";
	bool unspent = pread(fail_nth, text, sizeof(text) - 1, 0) < 0 || atoi(text);

	if (pwrite(fail_nth, "0", 1, 0) < 0)
		unspent = true;
	return unspent;
}

/* A replay gives the bytes that the engine gives here. */
static bool works(struct faults_world *w, const uint8_t *want, size_t length)
{
	const struct softpt_config config = faults_config();
	static uint8_t got[4096];
	struct faults_session s;
	bool same = false;

	if (!faults_begin(w, &config, SOFTPT_SOURCE_REPLAY, &s) && !kit_enable(s.session))
		same = kit_write(s.unit, w->ev, FAULTS_EVENTS * sizeof(*w->ev)) > 0 &&
		       !kit_ioctl(s.unit, SOFTPT_FINISH, NULL) &&
		       kit_read(s.unit, got, sizeof(got)) == (ssize_t)length &&
		       !memcmp(got, want, length);
	faults_end(&s, 0);
	return same;
}

static bool is_told(long ret)
{
	return ret >= 0 || ret == -ENOMEM || ret == -EFAULT || ret == -EBUSY;
}

/* Return: what the row did */
static long fail(struct faults_world *w, const struct faults_row *row, int n, bool *unspent)
{
	long ret;

	arm(n);
	ret = row->call(w);
	*unspent = disarm();
	return ret;
}

/* What is cached is not allocated: the same calls have a failure more or fewer each time. */
static int walk(struct faults_world *w, const struct faults_row *row, const uint8_t *want,
		size_t length)
{
	int n, whole = 0, failures = 0, odd = 0, broken = 0;
	bool unspent;
	long ret;

	for (n = 1; n < MOST && whole < 3; n++) {
		ret = fail(w, row, n, &unspent);
		whole = unspent ? whole + 1 : 0;
		failures += ret < 0;
		if ((!is_told(ret) || (ret < 0 && whole)) && !odd++)
			kit_note("%s: %s", row->name, strerror(-ret));
		broken += !works(w, want, length);
	}
	n -= whole;
	kit_ok(n > 1 && n < MOST && failures && !odd, "%s: %d injected failures, %d of them seen",
	       row->name, n - 1, failures);
	kit_ok(!broken, "%s: a replay gave its bytes after each", row->name);
	kit_is(row->call(w), 0, "%s: works afterwards", row->name);
	return n - 1;
}

static void walk_all(struct faults_world *w)
{
	static const struct faults_row *const tables[] = { faults_calls, faults_sources };
	const struct softpt_config config = faults_config();
	struct softpt_counts counts;
	uint8_t *want = kit_expect(&config, w->ev, FAULTS_EVENTS, &counts);
	const struct faults_row *row;
	int i, total = 0;

	for (i = 0; i < 2; i++)
		for (row = tables[i]; row->name; row++)
			total += walk(w, row, want, counts.bytes);
	kit_note("%d injected failures in all", total);
	free(want);
}

static void fail_one(struct faults_world *w, const char *name, int n)
{
	const struct faults_row *row = faults_sources;
	bool unspent;
	long ret;

	while (row->name && strcmp(row->name, name))
		row++;
	if (!row->name)
		kit_bail("no row is called %s", name);
	ret = fail(w, row, n, &unspent);
	kit_ok(is_told(ret) && (ret >= 0 || !unspent), "%s: failure %d", name, n);
}

int main(int argc, char **argv)
{
	const struct softpt_config config = faults_config();
	struct faults_world w;

	fail_nth = open("/proc/thread-self/fail-nth", O_RDWR);
	if (fail_nth < 0) {
		kit_ok(true, "fault injection # SKIP this kernel has none");
		return kit_done();
	}
	set_knobs();
	faults_find_pmu();
	w.dev = kit_open();
	w.session = kit_session(w.dev);
	kit_configure(w.session, &config);
	w.unit = kit_unit(w.session, 0);
	w.ev = kit_events(61, FAULTS_EVENTS);
	w.process = fork();
	while (!w.process)
		pause();
	if (argc == 3)
		fail_one(&w, argv[1], atoi(argv[2]));
	else
		walk_all(&w);
	kill(w.process, SIGKILL);
	waitpid(w.process, NULL, 0);
	free(w.ev);
	close(w.unit);
	close(w.session);
	close(w.dev);
	return kit_done();
}
