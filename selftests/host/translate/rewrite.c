// SPDX-License-Identifier: BSD-2-Clause
/*
 * rewrite ROUNDS: a compiler that writes its code anew all the time, while other threads execute
 * code, wait, and make calls. What is printed is the same each time.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGES	8
#define BLOCKS	(PAGES * 4096 / 16 - 1)

static volatile int over;
static int wake[2];
static unsigned int ends;

/* xor %eax, %eax; BLOCKS - 1 times add $value, %eax; ret. A jump is behind each. */
static void write_code(unsigned char *code, uint32_t value)
{
	static const unsigned char block[16] = { 0x05, 0, 0, 0, 0, 0xeb, 9 };
	unsigned int i;

	for (i = 0; i < BLOCKS; i++) {
		memcpy(code + 16 * i, block, sizeof(block));
		memcpy(code + 16 * i + 1, &value, sizeof(value));
	}
	memcpy(code, "\x31\xc0\xeb\x0c", 4);
	code[16 * i] = 0xc3;
}

static uint32_t run(unsigned char *code)
{
	return ((uint32_t (*)(void))code)();
}

static __attribute__((noipa)) uint64_t step(uint64_t x)
{
	return x & 1 ? x * 3 + 1 : x / 2 + 7;
}

/* Never in the kernel */
static void *busy(void *arg)
{
	uint64_t x = (uintptr_t)arg;

	while (!over)
		x = step(x);
	return (void *)(uintptr_t)(x == 0);
}

/* Nearly always there */
static void *waits(void *arg)
{
	struct pollfd fd = { .fd = wake[0], .events = POLLIN };
	int n;

	(void)arg;
	n = poll(&fd, 1, -1);
	__atomic_add_fetch(&ends, n == 1, __ATOMIC_SEQ_CST);
	return NULL;
}

/* In and out */
static void *calls(void *arg)
{
	unsigned int bad = 0;

	(void)arg;
	while (!over)
		bad += usleep(10) != 0;
	return (void *)(uintptr_t)bad;
}

int main(int argc, char **argv)
{
	void *(*const others[])(void *) = { busy, waits, calls, busy };
	unsigned char *code = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int rounds = argc > 1 ? (unsigned int)atoi(argv[1]) : 100, i, bad = 0;
	pthread_t threads[4];
	uint32_t sum = 0;
	void *ret;

	if (pipe(wake))
		return 1;
	for (i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, others[i], (void *)(uintptr_t)(i + 5));
	for (i = 0; i < rounds; i++) {
		write_code(code, i);
		sum = sum * 31 + run(code);
		bad += run(code) != i * (BLOCKS - 1);
	}
	over = 1;
	if (write(wake[1], "", 1) != 1)
		return 1;
	for (i = 0; i < 4; i++) {
		pthread_join(threads[i], &ret);
		bad += (unsigned int)(uintptr_t)ret;
	}
	printf("%u rounds, %u, %u bad, %u woken\n", rounds, sum, bad, ends);
	return 0;
}
