/* SPDX-License-Identifier: BSD-2-Clause */
/* The trace port's FIFO, and how it goes out on the TS pins */
#ifndef SOFTPT_SIM_PORT_SEND_H
#define SOFTPT_SIM_PORT_SEND_H

#include <stdbool.h>
#include <stdint.h>

#define PORT_FIFO_MAX	1024

enum port_entry_type {
	PORT_REGULAR,		/* mtlr, mtctr, exception address */
	PORT_SE_IAR,
	PORT_SE_LR,
	PORT_SE_CTR,
};

struct port_entry {
	uint32_t value;
	uint8_t type;		/* enum port_entry_type */
};

/* What goes out on the TS pins; an entry leaves the FIFO with its last symbol */
struct port_serial {
	struct port_entry fifo[PORT_FIFO_MAX];
	uint32_t size, head, used, most;
	uint32_t sent;		/* symbols of the oldest entry */
	uint32_t latched;	/* the offset counter, as it is sent */
	uint64_t counted_from;	/* the clock in which the offset counter began */
	bool counting;		/* an SE IAR is in the FIFO */
	uint64_t entered;	/* entries, since the beginning; @used of them are not sent yet */
};

static inline bool port_full(const struct port_serial *s)
{
	return s->used == s->size;
}

/* @clock: the offset counter counts from it */
void port_enter(struct port_serial *s, const struct port_entry *e, uint64_t clock);
/* What the FIFO has for the TS pins in a clock. Return: 0: nothing */
uint8_t port_send(struct port_serial *s, uint64_t clock);

#endif /* SOFTPT_SIM_PORT_SEND_H */
