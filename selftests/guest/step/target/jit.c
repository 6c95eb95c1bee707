// SPDX-License-Identifier: BSD-2-Clause
/*
 * Code that is made at run time calls a function of the program, and now and then others get a turn
 * on the CPU: target-jit N prints how often the function was called.
 */
#include <err.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef OTHER	/* the same addresses, and not the same code */
#define STEP	"sub $1, %0"
#else
#define STEP	"add $1, %0"
#endif

static long calls;

static void __attribute__((noinline)) work(void)
{
	asm volatile(STEP : "+r"(calls));
}

int main(int argc, char **argv)
{
	/* SUB $8, %rsp; CALL *%rdi; ADD $8, %rsp; RET */
	static const unsigned char code[] = {
		0x48, 0x83, 0xec, 0x08, 0xff, 0xd7, 0x48, 0x83, 0xc4, 0x08, 0xc3,
	};
	void *made = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i, n = argc > 1 ? atoi(argv[1]) : 36;
	cpu_set_t one;

	if (made == MAP_FAILED)
		err(1, "mmap");
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	memcpy(made, code, sizeof(code));
	for (i = 0; i < n; i++) {
		((void (*)(void (*)(void)))made)(work);
		sched_yield();
	}
	printf("%ld\n", labs(calls));
	return 0;
}
