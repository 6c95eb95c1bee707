/* SPDX-License-Identifier: BSD-2-Clause */
/* A perf.data file as it is read: read.c finds what is in it, streams.c and record.c hand it out */
#ifndef SOFTPT_PERFDATA_STATE_H
#define SOFTPT_PERFDATA_STATE_H

#include "perfdata/file.h"

/* A piece of trace */
struct perfpiece {
	uint64_t offset;	/* of its bytes in the file */
	uint64_t size;
	uint32_t cpu;
	uint32_t tid;
};

struct softpt_perf {
	const uint8_t *file;
	size_t size;
	uint64_t sample_type;
	bool has_id;			/* sample_id_all */
	uint64_t config;		/* of the Intel PT event */
	struct perffile_section vdso, vdso32, cpuid;
	struct perffile_more more;	/* all zero: there is none */
	bool from_softpt;		/* struct perffile_own was found */
	uint64_t info[INFO_NR];
	bool has_info;

	struct perfpiece *pieces;
	size_t npieces;
	uint64_t *records;		/* offsets of all other records */
	size_t nrecords;

	struct softpt_perf_stream *streams;
	uint8_t **joined;		/* per stream; NULL: it lies in the file in one piece */
	unsigned int nstreams;
};

#endif /* SOFTPT_PERFDATA_STATE_H */
