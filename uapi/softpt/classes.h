/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Event classes of the counters, and who sees what: one table for the engine, the
 * parser, the sources and --list-events. Numbers never change. Shared source, not
 * ABI. (Documentation/reference/counters.rst)
 */
#ifndef _SOFTPT_CLASSES_H
#define _SOFTPT_CLASSES_H

#include <linux/softpt.h>

/*
 * ROW(id, number, name, unit, what) and its SUB(id, sub, bit, name, what). The unit
 * is what a COUNT counts: OCCURRENCES, or CLOCKS while a condition holds. An event
 * has one bit of its subclasses or more. Classes without a row are free for the
 * user's own, as ext8 for number 8.
 */
#define SOFTPT_CLASSES(ROW, SUB) \
	ROW(INSTRUCTIONS, 0, "instructions", OCCURRENCES, "instructions that retire") \
	SUB(INSTRUCTIONS, RETIRED, 0, "retired", "each, a repeated one once") \
	ROW(BRANCH_INSTRUCTIONS, 1, "branch-instructions", OCCURRENCES, \
	      "branches that retire, by kind") \
	SUB(BRANCH_INSTRUCTIONS, CONDITIONAL, 0, "conditional", "conditional branches") \
	SUB(BRANCH_INSTRUCTIONS, JUMP, 1, "jump", "jumps") \
	SUB(BRANCH_INSTRUCTIONS, CALL, 2, "call", "calls") \
	SUB(BRANCH_INSTRUCTIONS, RETURN, 3, "return", "returns") \
	SUB(BRANCH_INSTRUCTIONS, INDIRECT, 4, "indirect", "jumps and calls through a value") \
	SUB(BRANCH_INSTRUCTIONS, FAR, 5, "far", "far transfers; system calls are none") \
	ROW(BRANCHES, 2, "branches", OCCURRENCES, "branches that retire, by outcome") \
	SUB(BRANCHES, TAKEN, 0, "taken", "execution goes on elsewhere") \
	SUB(BRANCHES, NOT_TAKEN, 1, "not-taken", "conditional ones that fall through") \
	SUB(BRANCHES, PREDICTED, 2, "predicted", "as predicted") \
	SUB(BRANCHES, MISPREDICTED, 3, "mispredicted", "otherwise") \
	ROW(MEM, 3, "mem", OCCURRENCES, "accesses to memory") \
	SUB(MEM, READ, 0, "read", "loads") \
	SUB(MEM, WRITE, 1, "write", "stores") \
	ROW(DCACHE, 4, "dcache", OCCURRENCES, "accesses to the data cache") \
	SUB(DCACHE, READ_HIT, 0, "read-hit", "loads that hit") \
	SUB(DCACHE, READ_MISS, 1, "read-miss", "loads that miss") \
	SUB(DCACHE, WRITE_HIT, 2, "write-hit", "stores that hit") \
	SUB(DCACHE, WRITE_MISS, 3, "write-miss", "stores that miss") \
	ROW(ICACHE, 5, "icache", OCCURRENCES, "fetches from the instruction cache") \
	SUB(ICACHE, HIT, 0, "hit", "fetches that hit") \
	SUB(ICACHE, MISS, 1, "miss", "fetches that miss") \
	ROW(TLB, 6, "tlb", OCCURRENCES, "misses of the translation buffers") \
	SUB(TLB, FETCH_MISS, 0, "fetch-miss", "of fetches") \
	SUB(TLB, READ_MISS, 1, "read-miss", "of loads") \
	SUB(TLB, WRITE_MISS, 2, "write-miss", "of stores") \
	ROW(PAGE_WALKS, 7, "page-walks", CLOCKS, "page tables are being walked") \
	SUB(PAGE_WALKS, FETCH, 0, "fetch", "for a fetch") \
	SUB(PAGE_WALKS, READ, 1, "read", "for a load") \
	SUB(PAGE_WALKS, WRITE, 2, "write", "for a store") \
	ROW(CYCLES, 9, "cycles", CLOCKS, "the core runs") \
	SUB(CYCLES, BUSY, 0, "busy", "something retires") \
	SUB(CYCLES, IDLE, 1, "idle", "nothing does") \
	ROW(STALLS, 10, "stalls", CLOCKS, "the pipeline stands still") \
	SUB(STALLS, FETCH, 0, "fetch", "for an instruction") \
	SUB(STALLS, EXECUTE, 1, "execute", "for a unit that is busy") \
	SUB(STALLS, MEMORY, 2, "memory", "for data") \
	SUB(STALLS, RETIRE, 3, "retire", "for a place to retire to") \
	ROW(HAZARDS, 11, "hazards", OCCURRENCES, "instructions that must wait for another") \
	SUB(HAZARDS, STRUCTURAL, 0, "structural", "for what it uses") \
	SUB(HAZARDS, DATA, 1, "data", "for its result") \
	SUB(HAZARDS, CONTROL, 2, "control", "for its direction") \
	ROW(RECIRCULATIONS, 12, "recirculations", OCCURRENCES, \
	      "instructions that go through the pipeline again") \
	SUB(RECIRCULATIONS, RETIRING, 0, "retiring", "and retire in the end") \
	SUB(RECIRCULATIONS, FLUSHED, 1, "flushed", "and are flushed") \
	ROW(BREAKPOINTS, 13, "breakpoints", OCCURRENCES, "breakpoints that are hit") \
	SUB(BREAKPOINTS, EXECUTE, 0, "execute", "at an instruction") \
	SUB(BREAKPOINTS, DATA, 1, "data", "at data") \
	SUB(BREAKPOINTS, SOFTWARE, 2, "software", "an instruction that is one") \
	ROW(SYSTEM_CALLS, 16, "system-calls", OCCURRENCES, "system calls") \
	SUB(SYSTEM_CALLS, ENTER, 0, "enter", "where they begin") \
	ROW(PAGE_FAULTS, 17, "page-faults", OCCURRENCES, "page faults, by the access") \
	SUB(PAGE_FAULTS, READ, 0, "read", "a load") \
	SUB(PAGE_FAULTS, WRITE, 1, "write", "a store") \
	SUB(PAGE_FAULTS, FETCH, 2, "fetch", "a fetch") \
	ROW(CONTEXT_SWITCHES, 18, "context-switches", OCCURRENCES, \
	      "a thread is switched away from") \
	SUB(CONTEXT_SWITCHES, VOLUNTARY, 0, "voluntary", "it waits") \
	SUB(CONTEXT_SWITCHES, PREEMPTED, 1, "preempted", "it could run on") \
	ROW(INTERRUPTS, 19, "interrupts", OCCURRENCES, "interrupts") \
	SUB(INTERRUPTS, EXTERNAL, 0, "external", "of devices and timers") \
	SUB(INTERRUPTS, NMI, 1, "nmi", "that cannot be masked") \
	ROW(TRACE, 63, "trace", OCCURRENCES, "what the trace unit itself does") \
	SUB(TRACE, PACKETS, 0, "packets", "packets generated") \
	SUB(TRACE, MTC, 1, "mtc", "MTC packets generated, which are packets, too") \
	SUB(TRACE, MTC_SUPPRESSED, 2, "mtc-suppressed", "MTCs suppressed when they were due")

enum softpt_event_class {
#define ROW(id, number, name, unit, what) SOFTPT_CLASS_##id = (number),
#define SUB(id, sub, bit, name, what)
	SOFTPT_CLASSES(ROW, SUB)
#undef ROW
#undef SUB
};

/* SOFTPT_SUB_BRANCHES_TAKEN and so on: bits of a submask */
enum softpt_event_sub {
#define ROW(id, number, name, unit, what)
#define SUB(id, sub, bit, name, what) SOFTPT_SUB_##id##_##sub = 1 << (bit),
	SOFTPT_CLASSES(ROW, SUB)
#undef ROW
#undef SUB
};

#define SOFTPT_AREAS		4
#define SOFTPT_SUBAREAS		24
#define SOFTPT_CLASS_NR		SOFTPT_EVENT_CLASSES

/* Areas 0 to 3 have 3, 6, 7 and 8 sub-areas, and 4, 4, 4 and 6 counters. */
static inline unsigned int softpt_area_of_subarea(unsigned int subarea)
{
	return (subarea >= 3) + (subarea >= 9) + (subarea >= 16);
}

static inline unsigned int softpt_area_of_counter(unsigned int counter)
{
	return counter < 12 ? counter / 4 : 3;
}

/* The events of a class are seen in one sub-area only. */
static inline unsigned int softpt_subarea_of_class(unsigned int event_class)
{
	return event_class % SOFTPT_SUBAREAS;
}

static inline unsigned int softpt_subarea_of_escr(unsigned int escr)
{
	return escr / 2;
}

#endif /* _SOFTPT_CLASSES_H */
