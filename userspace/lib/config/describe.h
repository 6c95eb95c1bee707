/* SPDX-License-Identifier: BSD-2-Clause */
/* What a stream says of itself, in the MNT packets of its PSB+ */
#ifndef SOFTPT_LIB_DESCRIBE_H
#define SOFTPT_LIB_DESCRIBE_H

#include <softpt/softpt.h>

/**
 * struct softpt_description - a description, as far as it has been read
 * @config: valid once @known; its CR3 and ranges follow in the same PSB+
 * @next: what the next packets put together
 * @seen: bit per packet of the description
 * @known: a description was complete and made sense
 * @tsc_high: TSC[63:56], which a TSC packet does not hold
 */
struct softpt_description {
	struct softpt_config config;
	struct softpt_config next;
	unsigned int seen;
	bool known;
	uint8_t tsc_high;
};

/**
 * softpt_describe() - take the payload of an MNT packet
 * @d: all zero before the first
 * @payload: of any MNT packet, foreign ones too
 *
 * Return: true when it completes what every description has: @d->config is what the
 * stream was made with.
 */
bool softpt_describe(struct softpt_description *d, uint64_t payload);

#endif /* SOFTPT_LIB_DESCRIBE_H */
