/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libsoftpt-sim: the trace unit in this process, for simulators and emulators. Events, or the
 * instructions that a program comes to, go in; packets come out.
 * (Documentation/guides/simulators.rst)
 */
#ifndef SOFTPT_SIM_H
#define SOFTPT_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/softpt.h>
#include <linux/softpt-events.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* Gets packets, in order; never a part of one. Return: 0, or -errno, which ends the unit */
typedef int (*softpt_sim_bytes_fn)(void *ctx, const void *packets, size_t len);

struct softpt_sim;

/**
 * softpt_sim_new() - a unit that begins with its first event
 * @sim: set to the unit; NULL on an error
 * @config: of the unit, as softpt_config_init() and softpt_config_parse() make it
 * @bytes: gets the packets
 * @ctx: for @bytes
 *
 * Return: 0; -EINVAL: what softpt_config_validate() says of @config; -ENOMEM.
 */
int softpt_sim_new(struct softpt_sim **sim, const struct softpt_config *config,
		   softpt_sim_bytes_fn bytes, void *ctx);

/* Without what is still to be handed out. @sim may be NULL */
void softpt_sim_free(struct softpt_sim *sim);

/**
 * softpt_sim_event() - an event happens
 * @sim: the unit
 * @event: what happens; its time is not before that of the event before
 * @why: set to a text if the event is refused, else to NULL; may be NULL
 *
 * Events and instructions are not mixed: either is everything that the unit sees.
 *
 * Return: 0; -EINVAL, -ERANGE: the event is refused, and nothing has happened; -EFBIG: 4 GiB of
 * timing packets lie before it; what the output returned.
 */
int softpt_sim_event(struct softpt_sim *sim, const struct softpt_event *event, const char **why);

#define SOFTPT_SIM_CODE	15	/* bytes of the longest instruction */

/**
 * struct softpt_sim_insn - an instruction that a program comes to
 * @tsc: when, in ticks of the TSC; not before the one that came before it
 * @ip: its address
 * @code: its bytes
 * @size: how many; 0: none that can be read, the kernel does its work
 * @long_mode: 64-bit mode, else 32-bit
 */
struct softpt_sim_insn {
	uint64_t tsc;
	uint64_t ip;
	uint8_t code[SOFTPT_SIM_CODE];
	uint8_t size;
	bool long_mode;
};

/**
 * softpt_sim_insn() - the program comes to an instruction
 * @sim: the unit
 * @insn: the next instruction of one thread in user mode
 * @why: as for softpt_sim_event()
 *
 * Where an instruction leads is where the next one is. A branch that leads nowhere near tells of
 * a signal, and the trace goes on behind a gap. System calls go through a kernel at address 0.
 *
 * Return: 0; -EINVAL: @insn has more than 15 bytes, or a branch before it was not just its own
 * bytes; as softpt_sim_event().
 */
int softpt_sim_insn(struct softpt_sim *sim, const struct softpt_sim_insn *insn, const char **why);

/**
 * softpt_sim_end() - nothing follows: everything is handed out, and the stream is closed
 * @sim: the unit
 * @tsc: when, where instructions were given; not looked at where events were
 * @why: as for softpt_sim_event()
 *
 * Return: as softpt_sim_insn().
 */
int softpt_sim_end(struct softpt_sim *sim, uint64_t tsc, const char **why);

/* Hand out what there is so far. Return: what the output returned */
int softpt_sim_flush(struct softpt_sim *sim);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* SOFTPT_SIM_H */
