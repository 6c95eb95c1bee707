/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The trace port as a second back end: events -> symbols of seven pins, one for each clock
 * (Documentation/reference/port.rst). In user space only.
 */
#ifndef SOFTPT_SIM_PORT_EMULATE_H
#define SOFTPT_SIM_PORT_EMULATE_H

#include "sim/port-state.h"

void port_init(struct port *p, const struct softpt_port_config *cfg, port_put put, void *context);

/**
 * port_event() - let an event happen
 * @p: the port
 * @ev: the event
 * @why: with -EINVAL: what is wrong
 *
 * Return: 0, -EINVAL, or what port_put or port_freeze returned.
 */
int port_event(struct port *p, const struct softpt_event *ev, const char **why);

/* What is left in the FIFO is sent; what a buffer holds is taken. Return: as port_event() */
int port_finish(struct port *p);

#endif /* SOFTPT_SIM_PORT_EMULATE_H */
