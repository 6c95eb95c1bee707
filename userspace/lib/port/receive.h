/* SPDX-License-Identifier: BSD-2-Clause */
/* What the TS pins send: addresses, each in ten slices, and the registers of SEs */
#ifndef SOFTPT_LIB_PORT_SERIAL_H
#define SOFTPT_LIB_PORT_SERIAL_H

#include <softpt/port.h>

/**
 * struct port_sent - an address that is whole
 * @code: SOFTPT_TS_SE_IAR, SE_LR, SE_CTR; or SOFTPT_TS_SLICE: of an mtlr, mtctr, exception
 * @clock: of its first symbol
 * @offset: SE_IAR: what the offset counter said
 * @idle: the last clock before it in which there was nothing to send; 0: none since the one before
 * @value: the address, its two lowest bits zero
 */
struct port_sent {
	uint8_t code;
	uint32_t offset;
	uint32_t value;
	uint64_t clock;
	uint64_t idle;
};

/* @sync: where the next address begins is known: from the first code or pause on */
struct port_sender {
	const struct softpt_port *port;
	struct softpt_port_symbol at;
	bool sync;
	bool ended;
};

/* The next that is whole. Return: false: the buffer ends */
bool port_sender_next(struct port_sender *s, struct port_sent *sent);

#endif /* SOFTPT_LIB_PORT_SERIAL_H */
