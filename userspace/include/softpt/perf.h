/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libsoftpt: perf.data files, written as a program is recorded, and read.
 *
 * What is in a file that is written is valid after every call: whoever is killed leaves
 * a trace that perf and libsoftpt read, up to the last PSB of each CPU.
 */
#ifndef SOFTPT_PERF_H
#define SOFTPT_PERF_H

#include <linux/perf_event.h>

#include "softpt.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/*
 * The sample type of all records. Those of the kernel are taken as they are, if
 * their event was opened with it and with sample_id_all: each record ends with
 * struct softpt_perf_id.
 */
#define SOFTPT_PERF_SAMPLE_TYPE \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | \
	 PERF_SAMPLE_IDENTIFIER)

struct softpt_perf_id {
	uint32_t pid;
	uint32_t tid;
	uint64_t time;		/* perf's clock: see struct softpt_perf_setup */
	uint32_t cpu;
	uint32_t reserved;
	uint64_t id;		/* the writer sets it */
};

/**
 * struct softpt_perf_setup - what a file says of its trace
 * @cfg: of the units
 * @time_zero: perf's time = @time_zero + (tsc * @time_mult >> @time_shift), as
 *	struct perf_event_mmap_page has it; mult 1, shift 0, zero 0: TSC ticks
 * @time_mult: not 0
 * @time_shift: 0 to 63
 * @vdso: the code that the kernel maps into every process, so that who reads the file on
 *	another machine can follow it; stays the caller's until the end. NULL: none
 * @vdso_len: bytes
 * @vdso32: the same for 32-bit programs
 * @vdso32_len: bytes
 * @threads: each trace is of a thread, not of a CPU
 * @level: compress the file, as a zstd stream of this level, which softpt reads, and perf behind
 *	`zstd -d`; 0: not
 * @switches: there are PERF_RECORD_SWITCH of the traced tasks, which tell on whose behalf
 *	a CPU executes; without them it is the task of its last ITRACE_START
 */
struct softpt_perf_setup {
	const struct softpt_config *cfg;
	uint64_t time_zero;
	uint32_t time_mult;
	uint16_t time_shift;
	const void *vdso;
	size_t vdso_len;
	const void *vdso32;
	size_t vdso32_len;
	bool threads;
	bool switches;
	int level;
};

struct softpt_perf_writer;

/**
 * softpt_perf_writer_new() - begin a file
 * @w: set to the writer
 * @fd: a seekable file, empty; stays the caller's
 * @setup: copied
 *
 * Return: 0 or -errno; -ESPIPE: a pipe; -EOPNOTSUPP: @level without libzstd.
 */
int softpt_perf_writer_new(struct softpt_perf_writer **w, int fd,
			   const struct softpt_perf_setup *setup);

/**
 * softpt_perf_writer_trace() - more packets of a CPU
 * @w: the writer
 * @cpu: its unit
 * @tsc: about now, not 0
 * @buf: any cut of the stream; what is behind the last PSB is kept back, as perf does not
 *	rejoin split packets
 * @len: bytes
 *
 * Return: 0 or -errno.
 */
int softpt_perf_writer_trace(struct softpt_perf_writer *w, unsigned int cpu, uint64_t tsc,
			     const void *buf, size_t len);

/**
 * softpt_perf_writer_thread() - more packets of a thread, whatever CPUs it runs on
 * @w: the writer; its setup says @threads
 * @tid: the thread
 * @tsc: about now, not 0
 * @buf: as in softpt_perf_writer_trace()
 * @len: bytes
 *
 * Return: 0 or -errno.
 */
int softpt_perf_writer_thread(struct softpt_perf_writer *w, uint32_t tid, uint64_t tsc,
			      const void *buf, size_t len);

/**
 * softpt_perf_writer_record() - MMAP2, COMM, FORK, EXIT, ITRACE_START, SWITCH...
 * @w: the writer
 * @rec: with its size, a multiple of 8, and struct softpt_perf_id at its end
 *
 * Return: 0 or -errno; -EINVAL: a size that can't be, or there is no file and records are not
 * kept (softpt_perf_writer_next()).
 */
int softpt_perf_writer_record(struct softpt_perf_writer *w, const struct perf_event_header *rec);

/* Numbers of registers in struct softpt_perf_crash: as instructions encode them */
enum softpt_perf_reg {
	SOFTPT_PERF_RAX, SOFTPT_PERF_RCX, SOFTPT_PERF_RDX, SOFTPT_PERF_RBX,
	SOFTPT_PERF_RSP, SOFTPT_PERF_RBP, SOFTPT_PERF_RSI, SOFTPT_PERF_RDI,
	SOFTPT_PERF_R8, SOFTPT_PERF_R9, SOFTPT_PERF_R10, SOFTPT_PERF_R11,
	SOFTPT_PERF_R12, SOFTPT_PERF_R13, SOFTPT_PERF_R14, SOFTPT_PERF_R15,
	SOFTPT_PERF_REGS
};

/**
 * struct softpt_perf_crash - a thread that a signal has ended, and with it the process
 * @pid: process
 * @tid: the thread that the signal was delivered to
 * @time: in perf's clock
 * @signo: the signal
 * @code: si_code; up to 0: a process has sent it
 * @addr: si_addr; of a signal that was sent: the sender's process, and its user << 32
 * @trap: the exception that a fault has raised, as the processor numbers them; 0: not known
 * @err: its error code, where @trap is 14, a page fault: 2: a write, 0x10: a fetch of code
 * @rip: the instruction that was not executed
 * @rflags: flags
 * @reg: by enum softpt_perf_reg
 */
struct softpt_perf_crash {
	uint32_t pid;
	uint32_t tid;
	uint64_t time;
	uint32_t signo;
	int32_t code;
	uint64_t addr;
	uint32_t trap;
	uint32_t err;
	uint64_t rip;
	uint64_t rflags;
	uint64_t reg[SOFTPT_PERF_REGS];
};

/**
 * softpt_perf_writer_crash() - tell of a crash
 * @w: the writer
 * @crash: copied; it is written when the file is ended, and perf does not see it
 *
 * A file tells of the 256 newest.
 *
 * Return: 0; -ENOMEM; -EINVAL: there is no file.
 */
int softpt_perf_writer_crash(struct softpt_perf_writer *w, const struct softpt_perf_crash *crash);

/**
 * softpt_perf_writer_look() - see to what may wait for no longer
 * @w: the writer
 *
 * Of a file that is compressed the end waits until a frame is long or old enough. Who writes
 * nothing for a while calls this now and then.
 *
 * Return: 0 or -errno.
 */
int softpt_perf_writer_look(struct softpt_perf_writer *w);

/**
 * softpt_perf_writer_keep() - records are kept from now on, for softpt_perf_writer_next()
 * @w: the writer
 */
void softpt_perf_writer_keep(struct softpt_perf_writer *w);

/**
 * softpt_perf_writer_next() - end the file as softpt_perf_writer_end() does, and begin another
 * @w: the writer
 * @fd: as in softpt_perf_writer_new(), for a trace from later on; -1: none yet, and records are
 *	only kept, or refused without softpt_perf_writer_keep()
 *
 * The file before is not touched any more, even when it could not be written.
 *
 * It begins with the records that were kept, but for the context switches of before that are
 * not the last of their CPU.
 *
 * Return: 0 or -errno.
 */
int softpt_perf_writer_next(struct softpt_perf_writer *w, int fd);

/**
 * softpt_perf_writer_end() - write what was kept back and the index, free the writer
 * @w: the writer
 *
 * Return: 0, or -errno of the first write that failed.
 */
int softpt_perf_writer_end(struct softpt_perf_writer *w);

/* ---- reading ---- */

struct softpt_perf;

/**
 * softpt_perf_open() - index a perf.data file
 * @p: set to the file
 * @buf: the whole file; stays the caller's, unchanged until softpt_perf_free()
 * @len: bytes
 * @offset: on an error, where in the file; may be NULL
 *
 * Files of perf itself are read as well as ours. A file that was cut short is read as
 * far as it goes.
 *
 * Return: 0; -ENOMEM; -EBADMSG: no perf.data file, or a damaged one; -EOPNOTSUPP:
 * compressed, made for a pipe, or of another byte order; -ENODATA: no Intel PT in it.
 */
int softpt_perf_open(struct softpt_perf **p, const void *buf, size_t len, uint64_t *offset);

void softpt_perf_free(struct softpt_perf *p);

/* Whether the bytes begin like a perf.data file */
bool softpt_perf_detect(const void *buf, size_t len);

/**
 * struct softpt_perf_stream - the packets of a CPU, or of a thread on any CPU
 * @buf: all pieces, joined
 * @len: bytes
 * @cpu: -1: of a thread
 * @tid: -1: of a CPU
 */
struct softpt_perf_stream {
	const uint8_t *buf;
	size_t len;
	int cpu;
	int tid;
};

/**
 * softpt_perf_stream() - the streams, by CPU and thread
 * @p: the recording
 * @i: 0, 1, ...
 *
 * Return: NULL behind the last.
 */
const struct softpt_perf_stream *softpt_perf_stream(const struct softpt_perf *p, unsigned int i);

/**
 * softpt_perf_config() - what the file says of the trace units
 * @p: the recording
 * @cfg: what it does not say is the default; tsc_ebx and tsc_eax are 0 where the
 *	crystal's ratio is not known
 */
void softpt_perf_config(const struct softpt_perf *p, struct softpt_config *cfg);

/**
 * struct softpt_perf_cpu - an Intel processor, as CPUID names it
 * @family: as CPUID counts it
 * @model: as CPUID counts it
 * @stepping: as CPUID counts it
 */
struct softpt_perf_cpu {
	uint16_t family;
	uint8_t model;
	uint8_t stepping;
};

/**
 * softpt_perf_cpu() - the processor of the machine that was recorded (feature CPUID)
 * @p: the recording
 * @cpu: filled in
 *
 * Return: false where the file does not say, it is another vendor's, or this library's writer made
 * the trace.
 */
bool softpt_perf_cpu(const struct softpt_perf *p, struct softpt_perf_cpu *cpu);

/**
 * softpt_perf_vdso() - the vdso of the machine that was traced
 * @p: the recording
 * @len: set to its bytes
 *
 * Return: NULL where the file does not have it.
 */
const void *softpt_perf_vdso(const struct softpt_perf *p, size_t *len);

/**
 * softpt_perf_vdso32() - the vdso of 32-bit programs there
 * @p: the recording
 * @len: set to its bytes
 *
 * Return: NULL where the file does not have it.
 */
const void *softpt_perf_vdso32(const struct softpt_perf *p, size_t *len);

/**
 * softpt_perf_crash() - the crashes that a file tells of, in any order
 * @p: the recording
 * @i: 0, 1, ...
 * @crash: filled in; what the file does not say is 0
 *
 * Return: false behind the last.
 */
bool softpt_perf_crash(const struct softpt_perf *p, size_t i, struct softpt_perf_crash *crash);

/**
 * softpt_perf_time() - perf's time of a TSC value
 * @p: the recording
 * @tsc: of a packet
 */
uint64_t softpt_perf_time(const struct softpt_perf *p, uint64_t tsc);

/**
 * struct softpt_perf_record - a record of the kernel
 * @type: enum perf_event_type
 * @misc: PERF_RECORD_MISC_*
 * @body: between header and id; not aligned
 * @size: of the body
 * @id: what the record ends with, as far as the file has it
 */
struct softpt_perf_record {
	uint32_t type;
	uint16_t misc;
	const void *body;
	size_t size;
	struct softpt_perf_id id;
};

/**
 * softpt_perf_record() - the records, in the order of the file
 * @p: the recording
 * @i: 0, 1, ...
 * @rec: filled in
 *
 * Return: false behind the last.
 */
bool softpt_perf_record(const struct softpt_perf *p, size_t i, struct softpt_perf_record *rec);

/**
 * struct softpt_perf_map - a mapping of a file
 * @addr: first address
 * @len: bytes
 * @pgoff: offset of @addr in the file
 * @pid: process, -1: the kernel
 * @tid: thread
 * @prot: PROT_EXEC and so on; PROT_EXEC alone where the record does not say
 * @name: path, or [vdso] and so on
 */
struct softpt_perf_map {
	uint64_t addr;
	uint64_t len;
	uint64_t pgoff;
	uint32_t pid;
	uint32_t tid;
	uint32_t prot;
	const char *name;
};

/**
 * softpt_perf_map_of() - decode a MMAP or MMAP2 record
 * @rec: a record of a file
 * @map: filled in; @name points into the file
 *
 * Return: false when the record is none, or damaged.
 */
bool softpt_perf_map_of(const struct softpt_perf_record *rec, struct softpt_perf_map *map);

#define SOFTPT_PERF_CODE_MAX	4096	/* bytes of code in one record */

/**
 * struct softpt_perf_code - code that no file holds
 * @addr: of its first byte
 * @pid: process
 * @len: bytes, at most SOFTPT_PERF_CODE_MAX
 * @bytes: the code
 */
struct softpt_perf_code {
	uint64_t addr;
	uint32_t pid;
	uint32_t len;
	const uint8_t *bytes;
};

/**
 * softpt_perf_writer_code() - say what code is at an address from a time on
 * @w: the writer
 * @code: the code
 * @tid: the thread that has executed it first
 * @time: in perf's clock
 *
 * The record is a PERF_RECORD_TEXT_POKE of user space. perf ignores it: the kernel writes such
 * records of its own code only.
 *
 * Return: 0, or -errno: -EINVAL where @code has more bytes than fit.
 */
int softpt_perf_writer_code(struct softpt_perf_writer *w, const struct softpt_perf_code *code,
			    uint32_t tid, uint64_t time);

/**
 * softpt_perf_code_of() - decode what softpt_perf_writer_code() wrote
 * @rec: a record of a file
 * @code: filled in; @bytes points into the file
 *
 * Return: false when the record is none, or damaged.
 */
bool softpt_perf_code_of(const struct softpt_perf_record *rec, struct softpt_perf_code *code);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* SOFTPT_PERF_H */
