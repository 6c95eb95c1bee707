/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes as sys/sdt.h of systemtap-sdt-dev has them, which need not be there */
#ifndef SOFTPT_SELFTESTS_PROBE_H
#define SOFTPT_SELFTESTS_PROBE_H

/* What is 0 alone has no place in the file: it is in a section of data. */
#define SEMAPHORE(name) \
	volatile unsigned short name \
		__attribute__((section(".probes"), visibility("hidden"))) = 0

/* lines:NAME; @semaphore: a name, or 0 */
#define PROBE(name, semaphore) \
	__asm__ volatile("990: nop\n" \
			 ".pushsection .note.stapsdt,\"\",\"note\"\n" \
			 ".balign 4\n" \
			 ".4byte 992f - 991f, 994f - 993f, 3\n" \
			 "991: .asciz \"stapsdt\"\n" \
			 "992: .balign 4\n" \
			 "993: .8byte 990b\n" \
			 ".8byte stapsdt_base\n" \
			 ".8byte " #semaphore "\n" \
			 ".asciz \"lines\"\n" \
			 ".asciz \"" #name "\"\n" \
			 ".asciz \"\"\n" \
			 "994: .balign 4\n" \
			 ".popsection\n")

__asm__(".pushsection .stapsdt.base,\"a\",\"progbits\"\n"
	"stapsdt_base: .space 1\n"
	".popsection\n");

#endif /* SOFTPT_SELFTESTS_PROBE_H */
