// SPDX-License-Identifier: BSD-2-Clause
/* The sources that make threads, probe the kernel or step tasks; and perf's way to them */
#include "faults.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE	4096ul

static long synth(struct faults_world *w)
{
	struct softpt_synth args = { .events = 5, .mean_gap = 10, .burst = 1 };
	const struct softpt_config config = faults_config();
	struct faults_session s;
	long ret = faults_begin(w, &config, SOFTPT_SOURCE_REPLAY, &s);

	if (!ret)
		ret = kit_source(s.session, SOFTPT_SOURCE_SYNTH, &args);
	if (!ret)
		ret = kit_enable(s.session);
	return faults_end(&s, ret);
}

static long kernel(struct faults_world *w)
{
	const struct softpt_config config = faults_config();
	struct faults_session s;
	long ret = faults_begin(w, &config, SOFTPT_SOURCE_KERNEL, &s);

	if (!ret)
		ret = kit_enable(s.session);
	return faults_end(&s, ret);
}

static long begin_step(struct faults_world *w, struct faults_session *s)
{
	struct softpt_config config = faults_config();
	long ret;

	config.flags &= ~SOFTPT_F_OS;
	ret = faults_begin(w, &config, SOFTPT_SOURCE_STEP, s);
	return ret ? ret : kit_enable(s->session);
}

static long attach_to(int session, pid_t pid)
{
	const struct softpt_attach args = {
		.size = sizeof(args), .flags = SOFTPT_ATTACH_PROCESS, .pid = pid,
	};

	return kit_ioctl(session, SOFTPT_ATTACH, &args);
}

/* To a process that waits */
static long attach(struct faults_world *w)
{
	struct softpt_threads threads = { .size = sizeof(threads) };
	struct faults_session s;
	long ret = begin_step(w, &s);

	if (!ret)
		ret = attach_to(s.session, w->process);
	if (!ret)
		ret = kit_ioctl(s.session, SOFTPT_GET_THREADS, &threads);
	return faults_end(&s, ret);
}

static long arm_exec(struct faults_world *w)
{
	struct faults_session s;
	long ret = begin_step(w, &s);

	if (!ret)
		ret = kit_ioctl(s.session, SOFTPT_ARM_EXEC, NULL);
	return faults_end(&s, ret);
}

static sigjmp_buf refused;

static void on_signal(int sig)
{
	siglongjmp(refused, sig);
}

/* A page that nobody has touched is read from where that may wait, and may fail. */
static long write_traced(const uint64_t *page)
{
	int sig = sigsetjmp(refused, 1);

	if (sig)
		return sig == SIGILL ? -EILSEQ : -EFAULT;
	asm volatile("ptwriteq %0" : : "m"(*page));
	return 0;
}

static long ptwrite(struct faults_world *w)
{
	void *page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct faults_session s;
	long ret;

	if (page == MAP_FAILED)
		return -errno;
	signal(SIGSEGV, on_signal);
	signal(SIGBUS, on_signal);
	signal(SIGILL, on_signal);
	ret = begin_step(w, &s);
	if (!ret)
		ret = attach_to(s.session, getpid());
	if (!ret)
		ret = write_traced(page);
	faults_end(&s, ret);
	faults_unmap(page, PAGE);
	return ret;
}

static unsigned int pmu_type;

void faults_find_pmu(void)
{
	FILE *f = fopen("/sys/bus/event_source/devices/softpt_pt/type", "r");

	if (!f || fscanf(f, "%u", &pmu_type) != 1)
		kit_bail("no PMU softpt_pt");
	fclose(f);
}

static long map_aux(int fd, struct perf_event_mmap_page *page)
{
	void *aux;

	page->aux_offset = 2 * PAGE;
	page->aux_size = PAGE;
	aux = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 2 * PAGE);
	if (aux == MAP_FAILED)
		return -errno;
	faults_unmap(aux, PAGE);
	return 0;
}

static long map_event(int fd)
{
	void *page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	long ret;

	if (page == MAP_FAILED)
		return -errno;
	ret = map_aux(fd, page);
	faults_unmap(page, 2 * PAGE);
	return ret;
}

static long open_event(struct faults_world *w)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .config = 1 << 0 | 1 << 10 | 1 << 13, .sample_period = 1,
		.exclude_kernel = 1, .disabled = 1,
	};
	long fd, ret;

	attr.type = pmu_type;
	fd = syscall(SYS_perf_event_open, &attr, w->process, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = map_event(fd);
	close(fd);
	return ret;
}

const struct faults_row faults_sources[] = {
	{ .name = "source synth", .call = synth },
	{ .name = "source kernel", .call = kernel },
	{ .name = "SOFTPT_ATTACH", .call = attach },
	{ .name = "SOFTPT_ARM_EXEC", .call = arm_exec },
	{ .name = "PTWRITE of a stepped process", .call = ptwrite },
	{ .name = "perf_event_open and its AUX area", .call = open_event },
	{ }
};
