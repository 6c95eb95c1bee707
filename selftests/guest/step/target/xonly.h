/* SPDX-License-Identifier: BSD-2-Clause */
/* What the program with PTWRITEs has in a page that can be executed and not read */
#ifndef SOFTPT_XONLY_H
#define SOFTPT_XONLY_H

#include <stdint.h>

#define XONLY_AT	0x10000000UL
#define XONLY_UD2	6	/* offset */

static const uint8_t xonly_code[] = {
	0xf3, 0x48, 0x0f, 0xae, 0x21,	/* ptwriteq (%rcx) */
	0xc3,				/* ret */
	0x0f, 0x0b,			/* ud2 */
};

#endif
