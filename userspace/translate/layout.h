/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where everything lies in a translated program.
 *
 * Code is below 2 GB, the program's and the translation: an address fits into the immediate of
 * PUSH, and what is RIP-relative stays in reach. The table has 8 bytes for each address of code,
 * so that an indirect branch is one jump. Where the program has more code than that it goes to the
 * far zone: the table holds this, too.
 */
#ifndef SOFTPT_XL_LAYOUT_H
#define SOFTPT_XL_LAYOUT_H

#define XL_PIE		0x0c000000	/* the program, unless it says where */
#define XL_LDSO		0x1c000000
#define XL_VDSO		0x1c700000
#define XL_ZONE		0x1c800000	/* libraries, code made at run time */
#define XL_ZONE_END	0x66000000
#define XL_DATA		0x66000000	/* data that may become code */
#define XL_DATA_END	0x6e000000
#define XL_COLD		0x6e000000	/* blocks that are seldom executed */
#define XL_HOT		0x74000000	/* superblocks */
#define XL_STUB		0x78000000	/* what leaves them */
#define XL_CACHE_END	0x7e000000	/* the runtime itself is here (Makefile) */
#define XL_CODE_END	0x6e000000	/* of the program's code */
#define XL_TABLE	0x7ff00000	/* its begin is the 32-bit displacement of a jump */
#define XL_TABLE_WIDE	0x400000000	/* bytes, where it is wide (code/table.c) */
#define XL_TABLE_END	(XL_TABLE + 8ull * XL_CODE_END)
#define XL_FAR		0x1000000000
#define XL_FAR_SIZE	(1536ull << 20)
#define XL_SHARED	0x380000000000	/* if it is free: the file that the recorder shares */
#define XL_BRK		0x550000000000
#define XL_BRK_SIZE	(64ull << 30)

#endif /* SOFTPT_XL_LAYOUT_H */
