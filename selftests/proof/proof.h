/* SPDX-License-Identifier: GPL-2.0-only */
/* What each proof includes first */
#define __builtin_expect(x, expected)	(x)

/*
 * What a conversion to an unsigned type is (C11 6.3.1.3). WP tells the provers only its
 * range. @turns is how often the type's numbers are gone round.
 */
/*@
  axiomatic Conversion { logic integer turns(integer bits, integer x); }

  logic integer low8(integer x) = x - 0x100 * turns(8, x);

  admit lemma to_u8: \forall integer x; (unsigned char)x == low8(x);
  admit lemma to_u32: \forall integer x;
	(unsigned int)x == x - 0x100000000 * turns(32, x);
  admit lemma to_u64: \forall integer x;
	(unsigned long long)x == x - 0x10000000000000000 * turns(64, x);
*/
