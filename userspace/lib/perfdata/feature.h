/* SPDX-License-Identifier: BSD-2-Clause */
/* What a perf.data file says behind its data: of the machine, of the event, of files that ran */
#ifndef SOFTPT_LIB_PERFFEATURE_H
#define SOFTPT_LIB_PERFFEATURE_H

#include "perfdata/buf.h"
#include "perfdata/file.h"

/* Files that were mapped, each once */
struct perfnames {
	struct perfname {
		char *name;
		bool kernel;
	} *v;
	size_t n;
};

/* The file of a record that maps code; of others nothing. Return: 0 or -ENOMEM */
int perfnames_add(struct perfnames *names, const struct perf_event_header *rec);
void perfnames_free(struct perfnames *names);

/**
 * struct perffeatures - what the sections are made of
 * @setup: as the writer was given it
 * @attr: of the event
 * @id: its
 * @index: where the traces are
 * @nindex: how many
 * @names: files
 * @first: of what is recorded, in perf's time
 * @last: of the same
 */
struct perffeatures {
	const struct softpt_perf_setup *setup;
	const struct perffile_attr *attr;
	uint64_t id;
	const struct perffile_section *index;
	size_t nindex;
	const struct perfnames *names;
	uint64_t first;
	uint64_t last;
};

/* The features that there are, in the order of their sections */
extern const unsigned int perffeatures[];
extern const size_t perffeatures_nr;

/* A section; empty: the file is not to have it. */
void perffeature_make(struct perfbuf *b, const struct perffeatures *f, unsigned int feature);

#endif /* SOFTPT_LIB_PERFFEATURE_H */
