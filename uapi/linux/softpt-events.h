/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * Events: what a unit takes in, and the truth, what it says of when they happened. A part of
 * <linux/softpt.h>.
 */
#ifndef _UAPI_LINUX_SOFTPT_EVENTS_H
#define _UAPI_LINUX_SOFTPT_EVENTS_H

#include <linux/types.h>

/* One kind for each keyword of the event text (Documentation/reference/events.rst). */
enum softpt_event_kind {
	SOFTPT_EV_IDLE		= 0,	/* nothing happens; time passes */
	SOFTPT_EV_ENABLE	= 1,	/* ip */
	SOFTPT_EV_DISABLE	= 2,	/* [ip] */
	SOFTPT_EV_JCC		= 3,	/* ip, TAKEN, [target] */
	SOFTPT_EV_JMP		= 4,	/* ip, target */
	SOFTPT_EV_CALL		= 5,	/* ip, target, len */
	SOFTPT_EV_IJMP		= 6,	/* ip, target */
	SOFTPT_EV_ICALL		= 7,	/* ip, target, len */
	SOFTPT_EV_RET		= 8,	/* ip, target */
	SOFTPT_EV_FAR		= 9,	/* ip, target, cpl after */
	SOFTPT_EV_INTR		= 10,	/* ip, target, cpl after, arg: vector */
	SOFTPT_EV_CR3		= 11,	/* arg: value, [ip] */
	SOFTPT_EV_CPL		= 12,	/* cpl, [ip] */
	SOFTPT_EV_MODE		= 13,	/* arg: 16, 32 or 64 */
	SOFTPT_EV_THREAD	= 14,	/* thread: hardware thread from here on */
	SOFTPT_EV_PTW		= 15,	/* arg: value, [ip] */
	SOFTPT_EV_CBR		= 16,	/* arg: ratio */
	SOFTPT_EV_CLOCK		= 17,	/* arg: ratio, never announced */
	SOFTPT_EV_SLEEP		= 18,	/* arg: TSC ticks */
	SOFTPT_EV_MWAIT		= 19,	/* arg: hints, arg2: extensions */
	SOFTPT_EV_PWRE		= 20,	/* arg: state, arg2: sub-state */
	SOFTPT_EV_PWRX		= 21,	/* arg: last, target: deepest, arg2: reason */
	/* arg: count, arg2: class | submask << 16, stage, [target: occupied], [ip: of its data] */
	SOFTPT_EV_PMU		= 22,
	SOFTPT_EV_PSB		= 23,	/* PSB+ on demand */
	SOFTPT_EV_OVF		= 24,	/* arg: TSC ticks during which packets are lost */
	SOFTPT_EV_TRIG		= 25,	/* arg: TRBV bits */
	SOFTPT_EV_CFE		= 26,	/* arg: vector, arg2: type, [ip] */
	SOFTPT_EV_EVD		= 27,	/* arg: value, arg2: type */
	SOFTPT_EV_TSX		= 28,	/* arg: enum softpt_tsx, [ip], [target] */
	SOFTPT_EV_VMCS		= 29,	/* arg: base address */
	SOFTPT_EV_RETIRE	= 30,	/* ip, arg: count */
	/* PowerPC's, for the trace port; no unit says anything of them */
	SOFTPT_EV_MTLR		= 31,	/* arg: value moved to the link register, [ip] */
	SOFTPT_EV_MTCTR		= 32,	/* arg: value moved to the count register, [ip] */
	SOFTPT_EV_LR		= 33,	/* arg: what the link register holds */
	SOFTPT_EV_CTR		= 34,	/* arg: what the count register holds */
	/* what triggers look at; no packet says anything of them */
	SOFTPT_EV_SYSCALL	= 35,	/* arg: number, [ip] */
	SOFTPT_EV_SIGNAL	= 36,	/* arg: number, arg2: 1: it ends nobody, [ip] */
	SOFTPT_EV_EXIT		= 37,	/* arg: code, as wait() has it */
	SOFTPT_EV_DATA		= 38,	/* arg: address of an access to memory, [ip] */
	SOFTPT_EV_FLUSH		= 39,	/* what has not retired leaves the pipeline */
	SOFTPT_EV_NR
};

enum softpt_tsx {
	SOFTPT_TSX_BEGIN	= 0,
	SOFTPT_TSX_COMMIT	= 1,
	SOFTPT_TSX_ABORT	= 2,
};

/* struct softpt_event.flags */
#define SOFTPT_EVF_TAKEN	0x1	/* jcc */
#define SOFTPT_EVF_IP		0x2	/* @ip is valid where it is optional */
#define SOFTPT_EVF_TARGET	0x4	/* @target is valid where it is optional */
#define SOFTPT_EVF_DATA		0x8	/* pmu: @ip is the address of its data */
#define SOFTPT_EVF_BEGIN	0x10	/* pmu: a duration begins in this clock; @arg is 0 */
#define SOFTPT_EVF_END		0x20	/* pmu: it ended with the clock before; @arg is 0 */
#define SOFTPT_EVF_ALL		0x3f

struct softpt_event {
	__u64 tsc;
	__u64 ip;
	__u64 target;
	__u64 arg;
	__u32 arg2;
	__u16 kind;		/* enum softpt_event_kind */
	__u8 len;		/* bytes of a call instruction */
	__u8 cpl;
	__u8 stage;
	__u8 thread;
	__u16 flags;		/* SOFTPT_EVF_* */
	__u32 reserved;
};

/*
 * The truth ring: a second mapping of the unit, SOFTPT_TRUTH_OFFSET behind the first and laid out
 * as that, with pages 0 and 1 of its own. The data are struct softpt_truth; head and tail count
 * bytes. What finds no room is lost and counted in the counts.events_lost of its page 1, whose
 * counts.events are the records that were written. Nobody waits for it. What wrote the bytes that
 * page 1 of the ring tells of is there when SOFTPT_GET_STATUS returns.
 */
#define SOFTPT_TRUTH_OFFSET	0x10000000000ull

/* struct softpt_truth.flags */
#define SOFTPT_TRUTH_BIT	0x1	/* it appended a TNT bit, which may be written later */
/*
 * Not an event, but the end before it of what @kind began. SOFTPT_EV_IDLE: counts.gaps;
 * SOFTPT_EV_PSB: a PSB period, with a PSB+, in a gap while triggers are armed
 */
#define SOFTPT_TRUTH_END	0x2
#define SOFTPT_TRUTH_TORN	0x4	/* something is missing before; no bit waited then */

/* What wrote a piece of the stream, in order. Events that wrote nothing have none. */
struct softpt_truth {
	__u64 event;		/* its number, of all that the unit took in */
	__u64 tsc;		/* when it happened */
	__u64 cycles;		/* core cycles since the first event of this configuration */
	__u64 offset;		/* of its bytes in the stream; MTCs before it are not its own */
	__u32 bytes;
	__u16 kind;		/* enum softpt_event_kind */
	__u16 flags;		/* SOFTPT_TRUTH_* */
};

#endif /* _UAPI_LINUX_SOFTPT_EVENTS_H */
