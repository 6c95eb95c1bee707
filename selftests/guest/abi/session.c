// SPDX-License-Identifier: BSD-2-Clause
/* The session fd: configuration, source, units, and the switch */
#include "abi.h"

#include <fcntl.h>
#include <sched.h>

#define CONFIG(field, value, want) ABI_FIELD(softpt_config, field, value, want)

static const struct abi_field config_rows[] = {
	CONFIG(flags, SOFTPT_F_ALL & ~(SOFTPT_F_STOCK_SAFE | SOFTPT_F_CR3 | SOFTPT_F_OS), 0),
	CONFIG(flags, SOFTPT_F_ALL & ~(SOFTPT_F_STOCK_SAFE | SOFTPT_F_CR3 | SOFTPT_F_IFLAG |
				       SOFTPT_F_EVENT), 0),
	CONFIG(flags, SOFTPT_F_IFLAG | SOFTPT_F_OS, -EINVAL),
	CONFIG(flags, SOFTPT_F_EVENT | SOFTPT_F_USER, -EINVAL),	/* without iflag */
	CONFIG(flags, SOFTPT_F_ALL + 1, -EINVAL),
	CONFIG(flags, 1u << 31, -EINVAL),
	CONFIG(flags, 0, 0),
	CONFIG(tsc_ebx, 0, -EINVAL),
	CONFIG(tsc_ebx, 1, -EINVAL),
	CONFIG(tsc_ebx, 1024, 0),
	CONFIG(tsc_ebx, 1025, -EINVAL),
	CONFIG(tsc_eax, 0, -EINVAL),
	CONFIG(tsc_eax, 1u << 28, -EINVAL),
	CONFIG(mtc_freq, 15, 0),
	CONFIG(mtc_freq, 16, -EINVAL),
	CONFIG(cyc_thresh, 12, 0),
	CONFIG(cyc_thresh, 13, -EINVAL),
	CONFIG(cyc_bits, 15, -EINVAL),
	CONFIG(cyc_bits, 16, 0),
	CONFIG(cyc_bits, 56, 0),
	CONFIG(cyc_bits, 57, -EINVAL),
	CONFIG(psb_freq, 15, 0),
	CONFIG(psb_freq, 16, -EINVAL),
	CONFIG(p1, 0, -EINVAL),
	CONFIG(p1, 3, -EINVAL),
	CONFIG(p1, 61, -EINVAL),
	CONFIG(min_ratio, 0, -EINVAL),
	CONFIG(min_ratio, 27, -EINVAL),
	CONFIG(max_ratio, 0, -EINVAL),
	CONFIG(max_ratio, 25, -EINVAL),
	CONFIG(max_ratio, 255, 0),
	CONFIG(suppress, 255, 0),
	CONFIG(resume, 3, -EINVAL),
	CONFIG(resume, SOFTPT_RESUME_TSC, -EINVAL),	/* takes no value */
	CONFIG(resume, SOFTPT_RESUME_PAYLOAD, 0),
	CONFIG(resume_value, 0, -EINVAL),
	CONFIG(burst, 1, -EINVAL),			/* above suppress */
	CONFIG(preroll, 4, 0),
	CONFIG(preroll, 5, -EINVAL),
	CONFIG(nr_ranges, 1, -EINVAL),			/* of no kind */
	CONFIG(nr_ranges, 5, -EINVAL),
	CONFIG(range[0].from, 1, -EINVAL),
	CONFIG(range[3].kind, SOFTPT_RANGE_STOP, -EINVAL),
	CONFIG(range[1].reserved, 1, -EINVAL),
	CONFIG(mode, SOFTPT_RING_SNAPSHOT, 0),
	CONFIG(mode, 2, -EINVAL),
	CONFIG(clock, SOFTPT_CLOCK_MODEL, 0),
	CONFIG(clock, 2, -EINVAL),
	CONFIG(reserved0, 1, -EINVAL),
	CONFIG(cr3, 0x1000, -EINVAL),			/* without its flag */
	CONFIG(ring, 0, -EINVAL),
	CONFIG(ring, 2048, -EINVAL),
	CONFIG(ring, 4096, 0),
	CONFIG(ring, 12288, -EINVAL),
	CONFIG(ring, 1ull << 31, -EINVAL),
	CONFIG(reserved[0], 1, -EINVAL),
	CONFIG(reserved[2], 1ull << 63, -EINVAL),
	CONFIG(truth, 2048, -EINVAL),
	CONFIG(truth, 4096, 0),
	CONFIG(truth, 12288, -EINVAL),
	CONFIG(truth, 1ull << 31, -EINVAL),
};

static void config(int session)
{
	struct softpt_config want = kit_config(), got = { .size = sizeof(got) };

	kit_is(kit_ioctl(session, SOFTPT_GET_CONFIG, &got), 0, "SOFTPT_GET_CONFIG");
	kit_ok(!memcmp(&want, &got, sizeof(got)), "a new session has the default configuration");
	ABI_FIELDS(session, SOFTPT_SET_CONFIG, &want, config_rows);
	ABI_SIZES(session, SOFTPT_SET_CONFIG, &want, 0, false);
	want.mtc_freq = 5;
	kit_is(kit_configure(session, &want), 0, "SOFTPT_SET_CONFIG");
	kit_ioctl(session, SOFTPT_GET_CONFIG, &got);
	kit_ok(!memcmp(&want, &got, sizeof(got)), "SOFTPT_GET_CONFIG gives it back");
	ABI_SIZES(session, SOFTPT_GET_CONFIG, &got, 0, true);
}

#define SOURCE(field, value, want) ABI_FIELD(softpt_source, field, value, want)

static void source(int session)
{
	static const struct abi_field replay_rows[] = {
		SOURCE(kind, SOFTPT_SOURCE_SYNTH, -EINVAL),	/* without arguments */
		SOURCE(kind, 4, -EINVAL),
		SOURCE(kind, 1u << 31, -EINVAL),
		SOURCE(flags, SOFTPT_STEP_INHERIT, -EINVAL),	/* of another source */
		SOURCE(reserved, 1, -EINVAL),
		SOURCE(synth.seed, 1, -EINVAL),
		SOURCE(synth.clock_permille, 1, -EINVAL),
	};
	static const struct abi_field synth_rows[] = {
		SOURCE(flags, 1, -EINVAL),
		SOURCE(reserved, 1, -EINVAL),
		SOURCE(synth.seed, ~0ull, 0),
		SOURCE(synth.events, 0, -EINVAL),
		SOURCE(synth.events, 1ull << 56, -EINVAL),
		SOURCE(synth.mean_gap, 0, -EINVAL),
		SOURCE(synth.mean_gap, 1u << 31, -EINVAL),
		SOURCE(synth.burst, 0, -EINVAL),
		SOURCE(synth.burst, 1 << 20, 0),
		SOURCE(synth.burst, (1 << 20) + 1, -EINVAL),
		SOURCE(synth.sleep_permille, 1000, 0),
		SOURCE(synth.sleep_permille, 1001, -EINVAL),
		SOURCE(synth.clock_permille, 1001, -EINVAL),
	};
	struct softpt_source args = { .size = sizeof(args), .kind = SOFTPT_SOURCE_REPLAY };

	ABI_SIZES(session, SOFTPT_SET_SOURCE, &args, 0, false);
	ABI_FIELDS(session, SOFTPT_SET_SOURCE, &args, replay_rows);
	args.kind = SOFTPT_SOURCE_SYNTH;
	args.synth = (struct softpt_synth){ .events = 10, .mean_gap = 100, .burst = 1 };
	kit_is(kit_ioctl(session, SOFTPT_SET_SOURCE, &args), 0, "SOFTPT_SET_SOURCE: synth");
	ABI_FIELDS(session, SOFTPT_SET_SOURCE, &args, synth_rows);
	kit_is(kit_source(session, SOFTPT_SOURCE_REPLAY, NULL), 0, "SOFTPT_SET_SOURCE: replay");
	kit_is(kit_ioctl(session, SOFTPT_ARM_EXEC, NULL), -EOPNOTSUPP,
	       "SOFTPT_ARM_EXEC with source replay");
}

static void units(int session)
{
	static const struct abi_field rows[] = {
		ABI_FIELD(softpt_unit_args, flags, 1, -EINVAL),
		ABI_FIELD(softpt_unit_args, reserved, 1, -EINVAL),
		ABI_FIELD(softpt_unit_args, cpu, ~0u, -EINVAL),
		ABI_FIELD(softpt_unit_args, cpu, 4096, -EINVAL),
	};
	struct softpt_unit_args args = { .size = sizeof(args) };
	struct softpt_config other = kit_config();
	int unit;

	kit_is(kit_enable(session), -EINVAL, "SOFTPT_ENABLE without a unit");
	kit_is(kit_disable(session), -EINVAL, "SOFTPT_DISABLE of a session that is not enabled");
	ABI_FIELDS(session, SOFTPT_CREATE_UNIT, &args, rows);
	unit = kit_unit(session, 0);
	kit_is(unit, 0, "SOFTPT_CREATE_UNIT");
	kit_ok(fcntl(unit, F_GETFD) & FD_CLOEXEC, "a unit's fd is closed on exec");
	ABI_SIZES(session, SOFTPT_CREATE_UNIT, &args, -EEXIST, false);
	kit_is(kit_unit(session, 0), -EEXIST, "a second unit of the same CPU");
	kit_is(kit_configure(session, &other), 0, "SOFTPT_SET_CONFIG with units");
	other.ring *= 2;
	kit_is(kit_configure(session, &other), -EBUSY, "another ring size with units");
	other = kit_config();
	other.truth = 4096;
	kit_is(kit_configure(session, &other), -EBUSY, "another truth ring with units");
	other.mode = SOFTPT_RING_SNAPSHOT;
	kit_is(kit_configure(session, &other), -EINVAL, "a truth ring of a snapshot");
	other = kit_config();
	other.mode = SOFTPT_RING_SNAPSHOT;
	kit_is(kit_configure(session, &other), -EBUSY, "another ring mode with units");
	close(unit);
	unit = kit_unit(session, 0);
	kit_is(unit, 0, "a CPU's unit can be made anew when the first is closed");
	close(unit);
	kit_is(kit_configure(session, &other), 0, "another ring mode when the units are gone");
}

static void live(int session)
{
	static const struct abi_field rows[] = {
		ABI_FIELD(softpt_enable, flags, 1, -EINVAL),
	};
	struct softpt_enable args = { .size = sizeof(args) };
	struct softpt_config config = kit_config();
	int unit = kit_unit(session, 0);

	ABI_FIELDS(session, SOFTPT_ENABLE, &args, rows);
	kit_is(kit_ioctl(session, SOFTPT_ENABLE, &args), 0, "SOFTPT_ENABLE");
	kit_ok(args.tsc, "SOFTPT_ENABLE tells the instant");
	ABI_SIZES(session, SOFTPT_ENABLE, &args, -EBUSY, false);
	kit_is(kit_enable(session), -EBUSY, "SOFTPT_ENABLE twice");
	kit_is(kit_configure(session, &config), -EBUSY, "SOFTPT_SET_CONFIG while enabled");
	kit_is(kit_source(session, SOFTPT_SOURCE_REPLAY, NULL), -EBUSY,
	       "SOFTPT_SET_SOURCE while enabled");
	kit_is(kit_unit(session, 0), -EBUSY, "SOFTPT_CREATE_UNIT while enabled");
	ABI_FIELDS(session, SOFTPT_DISABLE, &args, rows);
	kit_is(kit_disable(session), 0, "SOFTPT_DISABLE");
	ABI_SIZES(session, SOFTPT_DISABLE, &args, -EINVAL, false);
	kit_is(kit_enable(session), 0, "SOFTPT_ENABLE again");
	close(unit);
	kit_is(kit_disable(session), 0, "SOFTPT_DISABLE when the units are gone");
}

/* Arguments; who may be attached to is told by selftests/step. */
static void attach(int dev)
{
	static const struct abi_field rows[] = {
		ABI_FIELD(softpt_attach, flags, SOFTPT_ATTACH_ALL + 1, -EINVAL),
		ABI_FIELD(softpt_attach, flags, 1u << 31, -EINVAL),
		ABI_FIELD(softpt_attach, reserved, 1, -EINVAL),
		ABI_FIELD(softpt_attach, pid, 0, -EINVAL),
		ABI_FIELD(softpt_attach, pid, -1, -EINVAL),
		ABI_FIELD(softpt_attach, pid, 1 << 30, -ESRCH),
		ABI_FIELD(softpt_attach, pid, 2, -EINVAL),	/* kthreadd */
	};
	struct softpt_attach args = { .size = sizeof(args), .pid = getpid() };
	struct softpt_config config = kit_config();
	struct softpt_threads threads = { .size = sizeof(threads) };
	int session = kit_session(dev), unit = kit_unit(session, 0);
	cpu_set_t before, first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	sched_getaffinity(0, sizeof(before), &before);
	sched_setaffinity(0, sizeof(first), &first);	/* there is a unit */
	kit_is(kit_ioctl(session, SOFTPT_ATTACH, &args), -EOPNOTSUPP,
	       "SOFTPT_ATTACH with source replay");
	kit_is(kit_source(session, SOFTPT_SOURCE_STEP, NULL), 0, "SOFTPT_SET_SOURCE: step");
	ABI_SIZES(session, SOFTPT_ATTACH, &args, -EBADFD, false);
	config.flags &= ~SOFTPT_F_OS;
	kit_is(kit_configure(session, &config), 0, "os=0");
	kit_is(kit_enable(session), 0, "SOFTPT_ENABLE");
	ABI_FIELDS(session, SOFTPT_ATTACH, &args, rows);
	kit_is(kit_ioctl(session, SOFTPT_ATTACH, &args), 0, "SOFTPT_ATTACH to the caller itself");
	kit_is(kit_ioctl(session, SOFTPT_ATTACH, &args), -EBUSY, "a session has one target");
	kit_is(kit_ioctl(session, SOFTPT_ARM_EXEC, NULL), -EBUSY, "armed or attached to");
	ABI_SIZES(session, SOFTPT_GET_THREADS, &threads, 0, true);
	kit_ioctl(session, SOFTPT_GET_THREADS, &threads);
	kit_ok(threads.joined == 1 && threads.tid[0] == getpid() && !threads.tid[1],
	       "SOFTPT_GET_THREADS: the caller is thread 0");
	kit_is(kit_disable(session), 0, "SOFTPT_DISABLE by whom it steps");
	kit_ok(kit_status(unit).counts.events > 0, "it was stepped");
	config.clock = SOFTPT_CLOCK_MODEL;
	kit_is(kit_configure(session, &config), 0, "clock=model");
	kit_is(kit_enable(session), 0, "SOFTPT_ENABLE");
	args.flags = SOFTPT_ATTACH_PROCESS;
	kit_is(kit_ioctl(session, SOFTPT_ATTACH, &args), -EINVAL,
	       "SOFTPT_ATTACH_PROCESS: the model clock is one task's");
	args.flags = 0;
	kit_is(kit_ioctl(session, SOFTPT_ATTACH, &args), 0, "SOFTPT_ATTACH on the model clock");
	kit_is(kit_disable(session), 0, "SOFTPT_DISABLE");
	sched_setaffinity(0, sizeof(before), &before);
	close(unit);
	close(session);
}

void abi_session(void)
{
	int dev = kit_open(), session = kit_session(dev);

	config(session);
	source(session);
	units(session);
	live(session);
	attach(dev);
	close(session);
	close(dev);
}
