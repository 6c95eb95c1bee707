/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets of gdb's remote protocol (its manual, appendix E), on stdin and stdout */
#ifndef SOFTPT_TOOL_GDB_REMOTE_H
#define SOFTPT_TOOL_GDB_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REMOTE_SIZE	16384	/* of a packet, at most: PacketSize */

/**
 * struct remote - the other side
 * @packet: the last one, with a 0 behind it
 * @answer: is put together here
 * @n: bytes of it
 * @no_acks: both have agreed not to confirm packets
 */
struct remote {
	char packet[REMOTE_SIZE + 1];
	char answer[REMOTE_SIZE + 1];
	size_t n;
	bool no_acks;
};

/* Wait for a packet; an answer begins. Return: false: the other side has gone */
bool remote_receive(struct remote *r);
/* Return: false: the other side has gone */
bool remote_send(struct remote *r);

/* What is too long is cut off. */
void remote_put(struct remote *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
void remote_put_hex(struct remote *r, const void *data, size_t n);
/* "x" for each digit of a register that is not available */
void remote_put_unavailable(struct remote *r, size_t n);
/* A part of a text, as qXfer asks for it */
void remote_put_part(struct remote *r, const char *text, size_t len, uint64_t from, uint64_t n);

#endif /* SOFTPT_TOOL_GDB_REMOTE_H */
