/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of an emulated trace port: figure 1 of US 5,996,092, and the core before it */
#ifndef SOFTPT_SIM_PORT_STATE_H
#define SOFTPT_SIM_PORT_STATE_H

#include <stddef.h>
#include <stdint.h>

#include <linux/softpt.h>

#include <softpt/port.h>
#include "sim/port-buffer.h"
#include "sim/port-send.h"
#include "sim/port-trigger.h"

#define PORT_NIL		0xff	/* struct port.symbol: none yet */
#define PORT_PENDING_ALL	(1 << PORT_SE_IAR | 1 << PORT_SE_LR | 1 << PORT_SE_CTR)

/* The clock that is being filled */
struct port_clock {
	unsigned int n;		/* instructions */
	unsigned int taken;	/* bit for each */
	bool interrupt;
	bool entry;		/* @value goes to the FIFO */
	uint32_t value;
	bool has_iar;
	uint32_t iar;		/* what was to execute next when it began */
};

enum port_state {
	PORT_RUNS,
	PORT_WAITS,
	PORT_STOPPED,
};

/* What became of a register: a reader must know what was used, until it was written */
enum port_fate {
	PORT_FRESH,
	PORT_USED,		/* as it was, or another was: a branch was taken */
	PORT_WRITTEN,
	PORT_LOST,		/* used, and then written */
};

/* LR, CTR */
struct port_reg {
	uint32_t value;
	uint32_t begin;		/* when the clock began */
	uint8_t clock_fate;	/* since then */
	uint8_t se_fate;	/* since the last SE */
};

/*
 * How far a reader who starts at the last SE knows LR and CTR. In each clock in which something
 * executes, and enters nothing, one of them has entered, or it did before; sent, it is known.
 */
struct port_known {
	uint64_t clock;		/* of the SE */
	uint64_t ctr_entry;	/* its SE CTR is that one of the FIFO's; 0: not yet */
	unsigned int n;		/* of LR, CTR */
	bool lost;		/* one was PORT_LOST before it was known */
};

struct port_counts {
	uint64_t clocks;
	uint64_t stalls;
	uint64_t instructions;
	uint64_t interrupts;
	uint64_t se;
	uint64_t te;		/* clocks in which there was one, or several */
};

/* Return: 0, -errno; another number stops the port, too */
typedef int (*port_put)(void *context, const void *bytes, size_t len);

/* A TE; @trigger: which, or -1: an event of its own. @ip: what executed, or was next */
struct port_te {
	uint32_t ip;
	int trigger;
};

/* What the acquisition buffer holds as it stops. Return: as port_put */
typedef int (*port_freeze)(void *context, const struct port_fragment *f);

struct port {
	struct softpt_port_config cfg;
	struct port_counts counts;
	struct port_serial serial;
	struct port_clock c;
	bool began;
	uint64_t now;		/* the clock of @c */
	uint64_t shift;		/* clocks that later events are late: the stalls */
	uint32_t se_left;	/* clocks to the next SE */
	uint8_t pending;	/* bit per enum port_entry_type: to be entered */
	bool te_now;		/* one was recognized in this clock, or several */
	bool te_due;		/* and in the one before: it is sent now */
	enum port_state state;
	uint64_t stop_end;
	/* registers as the program has them */
	bool has_next;
	uint32_t next;		/* address of what executes next */
	struct port_reg lr;
	struct port_reg ctr;
	struct port_known known;

	struct port_triggers *triggers;	/* NULL: none */
	struct port_buffer *buffer;	/* NULL: @put gets all */
	port_freeze freeze;
	struct port_te te;	/* the last */
	struct port_te freezer;	/* that the buffer stops for */

	port_put put;
	void *context;
	int err;
	uint8_t symbol;		/* the last, and how often */
	uint64_t run;
};

#endif /* SOFTPT_SIM_PORT_STATE_H */
