// SPDX-License-Identifier: BSD-2-Clause
/* What study-record traces by PTWRITE alone, and one function of: it works, says so, and waits. */
#include <stdio.h>
#include <unistd.h>

#define ROUNDS 300

static unsigned long state = 1;

/* The function that is traced */
__attribute__((noinline)) unsigned long inner(unsigned long n)
{
	unsigned long sum = 0;

	while (n--) {
		state = state * 6364136223846793005ul + 1442695040888963407ul;
		if (state >> 62)
			sum += state >> 33;
	}
	return sum;
}

/* And what is around it */
__attribute__((noinline)) static unsigned long outer(unsigned long n)
{
	unsigned long i, sum = 0;

	for (i = 0; i < n; i++)
		sum ^= sum << 7 ^ i * 2654435761u;
	return sum;
}

static void say(unsigned long value)
{
	/* PTWRITE RAX, by its bytes: not every assembler knows it */
	asm volatile(".byte 0xf3, 0x48, 0x0f, 0xae, 0xe0" : : "a"(value));
}

int main(void)
{
	unsigned long round, sum = 0;

	for (round = 0; round < ROUNDS; round++) {
		sum += inner(4 + state % 8);
		say(sum);
		sum += outer(state % 400);
		if (round % 32 == 31)
			usleep(2000);
	}
	printf("%lx\n", sum);
	return 0;
}
