/* SPDX-License-Identifier: BSD-2-Clause */
/* A packet as libipt and as libsoftpt have it, made comparable; and why the two may differ */
#ifndef SOFTPT_ORACLE_FACTS_H
#define SOFTPT_ORACLE_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <intel-pt.h>

#include "userspace/include/softpt/softpt.h"

/* A packet as a list of numbers */
struct fact {
	unsigned int type;	/* enum softpt_packet_type */
	int size;
	uint64_t a, b, c;
};

/* The bytes of an address that are written with this IPBytes */
uint64_t fact_low_bytes(uint64_t ip, unsigned int ipbytes);
struct fact fact_theirs(const struct pt_packet *p, int size);
struct fact fact_ours(const struct softpt_packet *p, int size);
bool fact_same(const struct fact *x, const struct fact *y);
/* One line: who says what */
int fact_print(char *buf, size_t len, const char *who, const struct fact *f);

/* All reasons for which the same bytes may be read differently, as a report names them */
#define FACT_REASONS(X) \
	X(AGREE, "agreed") \
	X(NEW_PACKET, "packet that libipt 2.0 does not know")	/* CFE, EVD, TRIG, BBP, BEP */ \
	X(CYC_CUT, "CYC cut short")	/* nine bytes that ask for a tenth, which is not there */ \
	X(DIFFER, "no reason")

enum fact_reason {
#define X(id, name) FACT_##id,
	FACT_REASONS(X)
#undef X
	FACT_REASON_NR
};

const char *fact_reason_name(enum fact_reason reason);

/**
 * fact_compare() - the packet that begins at @pos, read by both
 * @dec: libipt's decoder of a buffer that ends at @end; it is set to @pos
 * @begin: the pattern
 * @pos: what is compared
 * @end: behind the bytes of @pos
 * @size: set to what softpt_packet_decode() returned
 * @theirs: set to what pt_pkt_next() returned
 */
enum fact_reason fact_compare(struct pt_packet_decoder *dec, const uint8_t *begin,
			      const uint8_t *pos, const uint8_t *end, int *size, int *theirs);

#endif
