// SPDX-License-Identifier: BSD-2-Clause
#include "remote.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int hex_digit(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Behind "$". Return: whether its sum is right; *@gone: there will be no more */
static bool receive_one(struct remote *r, bool *gone)
{
	unsigned char sum = 0;
	size_t n = 0;
	int c, high, low;

	while ((c = getchar()) != '#') {
		if (c == EOF) {
			*gone = true;
			return false;
		}
		if (c == '$') {		/* it begins anew */
			n = 0;
			sum = 0;
			continue;
		}
		sum += (unsigned char)c;
		if (n < REMOTE_SIZE)
			r->packet[n++] = (char)c;
	}
	r->packet[n] = 0;
	c = getchar();
	high = hex_digit(c);
	if (c != EOF)
		c = getchar();
	low = hex_digit(c);
	*gone = c == EOF;
	return !*gone && (r->no_acks || (high >= 0 && low >= 0 && (high << 4 | low) == sum));
}

bool remote_receive(struct remote *r)
{
	bool gone = false, right;
	int c;

	r->n = 0;
	for (;;) {
		do
			c = getchar();
		while (c != '$' && c != EOF);
		if (c == EOF)
			return false;
		right = receive_one(r, &gone);
		if (gone)
			return false;
		if (!r->no_acks) {
			putchar(right ? '+' : '-');
			fflush(stdout);
		}
		if (right)
			return true;
	}
}

bool remote_send(struct remote *r)
{
	unsigned char sum = 0;
	size_t i;
	int c;

	for (i = 0; i < r->n; i++)
		sum += (unsigned char)r->answer[i];
	do {
		putchar('$');
		fwrite(r->answer, 1, r->n, stdout);
		printf("#%02x", sum);
		if (fflush(stdout))
			return false;
		if (r->no_acks)
			return true;
		do
			c = getchar();
		while (c != '+' && c != '-' && c != EOF);
	} while (c == '-');
	return c == '+';
}

void remote_put(struct remote *r, const char *format, ...)
{
	size_t room = REMOTE_SIZE - r->n;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(r->answer + r->n, room, format, args);
	va_end(args);
	if (n > 0)
		r->n += (size_t)n < room ? (size_t)n : room - 1;
}

void remote_put_hex(struct remote *r, const void *data, size_t n)
{
	const uint8_t *byte = data;

	while (n--)
		remote_put(r, "%02x", *byte++);
}

void remote_put_unavailable(struct remote *r, size_t n)
{
	while (n--)
		remote_put(r, "xx");
}

/* In binary: what the protocol uses itself is escaped. */
void remote_put_part(struct remote *r, const char *text, size_t len, uint64_t from, uint64_t n)
{
	const size_t begin = from < len ? from : len;
	size_t i;

	r->answer[r->n++] = 'l';
	for (i = begin; i < len && i - begin < n && r->n + 2 < REMOTE_SIZE; i++) {
		if (strchr("#$}*", text[i])) {		/* 0, too */
			r->answer[r->n++] = '}';
			r->answer[r->n++] = text[i] ^ 0x20;
			continue;
		}
		r->answer[r->n++] = text[i];
	}
	if (i < len)
		r->answer[0] = 'm';
}
