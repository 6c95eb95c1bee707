/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * softpt: processor trace in software
 *
 * /dev/softpt hands out emulated trace units that speak the Intel PT packet
 * protocol. Everything is a file descriptor, as with KVM:
 *
 *	dev  = open("/dev/softpt", O_RDWR)
 *	sess = ioctl(dev, SOFTPT_CREATE_SESSION, &args)
 *	       ioctl(sess, SOFTPT_SET_CONFIG, &config)		what is traced, how
 *	       ioctl(sess, SOFTPT_SET_SOURCE, &source)		where events come from
 *	unit = ioctl(sess, SOFTPT_CREATE_UNIT, &unit_args)	one for each CPU
 *	base = mmap(unit, 0, control.data_offset + 2 * control.data_size)
 *	       ioctl(sess, SOFTPT_ENABLE, &enable)		all units at one instant
 *	       ... read packets, poll(unit), write(unit, events) ...
 *	       ioctl(sess, SOFTPT_DISABLE, &enable)
 *
 * Rules of every call:
 *  - an unknown command is -ENOTTY, an unknown flag or a non-zero reserved
 *    field -EINVAL;
 *  - a struct that begins with @size may grow: a caller's struct that is shorter
 *    than its first version is -EINVAL, a longer one is accepted as long as
 *    what this kernel does not know is zero, else -E2BIG; the size that a command's
 *    number holds is not looked at, so that a longer struct makes no other command;
 *  - the configuration of a live (enabled) session does not change: -EBUSY.
 *
 * The unit's mapping: page 0 (struct softpt_reader) belongs to the reader and is
 * mapped read-write on its own; page 1 (struct softpt_control) and the data are
 * read-only. The data lies at control.data_offset and is mapped twice in a row,
 * so that the bytes from tail to head are always contiguous. The producer stores
 * head with release semantics; the reader loads it with acquire, reads the
 * bytes and stores tail with release. A tail that makes no sense counts as a
 * full ring. Stream mode keeps what is unread; snapshot mode overwrites the
 * oldest until the unit is frozen: then tail is where the oldest byte is.
 */
#ifndef _UAPI_LINUX_SOFTPT_H
#define _UAPI_LINUX_SOFTPT_H

#include <linux/ioctl.h>
#include <linux/softpt-events.h>
#include <linux/types.h>

#define SOFTPT_ABI_VERSION	1
#define SOFTPT_IOC		0xD6	/* 0x00-0x0f device, 0x10-0x1f session, 0x20-0x2f unit */

/* ---- configuration ---- */

/* struct softpt_config.flags; the names are the keys of `softpt -c` */
#define SOFTPT_F_TSC		0x1	/* TSC packets */
#define SOFTPT_F_MTC		0x2	/* MTC packets; TMA where TSC is on too */
#define SOFTPT_F_CYC		0x4	/* cycle-accurate mode */
#define SOFTPT_F_BRANCH		0x8	/* BranchEn: TNT, TIP, FUP, MODE.Exec */
#define SOFTPT_F_RETC		0x10	/* RET compression (clear: DisRETC) */
#define SOFTPT_F_PTW		0x20	/* PTWRITE packets */
#define SOFTPT_F_PWR		0x40	/* power event packets */
#define SOFTPT_F_CBR		0x80	/* every announced ratio change sends CBR */
#define SOFTPT_F_OS		0x100	/* trace CPL 0 */
#define SOFTPT_F_USER		0x200	/* trace CPL 1 to 3 */
#define SOFTPT_F_TNT64		0x400	/* TNT packets of up to 47 bits */
#define SOFTPT_F_STOCK_SAFE	0x800	/* refuse what libipt and perf misread */
#define SOFTPT_F_DESCRIBE	0x1000	/* MNT packets in PSB+ describe the stream */
#define SOFTPT_F_PGE_TSC	0x2000	/* TSC, TMA before every TIP.PGE */
#define SOFTPT_F_CR3		0x4000	/* trace only while CR3 equals @cr3 */
#define SOFTPT_F_TRIG		0x8000	/* TRIG packets mark trigger events */
#define SOFTPT_F_LOSSLESS	0x10000	/* a stepped program waits while its ring is full */
#define SOFTPT_F_IFLAG		0x20000	/* MODE.Exec has the interrupt flag */
#define SOFTPT_F_EVENT		0x40000	/* EventEn: CFE, EVD of a stepped program's exceptions */
#define SOFTPT_F_ALL		0x7ffff
#define SOFTPT_F_STREAM		0xffff	/* those that a stream tells of itself */

/* struct softpt_config.resume: what ends a suppressed stretch besides an NTP */
enum softpt_resume {
	SOFTPT_RESUME_COUNT	= 0,	/* after @resume_value suppressed MTCs */
	SOFTPT_RESUME_PAYLOAD	= 1,	/* at an MTC whose payload is @resume_value */
	SOFTPT_RESUME_TSC	= 2,	/* nothing: TSC and TMA precede the NTP */
};

enum softpt_range_kind {
	SOFTPT_RANGE_FILTER	= 1,	/* trace inside */
	SOFTPT_RANGE_STOP	= 2,	/* TraceStop on entry */
};

enum softpt_ring_mode {
	SOFTPT_RING_STREAM	= 0,
	SOFTPT_RING_SNAPSHOT	= 1,
};

enum softpt_clock {
	SOFTPT_CLOCK_WALL	= 0,	/* the TSC */
	SOFTPT_CLOCK_MODEL	= 1,	/* the cycles that the events carry */
};

struct softpt_range {
	__u64 from;		/* first address */
	__u64 to;		/* last address, inclusive */
	__u32 kind;		/* enum softpt_range_kind */
	__u32 reserved;
};

#define SOFTPT_RANGES	4

/* The ranges of the fields are in uapi/softpt/params.h, with what each means. */
struct softpt_config {
	__u32 size;
	__u32 flags;		/* SOFTPT_F_* */
	__u32 tsc_ebx;		/* CPUID.15H: EBX / EAX = TSC ticks per CTC tick */
	__u32 tsc_eax;
	__u8 mtc_freq;
	__u8 cyc_thresh;
	__u8 cyc_bits;
	__u8 psb_freq;
	__u8 p1;
	__u8 min_ratio;
	__u8 max_ratio;
	__u8 suppress;		/* 0: off */
	__u8 resume;		/* enum softpt_resume */
	__u8 resume_value;
	__u8 burst;		/* 0: as @suppress */
	__u8 preroll;
	__u8 nr_ranges;
	__u8 mode;		/* enum softpt_ring_mode */
	__u8 clock;		/* enum softpt_clock, of the step source */
	__u8 reserved0;
	__u64 cr3;
	__u64 ring;		/* bytes per unit, a power of two of at least a page */
	struct softpt_range range[SOFTPT_RANGES];
	__u64 truth;		/* bytes of the truth ring, as @ring; 0: none */
	__u64 reserved[3];
};

/* ---- /dev/softpt ---- */

/* struct softpt_caps.sources and struct softpt_source.kind */
enum softpt_source_kind {
	SOFTPT_SOURCE_REPLAY	= 0,	/* write() of struct softpt_event to the unit */
	SOFTPT_SOURCE_SYNTH	= 1,	/* a seeded generator in the kernel */
	SOFTPT_SOURCE_STEP	= 2,	/* a process, single-stepped */
	SOFTPT_SOURCE_KERNEL	= 3,	/* what the system does, from tracepoints */
};

struct softpt_caps {
	__u32 size;
	__u32 abi_version;
	__u32 config_flags;	/* SOFTPT_F_* that this kernel knows */
	__u32 sources;		/* bit per enum softpt_source_kind that works here */
	__u64 max_ring;		/* bytes per unit */
	__u32 tsc_khz;
	__u32 nr_cpus;
	__u64 reserved[4];
};

/* struct softpt_session_args.flags */
#define SOFTPT_SESSION_NO_COUNTER_PAGE	0x1	/* page 1 of its units does not show counters */
#define SOFTPT_SESSION_ALL	0x1

struct softpt_session_args {
	__u32 size;
	__u32 flags;		/* SOFTPT_SESSION_* */
};

#define SOFTPT_GET_CAPS		_IOWR(SOFTPT_IOC, 0x00, struct softpt_caps)
#define SOFTPT_CREATE_SESSION	_IOW(SOFTPT_IOC, 0x01, struct softpt_session_args)

/* ---- session ---- */

struct softpt_synth {
	__u64 seed;
	__u64 events;		/* per unit; 0 is refused */
	__u32 mean_gap;		/* TSC ticks between events, 1 to 2^31 - 1 */
	__u32 burst;		/* events of a burst, 1: none, up to 2^20 */
	__u32 sleep_permille;	/* events that are sleeps, 0 to 1000 */
	__u32 clock_permille;	/* events that change the core clock, 0 to 1000 */
};

/* struct softpt_source.flags of the step source */
#define SOFTPT_STEP_INHERIT	0x1	/* threads and children are stepped, too */

struct softpt_source {
	__u32 size;
	__u32 kind;		/* enum softpt_source_kind */
	__u32 flags;		/* of the kind: SOFTPT_STEP_* */
	__u32 reserved;
	struct softpt_synth synth;	/* zero for other kinds */
};

struct softpt_unit_args {
	__u32 size;
	__u32 flags;		/* none yet */
	__u32 cpu;
	__u32 reserved;
};

struct softpt_enable {
	__u32 size;
	__u32 flags;		/* none yet */
	__u64 tsc;		/* out: the instant */
};

/* struct softpt_attach.flags */
#define SOFTPT_ATTACH_PROCESS	0x1	/* all threads of the task's process */
#define SOFTPT_ATTACH_ALL	0x1

struct softpt_attach {
	__u32 size;
	__u32 flags;		/* SOFTPT_ATTACH_* */
	__s32 pid;		/* of the task, as gettid() has it */
	__u32 reserved;
};

/* ---- event counters (US 7,448,025; Documentation/reference/counters.rst) ---- */

#define SOFTPT_COUNTERS		18
#define SOFTPT_COUNTER_BITS	40
#define SOFTPT_ESCRS		48	/* two for each of 24 sub-areas */
#define SOFTPT_EVENT_CLASSES	64
#define SOFTPT_THREADS		32

/* An event select control register: which events a counter counts */
struct softpt_escr {
	__u32 size;
	__u32 index;		/* 0..47; 2s and 2s + 1 see the events of sub-area s */
	__u8 event_class;	/* 0..63, of this sub-area */
	__u8 reserved0;
	__u16 mask;		/* subclasses: a set bit is counted */
	__u32 usr;		/* bit n: hardware thread n at CPL 1, 2 and 3 */
	__u32 os;		/* bit n: hardware thread n at CPL 0 */
	__u32 reserved;
};

/* struct softpt_counter.flags */
#define SOFTPT_COUNTER_BREAK	0x1	/* micro-breakpoint: an overflow stops a stepped task */
#define SOFTPT_COUNTER_ALL	0x1

struct softpt_counter {
	__u32 size;
	__u32 flags;		/* SOFTPT_COUNTER_* */
	__u32 index;		/* 0..17 */
	__u32 escr;		/* 0..47, of the counter's area */
	__u64 preset;		/* what it counts on from, below 2^40 */
};

/* struct softpt_count_args.flags: the time-stamp counter, in this order */
#define SOFTPT_COUNT_TSC_OFF	0x1	/* it stands still */
#define SOFTPT_COUNT_TSC_RESET	0x2	/* to zero */
#define SOFTPT_COUNT_TSC_PRESET	0x4	/* to @tsc_preset */
#define SOFTPT_COUNT_TSC_ON	0x8	/* it goes on */
#define SOFTPT_COUNT_ALL	0xf

/* A bit for each counter; those of all units are stopped, cleared and started at one instant. */
struct softpt_count_args {
	__u32 size;
	__u32 flags;		/* SOFTPT_COUNT_* */
	__u32 stop;		/* first these */
	__u32 clear;		/* then these: value, overflows and what threads counted are 0 */
	__u32 start;		/* then these */
	__u32 reserved;
	__u64 tsc_preset;	/* zero without SOFTPT_COUNT_TSC_PRESET */
	__u64 tsc;		/* out: the instant */
};

/* ---- triggers (US 5,996,092; Documentation/reference/trigger.rst) ---- */

#define SOFTPT_TRIGGERS		8

/* What a trigger waits for */
enum softpt_trigger_source {
	SOFTPT_ON_NOTHING	= 0,	/* off */
	SOFTPT_ON_IP		= 1,	/* execution gets to @value, or from there to @mask */
	SOFTPT_ON_DATA		= 2,	/* an access to @value, under @mask */
	SOFTPT_ON_PTW		= 3,	/* a PTWRITE of @value, under @mask */
	SOFTPT_ON_COUNTER	= 4,	/* counter @value overflows */
	SOFTPT_ON_EVENT		= 5,	/* an event that an ESCR would select */
	SOFTPT_ON_SYSCALL	= 6,	/* system call number @value */
	SOFTPT_ON_SIGNAL	= 7,	/* signal N, where bit N - 1 of @value is set */
	SOFTPT_ON_EXIT		= 8,	/* a process exits */
	SOFTPT_ON_DEMAND	= 9,	/* SOFTPT_TRIGGER */
	SOFTPT_ON_NR
};

/* struct softpt_trigger.flags */
#define SOFTPT_TRIGGER_REARM	0x1	/* each @nth occurrence fires, not the first @nth alone */
#define SOFTPT_TRIGGER_PSB	0x2	/* a PSB+ with the trigger event */
#define SOFTPT_TRIGGER_FREEZE	0x4	/* the snapshot freezes @after the trigger event */
#define SOFTPT_TRIGGER_UNITS	0x8	/* and with it those of the session's other units */
#define SOFTPT_TRIGGER_FATAL	0x10	/* only a signal that ends the program */
#define SOFTPT_TRIGGER_ALL	0x1f

/* struct softpt_trigger.after_unit */
enum softpt_after {
	SOFTPT_AFTER_BYTES	= 0,
	SOFTPT_AFTER_TICKS	= 1,	/* of the TSC */
	SOFTPT_AFTER_PSBS	= 2,	/* intervals: so many PSB+ more */
	SOFTPT_AFTER_NR
};

/* What the source does not use is zero. */
struct softpt_trigger {
	__u32 size;
	__u32 flags;		/* SOFTPT_TRIGGER_* */
	__u32 index;		/* 0..7 */
	__u32 source;		/* enum softpt_trigger_source */
	__u64 nth;		/* which occurrence fires, from 1 on; each unit counts its own */
	__u64 value;
	__u64 mask;
	__u32 usr;		/* SOFTPT_ON_EVENT: as in struct softpt_escr */
	__u32 os;
	__u8 event_class;
	__u8 reserved0;
	__u16 submask;
	__u32 after_unit;	/* enum softpt_after */
	__u64 after;
};

/* Who the hardware threads of a stepped program are */
struct softpt_threads {
	__u32 size;
	__u32 joined;		/* out: tasks so far; the last of @tid is any from there on */
	__s32 tid[SOFTPT_THREADS];	/* out: as the caller sees them; 0: nobody that it sees */
};

/* ---- event addresses (US 7,747,844; Documentation/reference/address.rst) ---- */

#define SOFTPT_FIFO_DEPTH	256	/* records that a unit keeps at most */

/**
 * struct softpt_pipeline - an in-order pipeline, and when its records freeze
 * @stages: the last of them is where instructions retire
 * @min: cycles from an event to the freeze at least
 * @delay: cycles that are programmed in addition
 * @write: cycles from a retirement to the writing of its record
 * @depth: records that are kept
 * @after: 1: nothing is recorded before the event but the clock that retired last
 */
struct softpt_pipeline {
	__u32 stages;
	__u32 min;
	__u32 delay;
	__u32 write;
	__u32 depth;
	__u32 after;
};

/* struct softpt_retirement.flags */
#define SOFTPT_RETIRED		0x1	/* an instruction retired: the address is one */
#define SOFTPT_RETIRED_FLUSHED	0x2	/* the pipeline was flushed since the record before */
#define SOFTPT_RETIRED_EARLY	0x4	/* frozen before the delays were over */
/* ours: an instruction may have left the pipeline otherwise since the record before */
#define SOFTPT_RETIRED_SQUASHED	0x8

/**
 * struct softpt_retirement - a record
 * @ip: of the instruction
 * @cycles: core cycles since the record before; 0: both are of one clock
 * @count: instructions that it stands for; 0 only in the last: its clock retired none
 * @flags: SOFTPT_RETIRED*
 */
struct softpt_retirement {
	__u64 ip;
	__u64 cycles;
	__u32 count;
	__u32 flags;
};

/**
 * struct softpt_freeze - the event that froze the records
 * @events: how many events had been counted
 * @stage: where its instruction was, 0: not known
 * @occupied: how many instructions were ahead of it that had not retired before,
 *     where @occupied_known
 * @occupied_known: whether the event said so
 * @data_known: whether the event said @data
 * @reserved: zero
 * @data: address of the data that its instruction accessed, where @data_known
 * @available: for how many events there were records: this one is the last of them
 */
struct softpt_freeze {
	__u64 events;
	__u8 stage;
	__u8 occupied;
	__u8 occupied_known;
	__u8 data_known;
	__u8 reserved[4];
	__u64 data;
	__u64 available;
};

/* Which event freezes the records of each unit: the overflow of a counter that was set */
struct softpt_freeze_args {
	__u32 size;
	__u32 flags;		/* none yet */
	__u32 counter;		/* 0..17; preset to 2^40 - K: the K-th event */
	__u32 reserved;
	struct softpt_pipeline pipeline;	/* ranges: uapi/softpt/retire.h */
};

/*
 * SET_CONFIG: -EBUSY also for another ring, truth or mode while the session has units.
 * SET_SOURCE: -EOPNOTSUPP for a source that does not work here; -EPERM for
 * SOFTPT_SOURCE_KERNEL without CAP_PERFMON. Whoever has the fd then gets its events.
 * CREATE_UNIT: -EINVAL for a CPU that does not exist, -ENXIO for one that is
 * offline, -EEXIST for one that has a unit; -ENOMEM above RLIMIT_MEMLOCK, -ENOSPC
 * above the module's max_memory.
 * ENABLE: -EINVAL without a unit, -EBUSY when enabled. DISABLE: -EINVAL when not.
 * ARM_EXEC: -EOPNOTSUPP when the source cannot, -EBADFD when not enabled, -EBUSY
 * when the session has had its process since the ENABLE, or the caller is stepped
 * for another session.
 * ATTACH: -EOPNOTSUPP, -EBADFD, -EBUSY as ARM_EXEC, -EBUSY also when one of the threads is
 * stepped for another session; -ESRCH when there is no such task, or it exits; -EINVAL for a
 * task without user mode, and for a process with SOFTPT_CLOCK_MODEL; -EPERM: a task outside
 * the caller's process takes CAP_SYS_PTRACE, unless it is the user's own and the module's
 * parameter attach_own is set. Stepping begins when the task next returns to user mode; nothing
 * wakes it. -EAGAIN when the process makes threads faster than they can be attached to, -EINTR
 * for a signal. After these, and after -ENOMEM, some threads may be stepped until DISABLE.
 * Stepped tasks: ENABLE is -EINVAL with SOFTPT_F_OS or SOFTPT_F_CR3. Threads and
 * children run untraced without SOFTPT_STEP_INHERIT; with it, SOFTPT_CLOCK_MODEL is
 * -EINVAL at the ENABLE. The source ends with its last task; the exit code is that of the
 * process that armed itself, or was attached to. An exec that gains privileges, or of a
 * file that the caller may not read, ends the stepping of that task.
 * The kernel's events: ENABLE is -EINVAL with SOFTPT_CLOCK_MODEL, or SOFTPT_F_LOSSLESS.
 * SOFTPT_SOURCE_SYNTH: ENABLE is -EAGAIN when the user has the module's synth_units of them
 * enabled, without CAP_SYS_RESOURCE.
 * SET_SOURCE, SET_ESCR, SET_COUNTER: -EOPNOTSUPP also where a counter would count what the source
 * cannot know, or be a micro-breakpoint where it cannot stop anybody.
 * SET_ESCR: -EINVAL for a number out of range, -EXDEV for a class of another sub-area, -EBUSY
 * while a counter that uses it is not both stopped and cleared.
 * SET_COUNTER: -EINVAL for a number or a preset out of range, -EXDEV for an ESCR of another area,
 * -EBUSY while it runs, and for another ESCR until it was cleared.
 * COUNT: -EINVAL for a counter that was never set.
 * SET_TRIGGER: -EINVAL for a value out of range, or one that the source does not use; -EBUSY while
 * enabled; -EOPNOTSUPP for what the session's source cannot know, as SET_SOURCE. ENABLE arms all
 * triggers, before the first event; it is -EINVAL where one freezes and the rings are streams.
 * REARM_UNITS: -EINVAL when none is frozen. A trigger event of a unit that runs on already freezes
 * those that are still to, too.
 * GET_THREADS: -EOPNOTSUPP of a source without tasks, -EBADFD when not enabled.
 * SET_FREEZE: with nothing but its size nothing is recorded any more. -EINVAL for a value out of
 * range, or a counter that was never set; -EBUSY when enabled; -EOPNOTSUPP where the source
 * does not know which instruction causes such an event.
 * SET_SOURCE, SET_ESCR and SET_COUNTER are -EOPNOTSUPP for that, too, from then on. ENABLE arms
 * the records, and the counter begins at its preset again.
 */
#define SOFTPT_SET_CONFIG	_IOW(SOFTPT_IOC, 0x10, struct softpt_config)
#define SOFTPT_GET_CONFIG	_IOWR(SOFTPT_IOC, 0x11, struct softpt_config)
#define SOFTPT_SET_SOURCE	_IOW(SOFTPT_IOC, 0x12, struct softpt_source)
#define SOFTPT_CREATE_UNIT	_IOW(SOFTPT_IOC, 0x13, struct softpt_unit_args)
#define SOFTPT_ENABLE		_IOWR(SOFTPT_IOC, 0x14, struct softpt_enable)
#define SOFTPT_DISABLE		_IOWR(SOFTPT_IOC, 0x15, struct softpt_enable)
#define SOFTPT_ARM_EXEC		_IO(SOFTPT_IOC, 0x16)	/* step the caller from its next exec */
#define SOFTPT_ATTACH		_IOW(SOFTPT_IOC, 0x17, struct softpt_attach)	/* one that runs */
#define SOFTPT_SET_ESCR		_IOW(SOFTPT_IOC, 0x18, struct softpt_escr)
#define SOFTPT_SET_COUNTER	_IOW(SOFTPT_IOC, 0x19, struct softpt_counter)
#define SOFTPT_COUNT		_IOWR(SOFTPT_IOC, 0x1a, struct softpt_count_args)
#define SOFTPT_GET_THREADS	_IOWR(SOFTPT_IOC, 0x1b, struct softpt_threads)
#define SOFTPT_SET_FREEZE	_IOW(SOFTPT_IOC, 0x1c, struct softpt_freeze_args)
#define SOFTPT_REARM_UNITS	_IO(SOFTPT_IOC, 0x1d)	/* let all frozen snapshots run on */
#define SOFTPT_SET_TRIGGER	_IOW(SOFTPT_IOC, 0x1e, struct softpt_trigger)

/* ---- unit ---- */

/*
 * Counts of a unit, in the control page and in struct softpt_status. Those in the control page
 * may be 63 events of a live source old; losses are told at once.
 */
struct softpt_counts {
	__u64 bytes;
	__u64 packets;
	__u64 events;		/* taken in, whether they yielded packets or not */
	__u64 mtc;		/* MTC packets emitted */
	__u64 mtc_suppressed;
	__u64 overflows;	/* OVF packets */
	__u64 events_lost;	/* events that overflows dropped */
	__u64 gaps;		/* live gaps healed by TSC, TMA, CBR */
};

/* struct softpt_status.flags and struct softpt_control.flags */
#define SOFTPT_ST_ENABLED	0x1
#define SOFTPT_ST_FROZEN	0x2
#define SOFTPT_ST_DONE		0x4	/* the source ended: no more will come */
#define SOFTPT_ST_LOST		0x8	/* latched: events were lost */

struct softpt_status {
	__u32 size;
	__u32 flags;		/* SOFTPT_ST_* */
	__u32 cpu;
	__u32 exit_code;	/* of a stepped process that is gone, as wait() has it */
	__u64 head;
	__u64 tail;
	struct softpt_counts counts;
	__u64 reserved[4];
};

/* struct softpt_counter_values.flags */
#define SOFTPT_READ_THREAD	0x1	/* what @thread has counted */
#define SOFTPT_READ_ALL		0x1

/* Counters of a unit, all at one instant; reading does not disturb them. */
struct softpt_counter_values {
	__u32 size;
	__u32 flags;		/* SOFTPT_READ_* */
	__u32 thread;		/* zero without SOFTPT_READ_THREAD */
	__u32 running;		/* out: a bit for each counter that counts */
	__u32 overflowed;	/* out: those that wrapped since they were cleared or preset */
	__u32 reserved;
	__u64 tsc;		/* out: the time-stamp counter */
	__u64 value[SOFTPT_COUNTERS];	/* of a thread: without preset, not cut to 40 bits */
	__u64 overflows[SOFTPT_COUNTERS];	/* times that it wrapped; of a thread: zero */
};

/* Records of retired instructions that an event froze */
struct softpt_fifo_args {
	__u32 size;
	__u32 flags;		/* none yet */
	__u32 n;		/* room at @records; out: how many there are */
	__u32 reserved;
	__u64 records;		/* where struct softpt_retirement go, the oldest first */
	struct softpt_freeze freeze;	/* out: the event */
};

/*
 * PSB: -EBADFD when not enabled, -EAGAIN without room. FREEZE: -EINVAL of a stream.
 * REARM: -EINVAL of what is not frozen. FINISH: -EINVAL with another source, -EBADFD
 * when not enabled or finished before, -EAGAIN without room and with O_NONBLOCK.
 * READ_FIFO: -EINVAL of a unit that records nothing, -EAGAIN while no event has frozen the
 * records, -ENOSPC for more than there is room for: the pipeline's depth is enough. REARM_FIFO:
 * -EINVAL of what is not frozen; the counter begins at its preset again.
 * TRIGGER: -EINVAL without a trigger that waits for that, -EBADFD when not enabled.
 *
 * write() takes whole struct softpt_event records and returns the bytes of those
 * that were taken; -EINVAL or -ERANGE when the first of them is refused, -EBADFD
 * when not enabled. read() gives plain bytes, and 0 at the end; -EBUSY once the data
 * was mapped; -EAGAIN with O_NONBLOCK also when a running snapshot overwrote what was
 * being read. poll(): EPOLLIN from the watermark on, or a frozen snapshot; EPOLLRDBAND from the
 * truth ring's watermark on; EPOLLOUT with room for a record; EPOLLPRI from a counter's overflow
 * to the next READ_COUNTERS; EPOLLERR from a loss to the next GET_STATUS; EPOLLHUP when the unit's
 * session is disabled or its source has ended.
 */
#define SOFTPT_GET_STATUS	_IOWR(SOFTPT_IOC, 0x20, struct softpt_status)
#define SOFTPT_PSB		_IO(SOFTPT_IOC, 0x21)	/* PSB+ on demand */
#define SOFTPT_FREEZE		_IO(SOFTPT_IOC, 0x22)	/* stop a snapshot ring */
#define SOFTPT_REARM		_IO(SOFTPT_IOC, 0x23)	/* let it run on */
#define SOFTPT_FINISH		_IO(SOFTPT_IOC, 0x24)	/* replay: flush TNT, closing anchor */
#define SOFTPT_READ_COUNTERS	_IOWR(SOFTPT_IOC, 0x25, struct softpt_counter_values)
/* The number is that of struct softpt_fifo_args in version 1, which had 40 bytes. */
#define SOFTPT_READ_FIFO	_IOC(_IOC_READ | _IOC_WRITE, SOFTPT_IOC, 0x26, 40)
#define SOFTPT_REARM_FIFO	_IO(SOFTPT_IOC, 0x27)	/* wait for the next event */
#define SOFTPT_TRIGGER		_IO(SOFTPT_IOC, 0x28)	/* an occurrence of SOFTPT_ON_DEMAND */

/* Page 0 of a unit's mapping: the reader's */
struct softpt_reader {
	__aligned_u64 tail;	/* stream mode: bytes read so far */
	/* poll() reports EPOLLIN from so many unread bytes on; 0: 1; at most half a ring */
	__aligned_u64 watermark;
};

/*
 * Counters in page 1. A reader takes @seq, then what it wants, then @seq again; it was
 * disturbed, and begins anew, when the two differ or are odd.
 */
struct softpt_counter_page {
	__u32 seq;
	__u32 overflowed;	/* as in struct softpt_counter_values */
	__aligned_u64 tsc;	/* the time-stamp counter, at the last event */
	__aligned_u64 value[SOFTPT_COUNTERS];
};

/*
 * Triggers in page 1, read as struct softpt_counter_page. The last trigger event is the
 * one that froze the ring, where one did.
 */
struct softpt_trigger_page {
	__u32 seq;
	__u32 index;		/* of the trigger that fired last */
	__aligned_u64 events;	/* trigger events since ENABLE; 0: the next three say nothing */
	__aligned_u64 tsc;	/* of the last */
	__aligned_u64 ip;	/* where it happened, as far as the unit knows */
	__aligned_u64 head;	/* bytes written up to it, its own packets included */
	__aligned_u64 hits[SOFTPT_TRIGGERS];	/* occurrences of what each waits for */
};

/* Page 1 of a unit's mapping: read-only */
struct softpt_control {
	__u32 version;		/* SOFTPT_ABI_VERSION */
	__u32 size;		/* of this struct */
	__u32 cpu;
	__u32 flags;		/* SOFTPT_ST_* */
	__u64 data_offset;	/* in the mapping */
	__u64 data_size;	/* a power of two; mapped twice in a row */
	__aligned_u64 head;	/* bytes written so far */
	__aligned_u64 tail;	/* snapshot mode: the oldest byte that is whole */
	struct softpt_counts counts;
	struct softpt_counter_page counters;
	struct softpt_trigger_page triggers;
};

#endif /* _UAPI_LINUX_SOFTPT_H */
