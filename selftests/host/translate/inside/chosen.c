// SPDX-License-Identifier: BSD-2-Clause
/*
 * Calls whose arguments meet conditions, or do not. What it prints is each condition, and how often
 * a call meets it. With an argument it does all of it for each line of stdin, and prints "ready"
 * before.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CALLED	__attribute__((noinline, noclone))
#define ROUNDS	500
#define THREADS	4

typedef uint64_t args[6];

/* As C has it, whose operators are the same. @a: arguments 1 to 6 */
#define CONDITIONS(X) \
	X("arg1 > 100", (int64_t)a[0] > 100) \
	X("arg1 <= 0x64", (int64_t)a[0] <= 0x64) \
	X("arg1 == 7", a[0] == 7) \
	X("arg1 != 7", a[0] != 7) \
	X("arg2 < -1", (int64_t)a[1] < -1) \
	X("arg2:s64 >= -9223372036854775808", 1) \
	X("arg2:u64 >= 0x8000000000000000", a[1] >= 1ull << 63) \
	X("arg2:u64 < 18446744073709551615", a[1] < UINT64_MAX) \
	X("arg3:s32 < -1", (int32_t)a[2] < -1) \
	X("arg3:s32 == -1", (int32_t)a[2] == -1) \
	X("arg3:u32 > 2147483647", (uint32_t)a[2] > INT32_MAX) \
	X("arg3:u32 == 0", !(uint32_t)a[2]) \
	X("arg4:s8 < 0", (int8_t)a[3] < 0) \
	X("arg4:u8 >= 200", (uint8_t)a[3] >= 200) \
	X("arg4:s16 > 300", (int16_t)a[3] > 300) \
	X("arg4:u16 <= 40000", (uint16_t)a[3] <= 40000) \
	X("arg5 & 0x5", !!(a[4] & 5)) \
	X("arg5 & 0x8000000000000000", a[4] >> 63) \
	X("arg6:u8&0x80", !!(a[5] & 0x80)) \
	X("arg1 > 100 && arg2 < 0", (int64_t)a[0] > 100 && (int64_t)a[1] < 0) \
	X("arg1 > 100 || arg2 < 0", (int64_t)a[0] > 100 || (int64_t)a[1] < 0) \
	X("arg1>100&&arg2<0||arg3:s32==5&&arg4:u8<9||arg6==0", \
	  ((int64_t)a[0] > 100 && (int64_t)a[1] < 0) || \
	  ((int32_t)a[2] == 5 && (uint8_t)a[3] < 9) || !a[5]) \
	X("arg1 < -1000 && arg1 > 1000", 0)

static const char *const text[] = {
#define TEXT(text, holds) text,
	CONDITIONS(TEXT)
};

#define NR	(sizeof(text) / sizeof(text[0]))

static long count[NR];
static volatile uint64_t sink;
static jmp_buf back;

CALLED uint64_t inner(uint64_t n)
{
	sink += n;
	return n + 1;
}

CALLED uint64_t called(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f)
{
	return inner(a ^ b ^ c) ^ d ^ e ^ f;
}

/* The call with 3 has three within it: they belong to it, whatever they are called with. */
CALLED uint64_t recursive(uint64_t n)
{
	return n ? inner(n) + recursive(n - 1) : 0;
}

CALLED uint64_t leaves(uint64_t n)
{
	if (n == 1)
		longjmp(back, 1);
	return inner(n);
}

CALLED uint64_t other(uint64_t n)
{
	sink -= n;
	return n;
}

static void count_call(const uint64_t *a)
{
	unsigned int i = 0;

#define COUNT(text, holds) __atomic_fetch_add(&count[i++], holds, __ATOMIC_RELAXED);
	CONDITIONS(COUNT)
}

/* Small ones, their negations, and any */
static uint64_t draw(unsigned int *seed)
{
	const uint64_t high = (uint64_t)rand_r(seed) << 33, low = (uint64_t)rand_r(seed) << 1;
	const uint64_t small = (uint64_t)(rand_r(seed) % 400) - 200;

	switch (rand_r(seed) % 4) {
	case 0:
		return small % 12;
	case 1:
		return small;
	case 2:		/* an int: what is above it means nothing */
		return high | (uint32_t)small;
	}
	return high ^ low;
}

static void *thread(void *number)
{
	unsigned int seed = (unsigned int)(uintptr_t)number, i, k;
	args a;

	for (i = 0; i < ROUNDS; i++) {
		for (k = 0; k < 6; k++)
			a[k] = draw(&seed);
		count_call(a);
		called(a[0], a[1], a[2], a[3], a[4], a[5]);
	}
	return NULL;
}

/* Left by longjmp(): a call that is not wanted ends it all the same. */
static void leave(void)
{
	if (!setjmp(back))
		leaves(1);
	leaves(2);
	other(3);
}

static void run(void)
{
	pthread_t t[THREADS];
	uintptr_t i;

	for (i = 0; i < NR; i++)
		count[i] = 0;
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&t[i], NULL, thread, (void *)(i + 1)))
			exit(1);
	for (i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (i = 0; i < 60; i++) {
		recursive(i % 6);
		leave();
	}
	for (i = 0; i < NR; i++)
		printf("%ld %s\n", count[i], text[i]);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	char line[80];

	(void)argv;
	if (argc < 2) {
		run();
		return 7;
	}
	printf("ready\n");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin) && *line != 'q')
		run();
	return 0;
}
