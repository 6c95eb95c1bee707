/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Many branches of one time, for a host that knows the time of many at once */
#ifndef _SOFTPT_ENGINE_RUN_H
#define _SOFTPT_ENGINE_RUN_H

#include "state.h"

#define SOFTPT_RUN_BITS		58	/* of one run, at most */
#define SOFTPT_RUN_STRIDE	16	/* bytes are copied so many at once */
/* What may precede the packets of a run: pending TNT bits, MODE.Exec, the indirect branch before */
#define SOFTPT_RUN_BEFORE	20

enum softpt_run_what {
	SOFTPT_RUN_CALL,	/* direct, not to the instruction behind it */
	SOFTPT_RUN_ICALL,	/* SOFTPT_RUN_TIP follows */
	SOFTPT_RUN_TIP,		/* an indirect jump or call */
	SOFTPT_RUN_RET,
	SOFTPT_RUN_DEEP,	/* calls that have returned: as many as were open at once */
	SOFTPT_RUN_BYTES,	/* packets that are always the same, behind a SOFTPT_RUN_TIP */
};

/**
 * struct softpt_run_op - what is between the conditional branches of a run
 * @addr: where a call returns to, or where an indirect branch goes; of BYTES the last of these
 * @bits: outcomes of the conditional branches between the operation before and this one, as in
 *	struct softpt_run; of BYTES where they begin in the table of bytes
 * @nbits: how many
 * @what: enum softpt_run_what
 * @n: of BYTES how many, of DEEP the calls: SOFTPT_RET_DEPTH at most
 * @packets: of BYTES how many they are
 */
struct softpt_run_op {
	u64 addr;
	u64 bits;
	u8 nbits;
	u8 what;
	u16 n;
	u16 packets;
};

/**
 * struct softpt_run - instructions that were executed in a row
 * @bits: outcomes of the conditional branches behind the last operation: taken is 1, the newest
 *	is in bit 0, and no bit is set above them
 * @head: the first instruction: where an indirect branch before it went
 * @back: where an indirect call at the end returns to
 * @on: where execution goes on, or the indirect branch at the end
 * @op: the first operation, in the table of operations
 * @nops: how many
 * @insns: instructions
 * @events: events that the branches would be; direct jumps are none
 * @rets: TNT bits that are returns, of BYTES and of @bits
 * @most: bytes that it may write, SOFTPT_RUN_BEFORE included; 0: there is no such run
 * @branches: conditional branches, those before operations included
 * @nbits: of @bits: 0 to SOFTPT_RUN_BITS; so has each operation
 * @end: an indirect branch at the end, SOFTPT_EV_RET, _IJMP or _ICALL, which goes to the next
 *	head; or 0
 */
struct softpt_run {
	u64 bits;
	u64 head;
	u64 back;
	u64 on;
	u32 op;
	u32 insns;
	u16 nops;
	u16 events;
	u16 branches;
	u16 rets;
	u16 most;
	u8 nbits;
	u8 end;
};

/**
 * struct softpt_runs - tables that numbers of runs refer to, and what was done
 * @run: the runs
 * @op: their operations
 * @bytes: and their bytes; SOFTPT_RUN_STRIDE may be read behind the last
 * @nr: number of runs
 * @end: @end of the last run that was done: its indirect branch waits; or 0
 * @back: its @back
 * @branches: conditional branches of all runs that were done, a sum
 * @insns: instructions, a sum
 */
struct softpt_runs {
	const struct softpt_run *run;
	const struct softpt_run_op *op;
	const u8 *bytes;
	u32 nr;
	u8 end;
	u64 back;
	u64 branches;
	u64 insns;
};

/**
 * softpt_engine_takes_runs() - whether softpt_engine_run() would do a run
 * @e: the engine
 * @tsc: time of the branches
 * @s: where packets go
 *
 * Return: false where something else may be due than packets of branches (ticks, a PSB+, CYC
 * packets, ranges, triggers, counters), or there is little room.
 */
bool softpt_engine_takes_runs(const struct softpt_engine *e, u64 tsc, const struct softpt_sink *s);

/**
 * softpt_engine_run() - runs of branches that have one time
 * @e: the engine
 * @tsc: their time, not before the last event
 * @r: the tables; @end and @back are read and written, @branches and @insns are added to
 * @number: numbers of runs, in the order in which they were executed
 * @n: how many
 * @s: where packets go
 *
 * Writes what the same branches would write as events, at a cost by the packet and not by the
 * branch. BYTES and DEEP are for a host that knows what it has made of runs: of @e with RET
 * compression and TNT packets of 6 bits. Ends before a number that is no run's, and where
 * softpt_engine_takes_runs() would be false or the run has no room: then give the branches as
 * events.
 *
 * Return: how many runs were done.
 */
u32 softpt_engine_run(struct softpt_engine *e, u64 tsc, struct softpt_runs *r, const u32 *number,
		      u32 n, struct softpt_sink *s);

#endif /* _SOFTPT_ENGINE_RUN_H */
