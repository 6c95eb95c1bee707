/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a perf.data file that its writer and its reader share */
#ifndef SOFTPT_LIB_PERFFILE_H
#define SOFTPT_LIB_PERFFILE_H

#include <stdint.h>

#include <softpt/perf.h>

#define PERFFILE_MAGIC		0x32454c4946524550ull	/* "PERFILE2" */
#define PERFFILE_ATTR_SIZE	128	/* of struct perf_event_attr, as perf 6.1 has it */
#define PERFFILE_INTEL_PT	1	/* struct perffile_info.kind */

struct perffile_section {
	uint64_t offset;
	uint64_t size;
};

struct perffile_header {
	uint64_t magic;
	uint64_t size;
	uint64_t attr_size;
	struct perffile_section attrs;
	struct perffile_section data;
	struct perffile_section event_types;
	uint64_t features[4];
};

/* One of the attrs section: the begin of an attr, which newer headers have more of; its ids */
struct perffile_attr {
	uint8_t attr[PERFFILE_ATTR_SIZE];
	struct perffile_section ids;
};

_Static_assert(sizeof(struct perf_event_attr) >= PERFFILE_ATTR_SIZE, "older than Linux 6.1");

_Static_assert(sizeof(struct perffile_attr) == PERFFILE_ATTR_SIZE + 16, "as perf 6.1 has it");

/* Bits of perffile_header.features */
enum {
	PERFFILE_BUILD_ID	= 2,
	PERFFILE_HOSTNAME	= 3,
	PERFFILE_OSRELEASE	= 4,
	PERFFILE_VERSION	= 5,
	PERFFILE_ARCH		= 6,
	PERFFILE_NRCPUS		= 7,
	PERFFILE_CPUDESC	= 8,
	PERFFILE_CPUID		= 9,
	PERFFILE_TOTAL_MEM	= 10,
	PERFFILE_CMDLINE	= 11,
	PERFFILE_EVENT_DESC	= 12,
	PERFFILE_AUXTRACE	= 18,
	PERFFILE_SAMPLE_TIME	= 21,
	/* Of files of before 2026-11-25: for these `perf inject` of 6.1 looks past its table */
	PERFFILE_VDSO32		= 254,
	PERFFILE_VDSO		= 255,
};

/* In the records of PERFFILE_BUILD_ID: they say how long the id is */
#define PERFFILE_MISC_BUILD_ID_SIZE	(1 << 15)

/*
 * Ours are the last bytes of a file, behind all that perf looks at: where the code is that the
 * kernel maps into every process.
 */
#define PERFFILE_OWN_MAGIC	0x31736f7470746673ull	/* "sftptos1" */

struct perffile_own {
	struct perffile_section vdso;
	struct perffile_section vdso32;
	uint64_t magic;
};

/* Right before, in newer files: what they have besides. @crash: bytes of each of @crashes */
#define PERFFILE_MORE_MAGIC	0x65726f6d74706673ull	/* "sfptmore" */

struct perffile_more {
	struct perffile_section crashes;
	uint64_t crash;
	uint64_t magic;
};

/* Types of records that perf itself makes, not the kernel */
enum {
	PERFFILE_REC_AUXTRACE_INFO	= 70,
	PERFFILE_REC_AUXTRACE		= 71,
	PERFFILE_REC_COMPRESSED		= 81,
};

/* What perffile_info.value holds, in this order */
enum {
	INFO_PMU_TYPE,
	INFO_TIME_SHIFT,
	INFO_TIME_MULT,
	INFO_TIME_ZERO,
	INFO_CAP_TIME_ZERO,
	INFO_TSC_BIT,
	INFO_NORETCOMP_BIT,
	INFO_SCHED_SWITCH,
	INFO_SNAPSHOT,
	INFO_PER_CPU,
	INFO_MTC_BIT,
	INFO_MTC_FREQ_BITS,
	INFO_TSC_CTC_N,
	INFO_TSC_CTC_D,
	INFO_CYC_BIT,
	INFO_MAX_NONTURBO,
	INFO_FILTER_LEN,
	INFO_EVENT_TRACE,
	INFO_NR
};

/* INFO_SCHED_SWITCH: PERF_RECORD_SWITCH of the traced tasks, and no others' */
#define INFO_SWITCH_TASK	2

struct perffile_info {
	struct perf_event_header header;
	uint32_t kind;
	uint32_t reserved;
	uint64_t value[INFO_NR];
};

/*
 * A piece of trace; the bytes follow. They are padded to 8 with PAD packets; @padding,
 * which perf leaves 0 and does not look at, says how many, so that a reader who knows
 * gets the stream as it was.
 */
struct perffile_auxtrace {
	struct perf_event_header header;
	uint64_t size;
	uint64_t offset;
	uint64_t reference;
	uint32_t idx;
	uint32_t tid;
	uint32_t cpu;
	uint32_t padding;
};

/* attr.config: the image of IA32_RTIT_CTL */
#define RTIT_PT			(1u << 0)
#define RTIT_CYC		(1u << 1)
#define RTIT_PWR		(1u << 4)
#define RTIT_MTC		(1u << 9)
#define RTIT_TSC		(1u << 10)
#define RTIT_NORETCOMP		(1u << 11)
#define RTIT_PTW		(1u << 12)
#define RTIT_BRANCH		(1u << 13)
#define RTIT_MTC_FREQ		(0xfu << 14)
#define RTIT_EVENT		(1u << 31)

#endif /* SOFTPT_LIB_PERFFILE_H */
