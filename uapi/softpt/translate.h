/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * What a translated program and its recorder share: one file in memory, mapped by both. No ABI:
 * both sides are built together. (Documentation/internals/translate.rst)
 *
 * Area 0 begins with struct softpt_xl_shared. Each further area is a process: its descriptions,
 * one page of words for each thread, and each thread's chunks of records.
 *
 * A record is a u32: the number of an exit, whose description says what was executed from the
 * head of its superblock to there. SOFTPT_XL_ESCAPE is no exit: it begins a
 * struct softpt_xl_escape.
 */
#ifndef _SOFTPT_TRANSLATE_H
#define _SOFTPT_TRANSLATE_H

#include <linux/types.h>

#define SOFTPT_XL_MAGIC		0x6c78747066746f73ull
#define SOFTPT_XL_ENV		"SOFTPT_TRANSLATE"	/* =FD:PATH */

#define SOFTPT_XL_AREA		(2ull << 30)
#define SOFTPT_XL_PROCESSES	1024
#define SOFTPT_XL_SIZE		((SOFTPT_XL_PROCESSES + 1) * SOFTPT_XL_AREA)

#define SOFTPT_XL_THREADS	256
#define SOFTPT_XL_WORDS		4096			/* bytes of a thread's words */
#define SOFTPT_XL_CHUNK		(128u << 10)
#define SOFTPT_XL_CHUNKS	16			/* of a thread */
#define SOFTPT_XL_STRIDE	(SOFTPT_XL_CHUNK + 4096)	/* a guard page is behind each */

#define SOFTPT_XL_BLOCK		1024			/* bytes of a block, at most */
#define SOFTPT_XL_NAME		4096			/* bytes of a file's name */
#define SOFTPT_XL_DOORS		4096			/* places to wait for, at most */
#define SOFTPT_XL_PLACES	8192			/* of these and of all others, at most */
#define SOFTPT_XL_PATH		130			/* steps of a superblock, at most */
#define SOFTPT_XL_TESTS		16			/* of a condition, at most */
#define SOFTPT_XL_CALLS		512			/* numbers of system calls */

/* Where the parts of an area begin, and how many entries they have */
#define SOFTPT_XL_EXITS_AT	0x00010000ull
#define SOFTPT_XL_EXITS		(3u << 20)
#define SOFTPT_XL_STEPS_AT	0x08010000ull
#define SOFTPT_XL_STEPS		(4u << 20)
#define SOFTPT_XL_OPS_AT	0x0e010000ull
#define SOFTPT_XL_OPS		(8u << 20)
#define SOFTPT_XL_LENS_AT	0x12010000ull
#define SOFTPT_XL_LENS		(64u << 20)
#define SOFTPT_XL_THREADS_AT	0x16010000ull
#define SOFTPT_XL_PLACES_AT	0x17000000ull
#define SOFTPT_XL_CHUNKS_AT	0x18000000ull
#define SOFTPT_XL_CODE_AT	0x40000000ull
#define SOFTPT_XL_CODE		(64u << 20)		/* bytes */

/*
 * Numbers of code addresses: in what follows an address of 32 bits from SOFTPT_XL_FAR on is of the
 * piece (number - SOFTPT_XL_FAR) >> SOFTPT_XL_PIECE.
 */
#define SOFTPT_XL_FAR		0x80000000u
#define SOFTPT_XL_PIECE		20
#define SOFTPT_XL_PIECES	2048

enum softpt_xl_compare {
	SOFTPT_XL_EQ,
	SOFTPT_XL_NE,
	SOFTPT_XL_LT,
	SOFTPT_XL_LE,
	SOFTPT_XL_GT,
	SOFTPT_XL_GE,
	SOFTPT_XL_AND,		/* a bit is set in both */
};

/**
 * struct softpt_xl_test - an argument of a function, beside a number
 * @value: the number, extended to 64 bits as the argument is
 * @arg: 0 to 5: the register that has it is RDI, RSI, RDX, RCX, R8, R9
 * @op: enum softpt_xl_compare
 * @bits: of the argument: 8, 16, 32 or 64
 * @is_signed: it is
 * @last: of those that hold together (&&); what follows may hold in their place (||)
 * @reserved: 0
 */
struct softpt_xl_test {
	__u64 value;
	__u8 arg;
	__u8 op;
	__u8 bits;
	__u8 is_signed;
	__u8 last;
	__u8 reserved[3];
};

/**
 * struct softpt_xl_shared - begins area 0
 * @magic: SOFTPT_XL_MAGIC
 * @recorder: its process; 0: it is gone
 * @fd: the descriptor of the file in it
 * @taken: areas taken so far, or more
 * @begun: processes that have begun so far
 * @asks: the recorder waits for functions: it is asked where they are when a file is mapped
 * @nr_tests: of the condition that calls of these functions are to meet; 0: there is none
 * @test: of that
 * @starts: a bit for each system call behind which a thread is recorded
 * @stops: and for each behind which it is recorded no more
 * @runtime: the file of the runtime
 */
struct softpt_xl_shared {
	__u64 magic;
	__u32 recorder;
	__u32 fd;
	__u32 taken;
	__u32 begun;
	__u32 asks;
	__u32 nr_tests;
	struct softpt_xl_test test[SOFTPT_XL_TESTS];
	__u64 starts[SOFTPT_XL_CALLS / 64];
	__u64 stops[SOFTPT_XL_CALLS / 64];
	char runtime[SOFTPT_XL_NAME];
};

enum softpt_xl_state {
	SOFTPT_XL_FREE,
	SOFTPT_XL_STARTING,	/* taken; the rest is not to be read yet */
	SOFTPT_XL_LIVE,
	SOFTPT_XL_ENDED,	/* it has exited, or executes another program in another area */
};

/**
 * struct softpt_xl_process - begins the area of a process
 * @state: enum softpt_xl_state
 * @pid: the process
 * @parent: who has forked it, or 0
 * @map: where the process sees the file
 * @slots: threads so far, at once
 * @exits: descriptions so far; so are @steps, @ops, @lens
 * @steps: steps so far
 * @ops: operations so far
 * @lens: lengths so far
 * @forks: children that have no area of their own yet, and need this one
 * @code: bytes of code that no file holds, so far
 * @flushes: how often all descriptions have gone
 * @order: how many processes had begun before
 * @attached: it ran before it was recorded
 * @leave: its threads are to be given back: the recorder's
 * @mapped: of a process that is attached to: SOFTPT_XL_TABLE_MAPPED, SOFTPT_XL_CACHE_MAPPED
 * @asked: how often the recorder was asked for functions
 * @answered: the question that it has answered
 * @edition: how often it has said where they are: the recorder's, as @answered and @places are
 * @places: how many struct softpt_xl_place there are, of even and odd editions
 * @native: it executes its own code but for calls of these functions
 * @known: all system calls that the runtime has to know of are places: the recorder's
 * @made: there is code that no file holds
 * @children: it has made processes
 * @awaits: a semaphore of a probe is not mapped yet: the recorder's
 * @reserved: 0
 * @far: where each piece of code above 2 GB begins
 * @base: what is added to the addresses of the program's file
 * @exe: the program, for the other processes that look at /proc/PID/exe
 */
struct softpt_xl_process {
	__u32 state;
	__u32 pid;
	__u32 parent;
	__u32 slots;
	__u64 map;
	__u32 exits;
	__u32 steps;
	__u32 ops;
	__u32 lens;
	__u32 code;
	__u32 forks;
	__u32 flushes;
	__u32 order;
	__u32 attached;
	__u32 leave;
	__u32 mapped;
	__u32 asked;
	__u32 answered;
	__u32 edition;
	__u32 places[2];
	__u32 native;
	__u32 known;
	__u32 made;
	__u32 children;
	__u32 awaits;
	__u32 reserved;
	__u64 far[SOFTPT_XL_PIECES];
	__u64 base;
	char exe[SOFTPT_XL_NAME];
};

/**
 * struct softpt_xl_place - where a thread is waited for, a system call is made, or a counter is
 * @addr: its first byte, and SOFTPT_XL_PLACE_CALL: of an instruction SYSCALL, or
 *	SOFTPT_XL_PLACE_SEMAPHORE: of a __u16 that says how many wait for a probe
 * @code: what the file has there
 * @cfa: within a function: its frame (CFA), less the register that it is told from; 0: a function
 *	begins there
 * @by_rbp: that register is RBP, else RSP
 * @role: enum softpt_xl_role
 */
struct softpt_xl_place {
	__u64 addr;
	__u8 code[8];
	__s32 cfa;
	__u16 by_rbp;
	__u16 role;
};

/* What a thread does at a place, of which there may be two: START | STOP */
enum softpt_xl_role {
	SOFTPT_XL_ROLE_CALL = 0,	/* it is recorded until the function returns */
	SOFTPT_XL_ROLE_START = 1,	/* it is recorded from there on */
	SOFTPT_XL_ROLE_STOP = 2,	/* it is recorded no more */
};

/* RSP of what is recorded from a start on: no function around it returns */
#define SOFTPT_XL_STRETCH	0xffffffffffffffffull

#define SOFTPT_XL_PLACE_CALL		0x8000000000000000ull
#define SOFTPT_XL_PLACE_SEMAPHORE	0x4000000000000000ull
#define SOFTPT_XL_PLACE_KINDS		(SOFTPT_XL_PLACE_CALL | SOFTPT_XL_PLACE_SEMAPHORE)

/* @far: of the process */
static inline __u64 softpt_xl_address(const __u64 *far, __u32 number)
{
	__u32 from = number - SOFTPT_XL_FAR;

	if (number < SOFTPT_XL_FAR)
		return number;
	return far[from >> SOFTPT_XL_PIECE] + (from & ((1u << SOFTPT_XL_PIECE) - 1));
}

/* The kind of a block's last instruction is enum softpt_x86_kind (kmod/x86/decode.h). */

/**
 * struct softpt_xl_step - one block of a superblock
 * @addr: its first instruction
 * @target: of the direct branch at its end
 * @last: its last instruction
 * @lens: where the lengths of its instructions begin
 * @insns: how many it has
 * @kind: of its last instruction
 * @len: bytes of its last instruction
 * @taken: where the superblock goes on: a conditional branch is taken
 * @reserved: 0
 */
struct softpt_xl_step {
	__u32 addr;
	__u32 target;
	__u32 last;
	__u32 lens;
	__u16 insns;
	__u8 kind;
	__u8 len;
	__u8 taken;
	__u8 reserved[3];
};

/**
 * struct softpt_xl_op - what is between the TNT bits of a superblock
 * @addr: what a call pushes, or where an indirect branch goes
 * @bits: TNT bits before it
 * @kind: CALL or ICALL: a push; RET, IJMP, ICALL: where it goes
 * @push: it is the push
 */
struct softpt_xl_op {
	__u32 addr;
	__u16 bits;
	__u8 kind;
	__u8 push;
};

/**
 * struct softpt_xl_exit - all from the head of a superblock to where it is left
 * @bits: outcomes of its conditional branches, the newest in bit 0
 * @head: its first instruction
 * @last: its last
 * @to: where execution goes on; 0: that is an indirect branch, or a system call
 * @first: its first step
 * @op: its first operation
 * @insns: instructions
 * @nsteps: how many; so is @nops
 * @nops: how many operations
 * @nbits: how many
 * @kind: of its last instruction
 * @len: bytes of that
 * @taken: that is a conditional branch, and taken
 * @reserved: 0
 */
struct softpt_xl_exit {
	__u64 bits;
	__u32 head;
	__u32 last;
	__u32 to;
	__u32 first;
	__u32 op;
	__u16 insns;
	__u16 nsteps;
	__u16 nops;
	__u8 nbits;
	__u8 kind;
	__u8 len;
	__u8 taken;
	__u8 reserved[2];
};

#define SOFTPT_XL_ESCAPE	0xffffffffu

/* 1 to 64: a signal is delivered */
enum softpt_xl_what {
	SOFTPT_XL_GO_ON		= 0,	/* a signal was to be delivered, and is not */
	SOFTPT_XL_THREAD	= 0x100,	/* the thread @from begins at @to */
	SOFTPT_XL_CALL		= 0x101,	/* the system call @from (its number) begins */
	SOFTPT_XL_RETURN	= 0x102,	/* it is done, and goes on at @to */
	SOFTPT_XL_END		= 0x103,	/* the thread is no more */
	SOFTPT_XL_TIME		= 0x104,	/* the next record, and no more, is over at @tsc */
	SOFTPT_XL_BYTES		= 0x105,	/* @first: @steps bytes of code at @from */
	SOFTPT_XL_VALUE		= 0x106,	/* PTWRITE at @from of the value @to; it was done */
	SOFTPT_XL_DOOR		= 0x107,	/* at @from; RSP at its function's entry is @to */
	SOFTPT_XL_BACK		= 0x108,	/* one has returned to @from, RSP is @to */
};

#define SOFTPT_XL_UNDONE	1	/* the last instruction of the record before was not done */
#define SOFTPT_XL_IN_KERNEL	2	/* a system call was begun, and has no end */
#define SOFTPT_XL_CALLED	4	/* a call led to the door, no jump */
#define SOFTPT_XL_TRAPPED	8	/* INT3, before @from, has led to the signal */
#define SOFTPT_XL_STOPPED	16	/* at a stop: no function has returned */

/**
 * struct softpt_xl_escape - what no exit says
 * @mark: SOFTPT_XL_ESCAPE
 * @what: enum softpt_xl_what
 * @flags: SOFTPT_XL_UNDONE, SOFTPT_XL_IN_KERNEL, SOFTPT_XL_CALLED, SOFTPT_XL_TRAPPED,
 *	SOFTPT_XL_STOPPED
 * @first: with @steps and @insns: these steps were done from here on, and so many
 *	instructions of the next; of SOFTPT_XL_BYTES where they are in the area of the process
 * @steps: see @first
 * @insns: see @first
 * @from: the instruction that was not done yet
 * @to: where the thread goes on
 * @tsc: now
 */
struct softpt_xl_escape {
	__u32 mark;
	__u16 what;
	__u16 flags;
	__u32 first;
	__u16 steps;
	__u16 insns;
	__u64 from;
	__u64 to;
	__u64 tsc;
};

/**
 * struct softpt_xl_crash - how a signal has ended a thread: told before the escape of that signal
 * @signo: the signal; 0: none has
 * @code: si_code
 * @addr: si_addr, or who has sent it, as siginfo has it
 * @trap: the exception of a fault; 0: it was none
 * @err: its error code
 * @rip: the instruction that was not executed
 * @rflags: flags
 * @reg: registers, as instructions encode them
 */
struct softpt_xl_crash {
	__u32 signo;
	__s32 code;
	__u64 addr;
	__u32 trap;
	__u32 err;
	__u64 rip;
	__u64 rflags;
	__u64 reg[16];
};

/**
 * struct softpt_xl_words - a thread's words, at GS in the program
 * @rcx: RCX of the program, where the translation needs a register
 * @cursor: where the next record goes: an address of the program's
 * @link: how the dispatcher was come to
 * @target: of an indirect branch that was missed
 * @rsp: RSP of the program, in the runtime
 * @jump: where the runtime goes
 * @stack: the runtime's
 * @self: these words
 * @pending: a signal is held: not 0
 * @seen: the recorder has read so far: an address as @cursor is; the recorder's
 * @scratch: of the program, where an operand needs another register
 * @tid: the thread, 0: none
 * @chunk: which it fills
 * @filled: bytes of a chunk that is handed over, plus 1; the recorder sets it to 0
 * @parked: a thread that is given back waits, with its registers on the runtime's stack
 * @native_pc: where a thread that is given back goes on
 * @native_mask: and the signals that it blocks
 * @crash: how it has ended
 *
 * The offsets of the first ten are in userspace/translate/thread.h, too.
 */
struct softpt_xl_words {
	__u64 rcx;
	__u64 cursor;
	__u64 link;
	__u64 target;
	__u64 rsp;
	__u64 jump;
	__u64 stack;
	__u64 self;
	__u64 pending;
	__u64 scratch;
	__u64 seen;
	__u32 tid;
	__u32 chunk;
	__u32 filled[SOFTPT_XL_CHUNKS];
	__u64 parked;
	__u64 native_pc;
	__u64 native_mask;
	struct softpt_xl_crash crash;
};

#define SOFTPT_XL_ATTACH	0x686361747461736full

/**
 * struct softpt_xl_attach - right before the entry of the runtime's file
 * @magic: SOFTPT_XL_ATTACH
 * @begin: function (descriptor of the shared file): the process is about to be taken over
 * @take: function (thread | system call that restart_syscall() goes on with << 32 |
 *	SOFTPT_XL_ENDS or SOFTPT_XL_ENDS_UNLESS, PC, mask, RSP, rseq area, its size and
 *	signature << 32): a thread has a slot. Return: where its words are, 0: there is no memory
 * @end: function (): all threads are given back
 * @enter: where a thread of which nothing but RSP is set goes: to its registers, in translation
 * @give_back: and out of it
 * @done: where these functions return to, behind the INT3
 * @failed: where they end if they can't: RAX is the reason, a text; behind the INT3
 * @call: a thread from here on to the SYSCALL has its registers on the runtime's stack
 * @called: behind the SYSCALL of a thread whose registers are on the runtime's stack
 * @cache: where translations are, and how many bytes; so is @table
 * @table: of indirect branches, of such a process
 * @release: function (): the caller, which executes the program itself, has no runtime any more.
 *	Its words have the mask of signals that it goes on with
 */
struct softpt_xl_attach {
	__u64 magic;
	__u64 begin;
	__u64 take;
	__u64 end;
	__u64 enter;
	__u64 give_back;
	__u64 done;
	__u64 failed;
	__u64 call;
	__u64 called;
	__u64 cache[2];
	__u64 table[2];
	__u64 release;
};

/* Value of a SIGTRAP of the runtime's: the thread is to come to the dispatcher */
#define SOFTPT_XL_LEAVE		0x6c78766165ull

#define SOFTPT_XL_TABLE_MAPPED	1
#define SOFTPT_XL_CACHE_MAPPED	2

/* It waits in a system call: a handler ends that, SOFTPT_XL_ENDS_UNLESS: one without SA_RESTART */
#define SOFTPT_XL_ENDS		0x4000000000000000ull
#define SOFTPT_XL_ENDS_UNLESS	0x8000000000000000ull

#define SOFTPT_XL_SYSCALL	2	/* bytes of the instruction */
#define SOFTPT_XL_CONTEXT	128	/* bytes of the registers at the top of a thread's stack */

/* What else the runtime maps for a process that it is attached to */
#define SOFTPT_XL_ROOMS		0x3b0000000000ull
#define SOFTPT_XL_ROOMS_SIZE	(64ull << 30)

/* Offsets in the file */
static inline __u64 softpt_xl_area(__u32 process)
{
	return (process + 1) * SOFTPT_XL_AREA;
}

static inline __u64 softpt_xl_places_at(__u32 edition)
{
	return SOFTPT_XL_PLACES_AT +
	       (edition & 1) * (SOFTPT_XL_PLACES * sizeof(struct softpt_xl_place));
}

static inline __u64 softpt_xl_words_at(__u32 slot)
{
	return SOFTPT_XL_THREADS_AT + (__u64)slot * SOFTPT_XL_WORDS;
}

static inline __u64 softpt_xl_chunk_at(__u32 slot, __u32 chunk)
{
	return SOFTPT_XL_CHUNKS_AT + ((__u64)slot * SOFTPT_XL_CHUNKS + chunk) * SOFTPT_XL_STRIDE;
}

#endif /* _SOFTPT_TRANSLATE_H */
