// SPDX-License-Identifier: BSD-2-Clause
/*
 * Every allocation and copy that a call makes fails once: the call says so, nothing
 * leaks, and the same call works the next time. Needs CONFIG_FAULT_INJECTION.
 */
#include "../kit/kit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int fail_nth = -1;

/* Everything may fail, also what the kernel would rather wait for. */
static void set_knob(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		kit_note("%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
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

struct world {
	int dev, session, unit;
	pid_t process;
	struct softpt_event *ev;
};

static long open_session(struct world *w)
{
	struct softpt_session_args args = { .size = sizeof(args) };

	return kit_ioctl(w->dev, SOFTPT_CREATE_SESSION, &args);
}

static long make_session(struct world *w)
{
	long fd = open_session(w);

	if (fd >= 0)
		close(fd);
	return fd;
}

static long make_unit(struct world *w)
{
	long fd = kit_unit(w->session, 1);

	if (fd >= 0)
		close(fd);
	return fd;
}

static long map_unit(struct world *w)
{
	void *p = mmap(NULL, 4 * 4096, PROT_READ, MAP_SHARED, w->unit, 0);

	if (p == MAP_FAILED)
		return -errno;
	munmap(p, 4 * 4096);
	return 0;
}

static long set_config(struct world *w)
{
	struct softpt_config config = kit_config();

	config.ring = 4096;
	return kit_configure(w->session, &config);
}

/* The failure may also hit this call's own copies. */
static void disable(struct world *w, long enabled)
{
	while (!enabled && kit_disable(w->session) == -EFAULT)
		;
}

static long enable(struct world *w)
{
	struct softpt_enable args = { .size = sizeof(args) };
	long ret = kit_ioctl(w->session, SOFTPT_ENABLE, &args);

	disable(w, ret);
	return ret;
}

static long synth(struct world *w)
{
	struct softpt_synth args = { .events = 5, .mean_gap = 10, .burst = 1 };
	long ret = kit_source(w->session, SOFTPT_SOURCE_SYNTH, &args);

	return ret ? ret : enable(w);
}

static long write_events(struct world *w)
{
	long ret = kit_source(w->session, SOFTPT_SOURCE_REPLAY, NULL);

	if (!ret)
		ret = kit_enable(w->session);
	if (!ret)
		ret = kit_write(w->unit, w->ev, 5 * sizeof(*w->ev));
	disable(w, 0);
	/* The unit's time goes on; a write that was refused left it alone. */
	return ret == -EINVAL ? 0 : ret;
}

/* To a process that waits: with all that comes before, and what closing brings */
static long attach(struct world *w)
{
	struct softpt_attach args = { .size = sizeof(args), .pid = w->process };
	struct softpt_config config = kit_config();
	long session = open_session(w), unit = -1, ret = session;

	config.flags &= ~SOFTPT_F_OS;
	config.ring = 4096;
	if (session >= 0)
		ret = kit_configure(session, &config);
	if (!ret)
		ret = kit_source(session, SOFTPT_SOURCE_STEP, NULL);
	if (!ret)
		unit = kit_unit(session, 0);
	if (!ret)
		ret = unit < 0 ? unit : kit_enable(session);
	if (!ret)
		ret = kit_ioctl(session, SOFTPT_ATTACH, &args);
	if (unit >= 0)
		close(unit);
	if (session >= 0)
		close(session);
	return ret;
}

static const struct row {
	const char *name;
	long (*call)(struct world *w);
} rows[] = {
	{ "SOFTPT_CREATE_SESSION", make_session },
	{ "SOFTPT_CREATE_UNIT", make_unit },
	{ "SOFTPT_SET_CONFIG", set_config },
	{ "mmap", map_unit },
	{ "SOFTPT_ENABLE", enable },
	{ "SOFTPT_ENABLE with synth", synth },
	{ "write", write_events },
	{ "SOFTPT_ATTACH", attach },
};

static void walk(struct world *w, const struct row *row)
{
	int n, failures = 0, odd = 0;
	long ret;

	for (n = 1; n < 500; n++) {
		arm(n);
		ret = row->call(w);
		if (disarm())
			break;
		failures += ret < 0;
		odd += ret < 0 && ret != -ENOMEM && ret != -EFAULT && ret != -EBUSY;
	}
	kit_ok(n < 500 && !odd, "%s: %d injected failures, %d of them seen", row->name, n - 1,
	       failures);
	kit_is(row->call(w), 0, "%s: works afterwards", row->name);
}

int main(void)
{
	struct softpt_config config = kit_config();
	struct world w;
	size_t i;

	fail_nth = open("/proc/thread-self/fail-nth", O_RDWR);
	if (fail_nth < 0) {
		kit_ok(true, "fault injection # SKIP this kernel has none");
		return kit_done();
	}
	set_knob("/sys/kernel/debug/failslab/ignore-gfp-wait", "N");
	set_knob("/sys/kernel/debug/fail_page_alloc/ignore-gfp-wait", "N");
	set_knob("/sys/kernel/debug/fail_page_alloc/min-order", "0");
	w.dev = kit_open();
	w.session = kit_session(w.dev);
	config.ring = 4096;
	kit_configure(w.session, &config);
	w.unit = kit_unit(w.session, 0);
	w.ev = kit_events(61, 5);
	w.process = fork();
	while (!w.process)
		pause();
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		walk(&w, &rows[i]);
	kill(w.process, SIGKILL);
	waitpid(w.process, NULL, 0);
	close(w.unit);
	close(w.session);
	close(w.dev);
	return kit_done();
}
