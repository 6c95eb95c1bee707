/* SPDX-License-Identifier: BSD-2-Clause */
/* Pages of the program's code: which are watched for writes, and which no file holds */
#ifndef SOFTPT_XL_PAGES_H
#define SOFTPT_XL_PAGES_H

#include "../layout.h"
#include "../types.h"

#define PAGES		(1u << 20)	/* by the number of their addresses */

enum page_state {
	PAGE_DATA,		/* not executable, or not there */
	PAGE_PLAIN,
	PAGE_OPEN,		/* writable and executable */
	PAGE_WATCHED,		/* and write-protected: it is translated */
};

extern u8 pages[PAGES];		/* enum page_state */

/* Code of the numbers [@from, @to) is translated: writes there are to be noticed. */
void pages_translated(u32 from, u32 to);
/* What the kernel tells of [@from, @to) is so from now on. */
void pages_look(u64 from, u64 to);
/* What may be done there: @prot of the mapping. Writes to code are to be noticed. */
void pages_set(u64 addr, u64 len, long prot);
/* The number of @addr: it has one afterwards, if code is there or @force is set. 0: it has none */
u32 pages_number(u64 addr, bool force);
/* PROT_WRITE and PROT_EXEC of the page at @addr, as far as they matter for code */
long pages_prot(u64 addr);
/* The program has made what is there, or may have; or a file holds it. */
void pages_set_made(u64 addr, u64 len, bool is_made);
/* Return: whether a file need not hold some of the numbers [@from, @to) */
bool pages_made(u32 from, u32 to);

#endif /* SOFTPT_XL_PAGES_H */
