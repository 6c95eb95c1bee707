/* SPDX-License-Identifier: BSD-2-Clause */
/* A walk from an SE, as its parts see it */
#ifndef SOFTPT_LIB_PORT_WALK_H
#define SOFTPT_LIB_PORT_WALK_H

#include "port/receive.h"

#define PORT_ROWS	4	/* of a clock: TE, and an interrupt or two instructions */

/*
 * A register of the program. SE LR and SE CTR enter the FIFO clocks after SE IAR, when is not
 * known for sure. What they say counts if nothing wrote the register since SE IAR entered.
 */
struct reg {
	bool known;
	bool counted;		/* CTR: and so not known */
	bool unsent;		/* moved, and the buffer ends before that is sent */
	bool early;		/* @value is what the SE is going to say */
	bool guessed;		/* early, where it may have been written before it was sent */
	bool written;		/* since the last SE IAR entered */
	uint32_t value;
};

struct softpt_port_walk {
	const struct softpt_port *port;
	softpt_port_read read;
	void *context;
	struct softpt_port_symbol at;	/* that is walked */
	struct port_sender sender;
	struct port_sent head;	/* the oldest that no entry was found for */
	bool has_head;
	bool entered_known;
	uint64_t entered;	/* the clock of the last SE IAR's entry */
	uint64_t clock;		/* to be walked next */
	uint32_t addr;
	struct reg lr, ctr;
	bool guess;		/* see is_wrong() in path.c */
	bool inferred;		/* a guess was used, and no SE has confirmed it yet */
	bool last;		/* the last instruction of its clock */
	unsigned int confirmed;	/* SEs whose address was right */
	struct softpt_port_row row[PORT_ROWS];
	unsigned int rows, given;
	int reason;		/* -1: goes on */

	const struct softpt_port_code *code;	/* where unknown targets are looked for */
	size_t codes;
	uint64_t *steps;	/* clocks that are left for that */
	bool trial;		/* of a target; what is sent must be sent when it can be */
	uint32_t force[2];	/* targets of the unknown ones in this clock */
	unsigned int forced, used;
};

/* To the clock of an SE. @guess: registers that it sends late were not written in between */
void port_walk_begin(struct softpt_port_walk *w, const struct softpt_port_se *se, bool guess);
/* The symbol of the next clock. Return: false: none is left */
bool port_walk_find(struct softpt_port_walk *w);
/* And what it says. Return: false: no further, for w->reason */
bool port_walk_symbol(struct softpt_port_walk *w);

#endif /* SOFTPT_LIB_PORT_WALK_H */
