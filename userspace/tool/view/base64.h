/* SPDX-License-Identifier: BSD-2-Clause */
/* Base64 (RFC 4648) of what comes number by number */
#ifndef SOFTPT_TOOL_VIEW_BASE64_H
#define SOFTPT_TOOL_VIEW_BASE64_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct base64 {
	FILE *to;
	uint32_t bits;
	unsigned int bytes;	/* of @bits: 0 to 2 */
};

void base64_put(struct base64 *b, const void *bytes, size_t n);
/* What is left of the last three bytes */
void base64_end(struct base64 *b);

#endif /* SOFTPT_TOOL_VIEW_BASE64_H */
