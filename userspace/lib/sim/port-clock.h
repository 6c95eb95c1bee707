/* SPDX-License-Identifier: BSD-2-Clause */
/* The trace port, clock by clock: what enters the FIFO, what the pins say, what the buffer keeps */
#ifndef SOFTPT_SIM_PORT_CLOCK_H
#define SOFTPT_SIM_PORT_CLOCK_H

#include "sim/port-state.h"

/* A clock, which @p->c is filled in until its end; it ends with the begin of the next. */
void port_begin_clock(struct port *p);
void port_end_clock(struct port *p);

/* Clocks pass, up to @to. */
void port_advance(struct port *p, uint64_t to);

/* Whether an SE can enter the FIFO. There is one offset counter: a second IAR waits for it. */
bool port_se_ready(const struct port *p);

/* The buffer has stopped: what it holds is handed on. */
void port_take_fragment(struct port *p);

/* The next @n symbols of a port, from elsewhere than port_event(): an import */
void port_write(struct port *p, uint8_t es, uint8_t ts, uint64_t n);
/* Hand on what port_write() has joined */
void port_flush(struct port *p);

#endif /* SOFTPT_SIM_PORT_CLOCK_H */
