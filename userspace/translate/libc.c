// SPDX-License-Identifier: BSD-2-Clause
/* What a C library would have, as far as the runtime needs it */
#include <linux/mman.h>
#include <stdarg.h>

#include <softpt/translate.h>

#include "guest.h"
#include "sys.h"
#include "types.h"

typedef u64 unaligned_u64 __attribute__((aligned(1), may_alias));
typedef u32 unaligned_u32 __attribute__((aligned(1), may_alias));
typedef u16 unaligned_u16 __attribute__((aligned(1), may_alias));

/* The first and the last bytes, which may overlap: all are loaded before any is stored. */
#define COPY_ENDS(type, dst, src, n) do { \
	const type _first = *(const type *)(src); \
	const type _last = *(const type *)((const u8 *)(src) + (n) - sizeof(type)); \
									\
	*(type *)(dst) = _first; \
	*(type *)((u8 *)(dst) + (n) - sizeof(type)) = _last; \
} while (0)

/* Most copies are of an instruction: REP MOVSB takes longer to begin. */
void *memcpy(void *dst, const void *src, size_t n)
{
	void *ret = dst;

	if (n <= 16) {
		if (n >= 8)
			COPY_ENDS(unaligned_u64, dst, src, n);
		else if (n >= 4)
			COPY_ENDS(unaligned_u32, dst, src, n);
		else if (n >= 2)
			COPY_ENDS(unaligned_u16, dst, src, n);
		else if (n)
			*(u8 *)dst = *(const u8 *)src;
		return ret;
	}
	asm volatile("rep movsb" : "+D"(dst), "+S"(src), "+c"(n) : : "memory");
	return ret;
}

void *memset(void *dst, int c, size_t n)
{
	void *ret = dst;

	asm volatile("rep stosb" : "+D"(dst), "+c"(n) : "a"(c) : "memory");
	return ret;
}

size_t str_len(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

bool str_equal(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

const char *str_behind(const char *text, const char *prefix)
{
	while (*prefix)
		if (*text++ != *prefix++)
			return NULL;
	return text;
}

u64 str_number(const char *s, const char **end)
{
	u64 value = 0;

	while (*s >= '0' && *s <= '9')
		value = value * 10 + (u64)(*s++ - '0');
	*end = s;
	return value;
}

static size_t put_number(char *out, u64 value, unsigned int base)
{
	char digits[24];
	size_t n = 0, i;

	do {
		digits[n++] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	for (i = 0; i < n; i++)
		out[i] = digits[n - 1 - i];
	return n;
}

void say(const char *format, ...)
{
	char line[512];
	size_t n = 0, len;
	const char *s;
	va_list args;

	va_start(args, format);
	for (; *format && n < sizeof(line) - 32; format++) {
		if (*format != '%') {
			line[n++] = *format;
			continue;
		}
		if (*++format == 's') {
			s = va_arg(args, const char *);
			len = str_len(s);
			len = min(len, sizeof(line) - 32 - n);
			memcpy(line + n, s, len);
			n += len;
		} else {
			n += put_number(line + n, va_arg(args, u64), *format == 'x' ? 16 : 10);
		}
	}
	va_end(args);
	sys(__NR_write, 2, line, n);
}

static bool gentle;

void die_gently(bool gently)
{
	gentle = gently;
}

void die(const char *why, u64 at)
{
	if (gentle)
		attach_failed(why);
	say("softpt: translate: %s at 0x%x: the program cannot go on (softpt record --how=ptrace)\n",
	    why, at);
	for (;;)
		sys(__NR_exit_group, 125);
}

static long at_room;	/* MAP_FIXED: nothing else can be there */

void rooms_reserved(void)
{
	at_room = MAP_FIXED;
}

/* Anywhere, if it is not free there */
long map_room(size_t size, long flags)
{
	static u64 next = SOFTPT_XL_ROOMS;
	const u64 at = __atomic_fetch_add(&next, PAGE_UP(size), __ATOMIC_RELAXED);

	return sys(__NR_mmap, at, size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | at_room | flags, -1, 0);
}

void *take_room(size_t size)
{
	long at = map_room(size, MAP_NORESERVE);

	if (at < 0)
		die("no memory for the tables of translations: bytes", size);
	return (void *)at;
}

void lock(struct lock *l)
{
	int tries = 0;

	while (__atomic_exchange_n(&l->taken, 1, __ATOMIC_ACQUIRE)) {
		if (tries++ < 50)
			asm volatile("pause");
		else
			sys(__NR_sched_yield);
	}
}

void unlock(struct lock *l)
{
	__atomic_store_n(&l->taken, 0, __ATOMIC_RELEASE);
}
