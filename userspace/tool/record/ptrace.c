// SPDX-License-Identifier: BSD-2-Clause
/*
 * softpt record --no-module: a program stepped with ptrace, its unit in this process.
 *
 * One thread has one unit, whatever CPU it runs on. Its mappings are read when it has
 * changed them, so that no perf event is needed either.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/tsc.h"
#include "sideband/maps.h"
#include "sideband/system.h"
#include "sim/sim.h"
#include "source/crash.h"
#include "source/ptrace.h"
#include "file.h"
#include "job.h"
#include "record.h"
#include "truth/file.h"
#include "../cli/tool.h"
#include "code/vdso.h"

/*
 * After so many stops what was recorded is written, which is what a kill -9 of the
 * recorder may lose, and what other threads have mapped is looked at.
 */
#define FLUSH_STOPS	4096

#define STEP_OPTIONS	(PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC)
#define EVENT_OF(status) ((status) >> 16)

struct recording {
	const struct record_job *job;
	struct target target;
	struct stepper step;
	struct maps *maps;
	struct softpt_perf_writer *writer;
	struct softpt_perf_setup setup;
	struct progress progress;
	uint64_t stops;
	uint64_t looked;	/* perf's time of the last look at its mappings */
	int file;
	bool is_new;		/* there was none before, and nothing is in it yet */
	struct truth_out truth;	/* -c truth= */
	bool own_stop;		/* the exec's own step is still to be reported */
	bool faulted;		/* the last stop became a SIGSEGV */
	struct softpt_perf_crash crash;	/* if the signal that it got last ends it */
	bool lost;		/* it is not traced any more, and goes on alone */
	int err;
};

/* ---- signals for the recorder: the first goes to the program, the second ends ---- */

static volatile pid_t traced;
static volatile sig_atomic_t asked;

/* PTRACE_INTERRUPT wakes waitpid(): there is no moment at which a signal is missed. */
static void on_signal(int sig, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)context;
	if (asked++)
		ptrace(PTRACE_INTERRUPT, traced, 0, 0);
	else if (info->si_code != SI_KERNEL)
		kill(traced, sig);	/* a terminal tells the program itself */
	errno = saved;
}

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

/* The program is forked in between, with the mask as it was and no handler. */
static void hold_signals(sigset_t *before)
{
	sigset_t set;
	unsigned int i;

	sigemptyset(&set);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(&set, signals[i]);
	sigprocmask(SIG_BLOCK, &set, before);
}

static void take_signals(pid_t pid, const sigset_t *before)
{
	struct sigaction act = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART };
	unsigned int i;

	traced = pid;
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &act, NULL);
	sigprocmask(SIG_SETMASK, before, NULL);
}

static void drop_signals(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], SIG_IGN);
}

/* ---- the file ---- */

static unsigned int unit_cpu(const struct recording *r)
{
	return r->job->cpu < 0 ? 0 : r->job->cpu;
}

/* Not 0, which says that there is no time. */
static uint64_t tsc_of(const struct recording *r)
{
	return r->step.now ? r->step.now : 1;
}

static uint64_t record_time(const struct recording *r)
{
	const struct softpt_perf_setup *t = &r->setup;

	return t->time_zero +
		(uint64_t)((__uint128_t)tsc_of(r) * t->time_mult >> t->time_shift);
}

static int put_bytes(void *ctx, const void *buf, size_t len)
{
	struct recording *r = ctx;

	return len ? softpt_perf_writer_trace(r->writer, unit_cpu(r), tsc_of(r), buf, len) : 0;
}

static int put_row(void *ctx, const struct truth_row *row, const struct softpt_record *rec)
{
	struct recording *r = ctx;

	(void)rec;
	return truth_file_put(r->truth.file, unit_cpu(r), row);
}

/*
 * Mappings first: a file that ends here must hold those that its trace needs.
 * @since: they may be there since the last look, for another thread has made them
 */
static void look_at_maps(struct recording *r, bool since)
{
	uint64_t now = record_time(r);

	if (!r->err)
		r->err = maps_drain(r->maps, r->writer, since ? r->looked : now, now);
	r->looked = now;
}

/* perf's clock, where a perf event tells, else one that is measured */
static int find_clock(struct recording *r)
{
	const struct watched self = { .pid = getpid(), .tid = getpid() };
	struct sideband *own = sideband_open(&self, &(unsigned int){ 0 }, 1, r->step.model);

	if (!own)
		return -ENOMEM;
	sideband_clock(own, &r->setup);
	sideband_close(own);
	if (!r->step.model)
		r->step.now = tsc_now();
	return 0;
}

static int begin_file(struct recording *r)
{
	int err = find_clock(r);

	vdso_record(&r->setup);
	if (r->truth.file && truth_begin(&r->truth))
		return EXIT_REFUSED;
	if (!r->truth.file)
		truth_remove(r->job->path);
	if (!err)
		err = trace_begin(r->file);
	r->is_new = false;
	if (!err)
		err = softpt_perf_writer_new(&r->writer, r->file, &r->setup);
	if (!err)
		err = start_put(r->writer, r->target.pid, r->target.pid, unit_cpu(r),
				record_time(r));
	return err ? refuse(r->job->path, "%s", softpt_strerror(err)) : 0;
}

static void flush(struct recording *r)
{
	look_at_maps(r, true);
	if (!r->err)
		r->err = sim_flush(r->step.sim);
}

/* ---- stops ---- */

static bool read_regs(struct recording *r, struct user_regs_struct *regs)
{
	return !ptrace(PTRACE_GETREGS, r->target.pid, 0, regs);
}

static int open_memory(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	return open(path, O_RDWR | O_CLOEXEC);
}

static void warn_of_setuid(struct recording *r)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)r->target.pid);
	if (geteuid() && !stat(path, &st) && (st.st_mode & S_ISUID) && st.st_uid != geteuid())
		refuse(r->job->argv[0],
		       "runs without its set-user-ID: no program gets privileges under ptrace");
}

static void exec_done(struct recording *r)
{
	struct user_regs_struct regs;

	if (r->step.mem >= 0)
		close(r->step.mem);
	r->step.mem = open_memory(r->target.pid);
	maps_close(r->maps);
	r->maps = maps_open(r->target.pid, false);
	if (!r->maps)
		r->err = -ENOMEM;
	if (r->step.mem < 0) {
		r->lost = true;
		refuse(r->job->argv[0], "may not be read by you: it goes on unrecorded");
		return;
	}
	warn_of_setuid(r);
	if (read_regs(r, &regs))
		stepper_exec(&r->step, &regs);
	look_at_maps(r, false);
	r->own_stop = true;
}

/*
 * Whether a system call may have made code. Its number is of either ABI: INT 80h calls the 32-bit
 * one in every program. To look once too often costs time only.
 */
static bool maps_code(long nr)
{
	static const short nrs[] = {
		/* mmap mprotect mremap shmat prctl arch_prctl remap_file_pages pkey_mprotect */
		9, 10, 25, 30, 157, 158, 216, 329,
		/* mmap ipc mprotect mremap prctl mmap2 remap_file_pages pkey_mprotect, then
		 * arch_prctl shmat
		 */
		90, 117, 125, 163, 172, 192, 257, 380, 384, 397,
	};
	unsigned int i;

	for (i = 0; i < sizeof(nrs) / sizeof(nrs[0]); i++)
		if (nrs[i] == (nr & ~__X32_SYSCALL_BIT))
			return true;
	return false;
}

static void step_done(struct recording *r, const struct user_regs_struct *regs)
{
	long nr = stepper_trap(&r->step, regs);

	if (nr >= 0 && maps_code(nr))
		look_at_maps(r, false);
	if (!(++r->stops % FLUSH_STOPS)) {
		flush(r);
		progress_step(&r->progress, r->stops);
	}
}

/*
 * Whose SIGTRAP is it? The kernel's for a step has TRAP_TRACE, that for the end of a
 * system call TRAP_BRKPT, that for the begin of a handler SIGTRAP itself. INT3 and
 * others' SIGTRAPs have other codes: those are the program's, as are those of its own TF.
 */
static int trapped(struct recording *r, const struct user_regs_struct *regs)
{
	bool owned = r->step.owns_tf;
	siginfo_t info;

	r->faulted = false;
	if (ptrace(PTRACE_GETSIGINFO, r->target.pid, 0, &info))
		return 0;
	r->step.owns_tf = regs->eflags & 0x100;
	if (r->own_stop && info.si_code == TRAP_BRKPT) {
		r->own_stop = false;
		return 0;
	}
	r->own_stop = false;
	switch (info.si_code) {
	case TRAP_TRACE:
	case TRAP_BRKPT:
		step_done(r, regs);
		return owned && info.si_code == TRAP_TRACE ? SIGTRAP : 0;
	case SIGTRAP:
		stepper_handler(&r->step, regs);
		return 0;
	}
	stepper_signal(&r->step, regs);
	return SIGTRAP;
}

/* The thread's own, but for its address */
static void fault_at(struct recording *r, uint64_t address)
{
	siginfo_t info = { .si_signo = SIGSEGV, .si_code = SEGV_MAPERR };

	info.si_addr = (void *)(uintptr_t)address;
	ptrace(PTRACE_SETSIGINFO, r->target.pid, 0, &info);
}

/*
 * SIGILL of the thread's own for a PTWRITE that the processor does not know, or another. A
 * SIGSEGV that is blocked or ignored leaves the thread where it is: then SIGILL ends it.
 */
static int undefined(struct recording *r, struct user_regs_struct *regs)
{
	siginfo_t info;
	uint64_t fault;

	if (ptrace(PTRACE_GETSIGINFO, r->target.pid, 0, &info) || info.si_code != ILL_ILLOPN)
		return SIGILL;
	switch (stepper_undefined(&r->step, regs, &fault)) {
	case STEPPER_DONE:
		if (ptrace(PTRACE_SETREGS, r->target.pid, 0, regs))
			break;
		return 0;
	case STEPPER_FAULTED:
		if (r->faulted)
			break;
		r->faulted = true;
		fault_at(r, fault);
		return SIGSEGV;
	case STEPPER_ILLEGAL:
		break;
	}
	return SIGILL;
}

static bool stops_group(int sig)
{
	return sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
}

/* Return: how to go on; @sig: with which signal */
static int stopped(struct recording *r, int *sig)
{
	struct user_regs_struct regs;
	int event = EVENT_OF(r->target.wstatus);

	*sig = 0;
	if (event == PTRACE_EVENT_EXEC)
		exec_done(r);
	else if (event == PTRACE_EVENT_STOP && stops_group(WSTOPSIG(r->target.wstatus)))
		return PTRACE_LISTEN;
	if (event || !read_regs(r, &regs))
		return PTRACE_SINGLESTEP;
	*sig = WSTOPSIG(r->target.wstatus);
	if (*sig == SIGTRAP)
		*sig = trapped(r, &regs);
	else if (*sig == SIGILL)
		*sig = undefined(r, &regs);
	if (*sig && *sig != SIGTRAP)
		stepper_signal(&r->step, &regs);
	if (*sig)
		ptrace_crash(r->target.pid, *sig, &regs, &r->crash);
	return PTRACE_SINGLESTEP;
}

static bool wait_for(struct recording *r)
{
	pid_t pid;

	do {
		pid = waitpid(r->target.pid, &r->target.wstatus, __WALL);
	} while (pid < 0 && errno == EINTR);
	return pid == r->target.pid;
}

/* Until the program is gone, a second signal has come or the file can't be written */
static void follow(struct recording *r)
{
	bool killed;
	int how, sig;

	while (wait_for(r) && WIFSTOPPED(r->target.wstatus)) {
		how = stopped(r, &sig);
		if (!r->err)
			r->err = r->step.err;
		if (asked > 1 || r->err || r->lost) {
			stepper_end(&r->step, false);
			ptrace(PTRACE_DETACH, r->target.pid, 0, sig);
			return;
		}
		/* One that was killed meanwhile is met by the next wait. */
		ptrace(how, r->target.pid, 0, sig);
	}
	killed = WIFSIGNALED(r->target.wstatus) && WTERMSIG(r->target.wstatus) == SIGKILL;
	stepper_end(&r->step, WIFEXITED(r->target.wstatus) || killed);
	if (!r->err && WIFSIGNALED(r->target.wstatus) && r->crash.signo &&
	    r->crash.signo == (uint32_t)WTERMSIG(r->target.wstatus)) {
		r->crash.time = record_time(r);
		r->err = softpt_perf_writer_crash(r->writer, &r->crash);
	}
}

/* ---- begin and end ---- */

/* On the program's CPU a step is a switch of tasks, and no interrupt of another CPU. */
static int join_cpu(int cpu)
{
	cpu_set_t set;

	if (cpu < 0)
		return 0;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (!sched_setaffinity(0, sizeof(set), &set))
		return 0;
	return refuse("record", "cannot run on CPU %d: %s", cpu, strerror(errno));
}

static int seize(struct recording *r)
{
	if (!ptrace(PTRACE_SEIZE, r->target.pid, 0, STEP_OPTIONS))
		return 0;
	return refuse("record", "ptrace: %s%s", strerror(errno), errno == EPERM ?
		      " (in a container: --cap-add SYS_PTRACE; else kernel.yama.ptrace_scope)" : "");
}

static void tell(struct recording *r)
{
	const struct softpt_counts *c = &sim_engine(r->step.sim)->counts;

	progress_end(&r->progress);
	if (r->job->stats || isatty(STDERR_FILENO))
		fprintf(stderr,
			"softpt: %s: events %llu, packets %llu, bytes %llu, MTC %llu, suppressed %llu, steps %llu\n",
			r->job->path, c->events, c->packets, c->bytes, c->mtc, c->mtc_suppressed,
			(unsigned long long)r->stops);
}

static int finish(struct recording *r)
{
	int err = r->err ? r->err : sim_finish(r->step.sim);
	int end = softpt_perf_writer_end(r->writer);

	r->writer = NULL;
	tell(r);
	if (!err)
		err = end;
	return err ? refuse(r->job->path, "%s", softpt_strerror(err)) : 0;
}

static int run_program(struct recording *r)
{
	int status;

	status = join_cpu(r->job->cpu);
	if (status)
		return status;
	hold_signals(&r->target.mask);
	status = target_start(&r->target, r->job->argv, -1, r->job->cpu);
	if (status)
		return status;
	r->step.pid = r->target.pid;
	status = seize(r);
	if (!status)
		status = begin_file(r);
	if (!status)
		status = target_go(&r->target, r->job->argv[0]);
	if (status)
		return status;
	take_signals(r->target.pid, &r->target.mask);
	follow(r);
	status = finish(r);
	if (r->err || r->lost)
		wait_for(r);
	drop_signals();
	if (status)
		return status;
	return asked > 1 ? 128 + SIGINT : target_status(r->target.wstatus);
}

int record_ptrace(const struct record_job *job)
{
	struct recording r = {
		.job = job,
		/* The clock begins at 1: a TSC of 0 is none to perf. */
		.step = {
			.mem = -1, .cycles = 1, .model = job->cfg.clock == SOFTPT_CLOCK_MODEL,
		},
		.setup = { .cfg = &job->cfg, .level = job->level },
		.progress = { .what = "steps" },
	};
	const struct sim_output out = {
		.bytes = put_bytes, .row = job->cfg.truth ? put_row : NULL, .ctx = &r,
	};
	int status;

	if (job->cfg.flags & (SOFTPT_F_OS | SOFTPT_F_CR3))
		return refuse("record", "a stepped program is traced without os=1 and cr3");
	if (job->max_time)
		return refuse("record", "--max-time is not of a program that is stepped with ptrace");
	if (job->cfg.truth && truth_create(&r.truth, job->path))
		return EXIT_REFUSED;
	r.file = trace_create(job->path, &r.is_new);
	if (r.file < 0) {
		status = refuse(job->path, "%s", strerror(errno));
		truth_close(&r.truth);
		return status;
	}
	r.step.sim = sim_new(&job->cfg, &out);
	if (r.step.sim)
		sim_live(r.step.sim);
	status = r.step.sim ? run_program(&r) : refuse("record", "out of memory");
	softpt_perf_writer_end(r.writer);
	maps_close(r.maps);
	sim_free(r.step.sim);
	if (r.step.mem >= 0)
		close(r.step.mem);
	if (r.is_new)
		unlink(job->path);
	if (close(r.file) && !status)
		status = refuse(job->path, "%s", strerror(errno));
	if (truth_close(&r.truth) && !status)
		status = EXIT_REFUSED;
	return status;
}
