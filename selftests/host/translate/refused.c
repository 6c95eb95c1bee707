// SPDX-License-Identifier: BSD-2-Clause
/* refused N: an instruction that is not translated */
#include <stdlib.h>

int main(int argc, char **argv)
{
	switch (argc > 1 ? atoi(argv[1]) : 0) {
	case 0:
		asm volatile(".byte 0x65\n mov 0, %%eax" : : : "eax");
		break;
	case 1:
		asm volatile("mov $20, %%eax\n int $0x80" : : : "eax");
		break;
	case 2:
		asm volatile(".byte 0xc7, 0xf8, 0, 0, 0, 0" : : : "eax");
		break;
	case 3:
		asm volatile("lretq");
		break;
	}
	return 0;
}
